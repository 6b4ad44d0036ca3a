# SPDX-License-Identifier: Apache-2.0
"""Compiles the interpreter for a peer, into build/differ: one object for each source, made again when it or a header has changed."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "bench" / "harness"))
import peers  # noqa: E402

STANDARD = {"onetbb": ["-std=c++20"], "tbb2020": ["-std=c++17", "-DDIFFER_CLASSIC=1"]}  # TBB 2020's headers know no C++20


def compile_one(command, source, made, newest):
    if made.exists() and made.stat().st_mtime > max(source.stat().st_mtime, newest):
        return
    done = subprocess.run([*command, "-c", str(source), "-o", str(made)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{source.name}: {peers.first_error(done.stderr)}")


def interpreter(name, into=ROOT / "build" / "differ"):
    """The peer's interpreter; raises OSError if it can't be had."""
    peer = peers.resolve([name])[name]
    if peer.missing:
        raise OSError(f"{peer.title}: {peer.missing}")
    folder = into / name
    folder.mkdir(parents=True, exist_ok=True)
    launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER")
    command = [*([launcher] if launcher else []), peer.compiler, *STANDARD[name], "-O1", "-g1", "-Wno-deprecated-declarations", "-Wno-cpp",
               "-isystem", str(peer.include), f"-I{ROOT / 'tests'}"]
    sources = [*sorted(HERE.glob("*.cpp")), ROOT / "tests/soak/step.cpp"]
    newest = max(header.stat().st_mtime for header in [*HERE.glob("*.h"), ROOT / "tests/soak/step.h"])
    objects = [folder / f"{source.stem}.o" for source in sources]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(compile_one, command, *pair, newest) for pair in zip(sources, objects)]:
            done.result()
    made = folder / "interpreter"
    subprocess.run([peer.compiler, *map(str, objects), f"-L{peer.lib}", f"-Wl,-rpath,{peer.lib}", *peer.flags, "-ltbbmalloc", "-o", str(made)],
                   check=True)
    return made
