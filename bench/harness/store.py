# SPDX-License-Identifier: Apache-2.0
"""Where result files go and how they are written."""
import json
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=None, separators=(",", ":")) + "\n"
    # Where the tree lies on this machine says nothing, and differs from run to run.
    path.write_text(text.replace(f"{ROOT}{os.sep}", ""), encoding="utf-8")


def path_for(document, root=ROOT):
    """bench/results/<machine>/<date>-<suite>-<commit>.json"""
    date = document["date"].replace("-", "").replace(":", "")
    file = f"{date}-{document['suite']}-{document['commit'].replace('+', '-changed')}.json"
    return root / "bench" / "results" / document["machine"]["name"] / file


def check_writable(*paths):
    """Raises OSError, with the file's name, if one of these files could not be written: known before hours of measuring, not
    after. None stands for a file that is not wanted."""
    for path in filter(None, paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        there = path.exists()
        with path.open("a", encoding="utf-8"):
            pass
        if not there:
            path.unlink()
