# SPDX-License-Identifier: Apache-2.0
"""The figures of sections.py as SVG files: figures.py RESULTS.json DIRECTORY. `./dev bench threads --svg DIRECTORY` calls it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))
import page  # noqa: E402

if __name__ == "__main__":
    sys.exit(page.plot_main([sys.argv[1], "-o", sys.argv[2]]))
