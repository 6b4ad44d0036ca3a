# SPDX-License-Identifier: Apache-2.0
"""What the judge told of the programs of the first seeds, as digests: answers.txt, so that a short run needs no other library.

A line for each seed, in their order. `differ.py OURS PEER --record N` writes them, and leaves out (-) what the judge itself does not
decide; they belong to programs.py and the interpreter as they are, so that a change to either asks for others."""
import hashlib
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent


def file(classic):
    return HERE / ("answers_classic.txt" if classic else "answers.txt")


def normal(kind, told, rules):
    """The lines that must be equal."""
    patterns = [rule["peer"] for rule in rules.all.values() if "peer" in rule and kind in rule["kinds"]]
    return [line for line in told if not line.startswith("~") and not any(re.fullmatch(pattern, line) for pattern in patterns)]


def digest(kind, runs, rules):
    lines = [normal(kind, run["told"], rules) for run in runs]
    return hashlib.sha256(json.dumps(lines).encode()).hexdigest()[:12]


def read(path):
    return path.read_text(encoding="ascii").split()


def write(found, path):
    path.write_text("\n".join(found) + "\n", encoding="ascii")
