# SPDX-License-Identifier: Apache-2.0
"""Parallel loops of numba, and forked children that run some, too."""
import multiprocessing

import client_task
import numpy as np
from numba import njit, prange, threading_layer


@njit(parallel=True)
def reduction(a):
    total = 0.0
    for i in prange(a.size):
        total += np.sqrt(a[i]) * np.sin(a[i])
    return total


@njit(parallel=True)
def stencil(a, b):
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@njit(parallel=True)
def uneven(n):
    counts = np.zeros(n, np.int64)
    for i in prange(n):
        k, steps = i + 1, 0
        while k != 1 and steps < 400:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        counts[i] = steps
    return counts


def child(n):
    return round(reduction(np.arange(n, dtype=np.float64)), 4)


def run(_):
    a = np.arange(2_000_000, dtype=np.float64)
    grid, other = np.random.RandomState(1).rand(1000, 1000), np.zeros((1000, 1000))
    reduction(a[:10]), stencil(grid[:9, :9].copy(), other[:9, :9].copy()), uneven(9)
    with client_task.measured():
        for _ in range(20):
            total = reduction(a)
        for _ in range(50):
            stencil(grid, other)
            stencil(other, grid)
        steps = uneven(400_000).sum()
    print(round(total, 4), round(float(grid.sum()), 6), steps, threading_layer())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(child, [1000, 2000, 3000]))


client_task.client(run)
