#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Library: tbb4py 2023.2.0 on tbb 2023.2.0 (PyPI), with Python 3.11
# Expected: Tbb.Pool provides the interface of multiprocessing.Pool (its docstring), and get() raises again the exception
#   that the call raised (the docstring of ApplyResult.get). The caller meets the same object, or at least an equal one:
#   an OSError with its errno, an exception of the program's own with its attributes.
# Seen: get() calls the exception's class once more, with the exception as the only argument. The errno of a
#   FileNotFoundError is None, and an exception whose constructor takes two arguments arrives as a TypeError, so that no
#   except clause for it is met. multiprocessing.pool.ThreadPool hands on both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || exit 77
python3 -m pip download -q --disable-pip-version-check --no-deps tbb4py==2023.2.0 tbb==2023.2.0 || exit 77
for wheel in *.whl; do python3 -m zipfile -e "$wheel" .; done

cat >program.py <<'PYTHON'
import multiprocessing.pool

import tbb


class Refused(Exception):
    def __init__(self, what, code):
        super().__init__(what, code)
        self.code = code


def open_missing():
    open("a file that is not there", encoding="utf-8")


def refuse():
    raise Refused("full", 5)


def told(pool, function):
    try:
        pool.apply_async(function).get()
    except Exception as error:
        return f"{type(error).__name__} {getattr(error, 'errno', getattr(error, 'code', None))}"


for kind in (multiprocessing.pool.ThreadPool, tbb.Pool):
    with kind(1) as pool:
        print(told(pool, open_missing), told(pool, refuse), sep=", ", end="; ")
PYTHON
printed=$(LD_LIBRARY_PATH=tbb-2023.2.0.data/data/lib:tbb4py-2023.2.0.data/data/lib timeout 60 python3 program.py) || printed="$printed, exit code $?"
seen='FileNotFoundError 2, Refused 5; FileNotFoundError None, TypeError None; '
if [[ $printed != "$seen" ]]; then
  echo "changed: '$seen' was seen, now '$printed'"
  exit 1
fi
