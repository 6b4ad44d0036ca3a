# SPDX-License-Identifier: Apache-2.0
"""Open3D: neighbours of points, and a voxel grid of them."""
import client_task
import numpy as np
import open3d as o3d


def run(_):
    points = np.random.default_rng(1).uniform(0, 10, (150_000, 3)).astype(np.float32)
    places = o3d.core.Tensor(points)

    def work():
        search = o3d.core.nns.NearestNeighborSearch(places)
        search.knn_index()
        near, distances = search.knn_search(places, 16)
        search.fixed_radius_index(0.2)
        found, _, rows = search.fixed_radius_search(places, 0.2)
        grid = o3d.t.geometry.PointCloud(places).voxel_down_sample(0.25)
        return (int(near.numpy()[:, 1:].sum()), f"{distances.numpy().sum(dtype=np.float64):.3f}", len(found.numpy()), int(rows.numpy()[-1]),
                len(grid.point.positions))
    print(*client_task.repeated(3, work))


client_task.client(run)
