# SPDX-License-Identifier: Apache-2.0
"""vdb_render: rays through a level set that OpenVDB's Python module has made."""
import hashlib
import pathlib
import tempfile

import client_task


def prepare(folder):
    import pyopenvdb as vdb
    grid = vdb.createLevelSetSphere(radius=20, voxelSize=0.05, halfWidth=3)
    vdb.write(str(pathlib.Path(folder) / "sphere.vdb"), grids=[grid])


def run(folder):
    with tempfile.TemporaryDirectory() as scratch:
        image = pathlib.Path(scratch) / "image.ppm"
        client_task.command("vdb_render", pathlib.Path(folder) / "sphere.vdb", image, "-res", "1600x1200", "-samples", 12 * client_task.times(),
                         "-translate", "0,0,70", "-shader", "diffuse")
        print(hashlib.sha256(image.read_bytes()).hexdigest()[:16])


client_task.client(run, prepare)
