# SPDX-License-Identifier: Apache-2.0
"""Open Image Denoise: a noisy image with its albedo and normals, in two qualities."""
import client_task
import numpy as np
import pyoidn


def run(_):
    generator = np.random.default_rng(1)
    y, x = np.mgrid[0:540, 0:960].astype(np.float32)
    clean = np.stack([np.sin(x / 40) * np.cos(y / 30), np.sin((x + y) / 60), np.cos(x * y / 20_000)], -1) * 0.4 + 0.5
    color = (clean + generator.normal(scale=0.2, size=clean.shape)).astype(np.float32)
    normal = np.zeros_like(color)
    normal[..., 2] = 1

    def work():
        sums = []
        for quality in ("fast", "high"):
            for _ in range(2):
                better = pyoidn.denoise(color, albedo=clean.astype(np.float32), normal=normal, quality=quality)
            sums.append(float(np.asarray(better, dtype=np.float64).sum()))
        return [f"{s:.2f}" for s in sums]
    print(*client_task.repeated(1, work))


client_task.client(run)
