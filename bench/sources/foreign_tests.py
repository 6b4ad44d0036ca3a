# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the test of a foreign code base with a library: a shell script in sources.toml that finds its places in the
environment and whose exit code tells."""
import os
import subprocess
import tempfile

SECONDS = 600


def environment(code, entry, folders, library, cache):
    tree, unit = code
    packages = [cache.debian_files(name)[0] for name in entry.get("test_needs", [])]
    libraries = [str(folder) for package in packages for folder in (*package.glob("usr/lib/*-linux-gnu"), package / "usr/lib") if folder.is_dir()]
    standard = library.standard(entry.get("standard", 17))
    flags = [standard, "-O1", "-w", "-fpermissive", "-pthread", f"-I{library.include}", *folders, *entry.get("flags", []),
             *(f"-idirafter{package / 'usr/include'}" for package in packages)]
    links = [f"-L{library.lib}", f"-Wl,-rpath,{library.lib}", *(f"-L{folder}" for folder in libraries),
             *(f"-Wl,-rpath,{folder}" for folder in libraries), "-ltbb", "-ltbbmalloc"]
    return {**os.environ, "TREE": str(tree), "UNIT": str(unit), "TBB_ROOT": str(library.lib.parent), "FLAGS": " ".join(flags), "LINK": " ".join(links)}


def run_with(name, entry, code, folders, library, cache):
    """None, or the last line of what went wrong."""
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as work:
        try:
            done = subprocess.run(["bash", "-e", "-c", entry["test"]], cwd=work, capture_output=True, text=True, errors="replace",
                                  check=False, timeout=SECONDS, env=environment(code, entry, folders, library, cache))
        except subprocess.TimeoutExpired:
            return f"took more than {SECONDS} s"
    if done.returncode == 0:
        return None
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return f"exit code {done.returncode}: " + next((line for line in lines if "error" in line), lines[-1] if lines else "no message")[:300]


def run(name, entry, code, folders, libraries, cache):
    """With ours and with the peer that the code is written for."""
    wanted = ("ashlar", entry.get("test_peer", "onetbb"))
    return {library.name: run_with(name, entry, code, folders, library, cache) for library in libraries if library.name in wanted}
