# SPDX-License-Identifier: Apache-2.0
"""Figures 6 to 9 of the 2007 paper from result files of the kernels, drawn and judged as ./dev paper does it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "paper"))

import chapters  # noqa: E402  pylint: disable=wrong-import-position


def parts(documents):
    known = [f"kernels-{number}" for number in (6, 7, 8, 9)]
    return chapters.parts_of_source("itj", known, "kernels", "The four programs of the 2007 paper", documents)
