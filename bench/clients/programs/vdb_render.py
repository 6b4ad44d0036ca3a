# SPDX-License-Identifier: Apache-2.0
"""vdb_render: rays through a level set that OpenVDB's Python module has made."""
import hashlib
import pathlib
import tempfile

import measured


def prepare(folder):
    import numpy as np
    import pyopenvdb as vdb
    n = 200
    a, b = np.meshgrid(np.linspace(0.01, np.pi - 0.01, n), np.linspace(0, 2 * np.pi, n, endpoint=False), indexing="ij")
    r = 20 + 2 * np.sin(7 * a) * np.sin(6 * b)
    points = np.stack([r * np.sin(a) * np.cos(b), r * np.sin(a) * np.sin(b), r * np.cos(a)], -1).reshape(-1, 3).astype(np.float32)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(n - 1), np.arange(n), indexing="ij"))
    quads = np.stack([i * n + j, (i + 1) * n + j, (i + 1) * n + (j + 1) % n, i * n + (j + 1) % n], 1).astype(np.uint32)
    grid = vdb.FloatGrid.createLevelSetFromPolygons(points, quads=quads, transform=vdb.createLinearTransform(0.2), halfWidth=3.0)
    grid.name = "waves"
    vdb.write(str(pathlib.Path(folder) / "waves.vdb"), grids=[grid])


def run(folder):
    with tempfile.TemporaryDirectory() as scratch:
        image = pathlib.Path(scratch) / "image.ppm"
        measured.command("vdb_render", pathlib.Path(folder) / "waves.vdb", image, "-res", "1600x1200", "-samples", "12",
                         "-translate", "0,0,70", "-shader", "diffuse")
        print(hashlib.sha256(image.read_bytes()).hexdigest()[:16])


measured.client(run, prepare)
