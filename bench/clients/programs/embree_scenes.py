# SPDX-License-Identifier: Apache-2.0
"""Scenes of 80,000 triangles, built by Embree, and rays through them."""
import client_task
import numpy as np
from embreex import rtcore_scene
from embreex.mesh_construction import TriangleMesh


def run(_):
    n = 200
    x, y = np.meshgrid(np.arange(n), np.arange(n))
    corners = np.stack([x.ravel(), y.ravel(), (np.sin(x / 7.0) * np.cos(y / 5.0)).ravel()], 1).astype(np.float32)
    first = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)[None]).ravel()
    faces = np.concatenate([np.stack([first, first + 1, first + n], 1), np.stack([first + 1, first + n + 1, first + n], 1)]).astype(np.int32)
    down = np.tile(np.array([0, 0, -1], np.float32), (20_000, 1))
    total = 0
    with client_task.measured():
        for k in range(20):
            scene = rtcore_scene.EmbreeScene()
            TriangleMesh(scene, corners, faces)
            origins = np.random.RandomState(k).rand(20_000, 3).astype(np.float32) * n
            origins[:, 2] = 100
            total += int(scene.run(origins, down).astype(np.int64).sum())
    print(total)


client_task.client(run)
