# SPDX-License-Identifier: Apache-2.0
"""mathicgb: a Groebner basis with parallel matrix reduction (cyclic roots, 8 variables, modulo 32003)."""
import pathlib

import client_task

VARIABLES = 8


def prepare(folder):
    n = VARIABLES
    names = "abcdefgh"[:n]
    sums = ["+".join("".join(names[(i + k) % n] for k in range(degree)) for i in range(n)) for degree in range(1, n)]
    (pathlib.Path(folder) / "cyclic.ideal").write_text(f"32003\n{n}\n1\n" + " ".join("1" * n) + f"\n{n}\n"
                                                       + "\n".join([*sums, names + "-1"]) + "\n", encoding="ascii")


def run(folder):
    client_task.command("mgb", "gb", pathlib.Path(folder) / "cyclic", "-threadCount", 2, "-reducer", 26, "-outputResult", "on")
    print(len((pathlib.Path(folder) / "cyclic.gb").read_text(encoding="ascii").split()))


client_task.client(run, prepare)
