# SPDX-License-Identifier: Apache-2.0
"""The wheel ashlar-tbb, built, installed beside numba, and used."""
import os
import subprocess
import sys

# Versions whose layout the test was written for; numba's own pins choose numpy and llvmlite.
PACKAGES = ["numba==0.68.1", "wheel==0.45.1"]
PROGRAM = """
import sys
import numba
import numpy

@numba.njit(parallel=True)
def count(n):
    total = 0
    for i in numba.prange(n):
        total += i % 7
    return total

print(count(100000), count(1000), numba.threading_layer())
import ashlar
print(len(ashlar.loaded()), all("/ashlar/lib/ashlar-compat/" in path for path in ashlar.loaded()), sys.argv[1:])
"""


class Unavailable(Exception):
    pass


class Mismatch(Exception):
    pass


def run(*command, status=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=600,
                          env={**os.environ, "NUMBA_THREADING_LAYER": "tbb"})
    if done.returncode != status:
        raise Mismatch(f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}exit code {done.returncode}")
    return done.stdout, done.stderr


def environment(folder):
    """A virtual environment with numba and without any libtbb; it is kept."""
    python = folder / "venv/bin/python"
    ready = folder / "ready"
    if not ready.exists() or ready.read_text() != str(PACKAGES):
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder / "venv"], check=True)
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Unavailable(f"{', '.join(PACKAGES)}: {done.stderr.strip().splitlines()[-1]}")
        ready.write_text(str(PACKAGES))
    return python


def works(source, build, folder):
    folder.mkdir(parents=True, exist_ok=True)
    python = environment(folder)
    output = folder / "dist"
    for old in output.glob("*.whl"):
        old.unlink()
    run(python, source / "python/build_wheel.py", build, output)
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", *output.glob("*.whl"))
    program = folder / "program.py"
    program.write_text(PROGRAM)
    wanted = "299995 2997 tbb\n1 True {}\n"

    def gives(text, *command):
        found = run(*command)
        if found[0] != wanted.format(text):
            raise Mismatch(f"{command}\n{found[0]}{found[1]}")
        return found[1]
    # Nothing else here has a libtbb: without us, numba has no such threading layer.
    run(python, program, status=1)
    gives("['a', '--threads']", python, "-m", "ashlar", program, "a", "--threads")
    gives("[]", python, "-m", "ashlar", "--threads", "2", "--", program)
    if "statistics of" not in gives("[]", python, "-m", "ashlar", "--stats", program):
        raise Mismatch("--stats prints nothing")
    gives("[]", python, "-c", f"import ashlar; ashlar.load(); ashlar.load(); exec(open({str(program)!r}).read())")
    gives("[]", python.parent / "ashlar", "run", python, program)
    # It comes too late where another one was loaded.
    refused = run(python, "-c", "import ashlar, ctypes, pathlib, shutil, tempfile\n"
                  "with tempfile.TemporaryDirectory() as folder:\n"
                  "    copy = pathlib.Path(folder) / 'libtbb.so.12'\n"
                  "    shutil.copy(ashlar.LIBRARIES.parent / 'libtbbmalloc-ashlar.so.0', copy)\n"
                  "    ctypes.CDLL(str(copy))\n"
                  "    ashlar.load()", status=1)[1]
    if "is loaded already" not in refused:
        raise Mismatch(refused)
    run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "ashlar-tbb")
    left = [path for path in python.parents[1].rglob("*ashlar*") if path.exists()]
    if left:
        raise Mismatch(f"left behind: {left}")
