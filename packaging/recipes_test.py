#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the recipes with their clients, as far as these are installed: Conan (`conan create`), Meson (a project with this tree as a
subproject), CPack (an archive, unpacked and used). Clients that are missing are named; 77 if all are."""
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "docs/samples/01_loop.cpp"
ANSWER = "the root of 625 is 25\n"
SMALL = [f"-DASHLAR_{name}=OFF" for name in ("BUILD_TESTS", "BUILD_BENCH", "BUILD_SIM", "BUILD_DEBUG_LIBRARY", "COMPAT12")]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"$ {' '.join(str(c) for c in command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def conan(work):
    environment = {**os.environ, "CONAN_HOME": str(work / "home")}
    run("conan", "profile", "detect", env=environment)
    said = run("conan", "create", ROOT / "packaging/conan", "--build=missing", env=environment)
    return "the root of 625 is 25" in said or "loop" in said


def meson(work):
    (work / "subprojects").mkdir()
    (work / "subprojects/ashlar").symlink_to(ROOT)
    shutil.copy(ROOT / "packaging/meson/ashlar.wrap", work / "subprojects")
    shutil.copy(PROGRAM, work / "loop.cpp")
    (work / "meson.build").write_text("project('user', 'cpp', default_options: ['cpp_std=c++17'])\n"
                                      "executable('loop', 'loop.cpp', dependencies: dependency('tbb'))\n")
    run("meson", "setup", work / "build", cwd=work)
    run("ninja", "-C", work / "build")
    return run(work / "build/loop") == ANSWER


def cpack(work):
    run("cmake", "-S", ROOT, "-B", work / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *SMALL)
    run("cmake", "--build", work / "build", "--target", "package")
    archive = next((work / "build").glob("ashlar-*.tar.gz"))
    with tarfile.open(archive) as packed:
        packed.extractall(work / "unpacked", filter="tar")
    prefix = next((work / "unpacked").iterdir())
    run("g++", "-std=c++17", PROGRAM, f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-ltbb", "-o", work / "loop")
    return run(work / "loop") == ANSWER


def main():
    chosen = sys.argv[1:] or ["cpack", "meson", "conan"]
    passed, failed = 0, 0
    for name in chosen:
        client = {"cpack": "cpack", "meson": "meson", "conan": "conan"}[name]
        if not shutil.which(client):
            print(f"{name}: skipped, {client} is not installed")
            continue
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
            try:
                right, why = {"cpack": cpack, "meson": meson, "conan": conan}[name](Path(folder)), "the program's answer is wrong"
            except RuntimeError as error:
                right, why = False, str(error)
        print(f"{name}: {'ok' if right else 'FAILED: ' + why}")
        passed, failed = passed + right, failed + (not right)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
