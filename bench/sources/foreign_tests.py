# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the test of a foreign code base with a library: a shell script in sources.toml that finds its places in the
environment and whose exit code tells. Each of its processes has a limit of processor time, which does not depend on what else
the machine does; the limit of the whole script is there for a program that waits for ever."""
import os
import signal
import subprocess
import tempfile

PROCESSOR_SECONDS = 600
SECONDS = 3600
OUT_OF_TIME = 124  # timeout's exit code
OUT_OF_PROCESSOR = (-signal.SIGXCPU, 128 + signal.SIGXCPU)


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
    script = f"ulimit -S -t {PROCESSOR_SECONDS}\n{entry['test']}"
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as work:  # timeout ends what the script has started, too
        done = subprocess.run(["timeout", "--kill-after=10", str(SECONDS), "bash", "-e", "-c", script], cwd=work, capture_output=True,
                              text=True, errors="replace", check=False, env=environment(code, entry, folders, library, cache))
    if done.returncode == OUT_OF_TIME:
        return f"took more than {SECONDS} s"
    if done.returncode in OUT_OF_PROCESSOR:
        return f"took more than {PROCESSOR_SECONDS} s of processor time"
    if done.returncode == 0:
        return None
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return f"exit code {done.returncode}: " + next((line for line in lines if "error" in line), lines[-1] if lines else "no message")[:300]


def run(name, entry, code, folders, libraries, cache):
    """With ours and with the peer that the code is written for."""
    wanted = ("ashlar", entry.get("test_peer", "onetbb"))
    return {library.name: run_with(name, entry, code, folders, library, cache) for library in libraries if library.name in wanted}
