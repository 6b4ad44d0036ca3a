# SPDX-License-Identifier: Apache-2.0
"""Which rows of bench/threads/suite.toml predict.py predicts: all that not_predicted.toml doesn't give a reason for."""
import functools
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/harness"))

import suite  # noqa: E402  pylint: disable=wrong-import-position

THREADS = ROOT / "bench/threads"
LEFT_OUT = pathlib.Path(__file__).with_name("not_predicted.toml")
COUNTS = [4, 8, 16, 32, 64]


def reasons():
    """[(rows, why they are not predicted)]."""
    return [(group["rows"], group["why"]) for group in tomllib.loads(LEFT_OUT.read_text(encoding="utf-8"))["group"]]


def all_rows():
    return suite.load(THREADS).rows


@functools.cache
def rows():
    """By name, in the suite's order."""
    left_out = {row for group, _ in reasons() for row in group}
    return {row.id: row for row in all_rows() if row.id not in left_out}


def makespans(among):
    """The names of those that are told as a share of the ideal."""
    return [name for name, row in among.items() if row.unit == "x ideal"]


def cells(among, counts=None):
    """With so many threads, or 4 to 64, as far as the suite has them."""
    return [(name, threads) for name, row in among.items() for threads in counts or COUNTS if threads in row.threads]


def unit(row):
    """Each value of `waking` has a unit of its own."""
    return "us" if row.value == "last" else row.unit
