# SPDX-License-Identifier: Apache-2.0
"""A stage of 6000 prims of USD: made, bounded, written, read, traversed."""
import client_task
from pxr import Gf, Usd, UsdGeom


def run(_):
    with client_task.measured():
        stage = Usd.Stage.CreateInMemory()
        for i in range(6000):
            sphere = UsdGeom.Sphere.Define(stage, f"/World/G{i % 50}/S{i}")
            sphere.AddTranslateOp().Set(Gf.Vec3d(i, i * 2, 0))
        bounds = UsdGeom.BBoxCache(Usd.TimeCode.Default(), ["default"]).ComputeWorldBound(stage.GetPrimAtPath("/World"))
        text = stage.ExportToString()
        for _ in range(5):
            again = Usd.Stage.CreateInMemory()
            again.GetRootLayer().ImportFromString(text)
            count = len(list(again.Traverse()))
    print(bounds.GetRange(), len(text), count)


client_task.client(run)
