# SPDX-License-Identifier: Apache-2.0
"""Level sets of OpenVDB: from meshes to grids and back."""
import client_task
import numpy as np
import pyopenvdb as vdb


def run(_):
    n = 300
    a, b = np.meshgrid(np.linspace(0.01, np.pi - 0.01, n), np.linspace(0, 2 * np.pi, n, endpoint=False), indexing="ij")
    r = 60 + 5 * np.sin(7 * a) * np.sin(6 * b)
    points = np.stack([r * np.sin(a) * np.cos(b), r * np.sin(a) * np.sin(b), r * np.cos(a)], -1).reshape(-1, 3).astype(np.float32)
    i, j = (x.ravel() for x in np.meshgrid(np.arange(n - 1), np.arange(n), indexing="ij"))
    quads = np.stack([i * n + j, (i + 1) * n + j, (i + 1) * n + (j + 1) % n, i * n + (j + 1) % n], 1).astype(np.uint32)
    with client_task.measured():
        for _ in range(3):
            grid = vdb.FloatGrid.createLevelSetFromPolygons(points, quads=quads, transform=vdb.createLinearTransform(0.5), halfWidth=3.0)
            made, faces = grid.convertToQuads()
    print(grid.activeVoxelCount(), len(made), len(faces))


client_task.client(run)
