# SPDX-License-Identifier: Apache-2.0
"""Where result files go, how they are written and read. Their text is JSON; a file whose name ends with .gz holds the text packed."""
import gzip
import json
import os
import pathlib
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def write(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=None, separators=(",", ":")) + "\n"
    # Where the tree lies on this machine says nothing, and differs from run to run.
    data = text.replace(f"{ROOT}{os.sep}", "").encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def read_text(path, largest=-1):
    """The text of a result file; ValueError if it is longer than `largest` bytes, or no packed file although its name says so."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data = file.read(largest + 1 if largest >= 0 else -1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(str(error)) from error
    if 0 <= largest < len(data):
        raise ValueError(f"it is longer than {largest} bytes")
    return data.decode()


def read(path):
    """The document of a result file."""
    return json.loads(read_text(path))


def paths(root=ROOT, name="*", machine="*"):
    """The stored results' files, of all suites or of those whose names end so."""
    return sorted((root / "bench" / "results").glob(f"{machine}/*-{name}-*.json.gz"))


def path_for(document, root=ROOT):
    """bench/results/<machine>/<date>-<suite>-<commit>.json.gz"""
    date = document["date"].replace("-", "").replace(":", "")
    file = f"{date}-{document['suite']}-{document['commit'].replace('+', '-changed')}.json.gz"
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
