# SPDX-License-Identifier: Apache-2.0
"""Dense linear algebra of MKL with its TBB threading layer: products, a solution, a Cholesky factor."""
import ctypes
import glob
import os

import client_task
import numpy as np


def address(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def run(_):
    library, = glob.glob(os.path.join(os.environ["CLIENT"], "lib", "libmkl_rt.so.*"))
    mkl = ctypes.CDLL(library)
    n, rows = 1200, 101
    random = np.random.RandomState(1)
    a, b, c = random.rand(n, n), random.rand(n, n), np.zeros((n, n))
    symmetric = a @ a.T + n * np.eye(n)
    one, zero = ctypes.c_double(1), ctypes.c_double(0)
    with client_task.measured():
        for _ in range(6):
            mkl.cblas_dgemm(rows, 111, 111, n, n, n, one, address(a), n, address(b), n, zero, address(c), n)
        for _ in range(4):
            factors, solution, pivots = symmetric.copy(), b.copy(), np.zeros(n, np.int64)
            mkl.LAPACKE_dgesv(rows, n, n, address(factors), n, address(pivots), address(solution), n)
            cholesky = symmetric.copy()
            mkl.LAPACKE_dpotrf(rows, ctypes.c_char(b"L"), n, address(cholesky), n)
    print(np.allclose(c, a @ b), np.allclose(symmetric @ solution, b), np.allclose(np.tril(cholesky) @ np.tril(cholesky).T, symmetric))
    maps = open("/proc/self/maps", encoding="utf-8").read()
    print("threading layer", "tbb" if "libmkl_tbb_thread" in maps else "another")


client_task.client(run)
