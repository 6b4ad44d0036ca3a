# SPDX-License-Identifier: Apache-2.0
"""Figures 10 to 15 of the 2007 paper from result files of this suite, drawn and judged as ./dev paper does it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "paper"))

import chapters  # noqa: E402  pylint: disable=wrong-import-position


def parts(documents):
    return chapters.parts_of_source("itj", ("allocators", "tree_sum"), "foundations", "Allocators and tree_sum of the 2007 paper", documents)
