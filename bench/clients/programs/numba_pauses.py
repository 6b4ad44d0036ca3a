# SPDX-License-Identifier: Apache-2.0
"""One small parallel loop a millisecond, as a control program or a game has: what the pauses cost."""
import time

import client_task
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def small(a):
    for i in prange(a.size):
        a[i] += 1.0


def run(_):
    a = np.zeros(256)
    small(a)
    with client_task.measured():
        for _ in range(1500):
            small(a)
            time.sleep(0.001)
    print(a.sum())


client_task.client(run)
