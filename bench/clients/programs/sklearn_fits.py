# SPDX-License-Identifier: Apache-2.0
"""scikit-learn with Intel's extension (oneDAL): clusters, nearest neighbours, a forest, principal components."""
import client_task
import numpy as np
from sklearnex.cluster import KMeans
from sklearnex.decomposition import PCA
from sklearnex.ensemble import RandomForestClassifier
from sklearnex.neighbors import NearestNeighbors


def run(_):
    generator = np.random.default_rng(1)
    centres = generator.normal(size=(20, 16)) * 8
    points = np.concatenate([centre + generator.normal(size=(5000, 16)) for centre in centres])
    labels = np.repeat(np.arange(20) % 4, 5000)

    def work():
        means = KMeans(20, init=centres + 0.5, n_init=1, max_iter=50).fit(points)
        near = NearestNeighbors(n_neighbors=5, algorithm="kd_tree").fit(points).kneighbors(points[::50], return_distance=False)
        forest = RandomForestClassifier(30, max_depth=10, random_state=3).fit(points[::5], labels[::5])
        parts = PCA(4, svd_solver="full").fit(points)
        score = round(float(forest.score(points[::10], labels[::10])), 2)
        return np.bincount(means.labels_).tolist(), int(near.sum()), score, np.round(parts.explained_variance_ratio_, 4).tolist()
    print(*client_task.repeated(3, work))


client_task.client(run)
