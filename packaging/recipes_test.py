#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the recipes with their clients, as far as these are installed: Conan (`conan create`), Meson (a project with this tree as a
subproject), Bazel (a project with this tree as a repository), CPack (an archive, unpacked and used). Clients that are missing are named;
77 if all are. Of the conda recipe the commands are run, which needs no client."""
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "docs/samples/01_loop.cpp"
ANSWER = "the root of 625 is 25\n"
# Bazel's registry may be out of reach; the rules that we and Bazel's own files take from there are in Bazel 4 to 7 itself.
RULES = {"rules_cc/cc": ("cc_library", "cc_binary", "cc_test", "cc_import", "cc_toolchain", "cc_toolchain_suite", "cc_toolchain_alias", "cc_libc_top_alias"),
         "rules_java/java": ("java_binary", "java_import", "java_library", "java_package_configuration", "java_plugin", "java_runtime", "java_test",
                             "java_toolchain")}
REPLACED = """#include <tbb/scalable_allocator.h>
#include <cstdlib>
int main() {
  void* const p = std::malloc(100);
  std::size_t const size = scalable_msize(p);  // 0 if the memory is the C library's
  std::free(p);
  return size >= 100 ? 0 : 1;
}
"""
SMALL = [f"-DASHLAR_{name}=OFF" for name in ("BUILD_TESTS", "BUILD_BENCH", "BUILD_SIM", "BUILD_DEBUG_LIBRARY", "COMPAT12")]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise RuntimeError(f"$ {' '.join(str(c) for c in command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def conan(work):
    environment = {**os.environ, "CONAN_HOME": str(work / "home")}
    run("conan", "profile", "detect", env=environment)
    # Without a remote: the package needs no other, and Conan's own registry may be out of reach.
    said = run("sh", "-c", f"conan create {ROOT / 'packaging/conan'} --build=missing --no-remote 2>&1", env=environment)
    # One kind alone can't be had, so the recipe has no option for it.
    options = json.loads(run("conan", "inspect", ROOT / "packaging/conan", "--format=json", env=environment)).get("options")
    return said.count(ANSWER) == 2 and not options


def meson(work):
    (work / "subprojects").mkdir()
    (work / "subprojects/ashlar").symlink_to(ROOT)
    shutil.copy(ROOT / "packaging/meson/ashlar.wrap", work / "subprojects")
    shutil.copy(PROGRAM, work / "loop.cpp")
    (work / "meson.build").write_text("project('user', 'cpp', default_options: ['cpp_std=c++17'])\n"
                                      "executable('loop', 'loop.cpp', dependencies: dependency('tbb', version: '>=2023'))\n"
                                      "executable('own', 'loop.cpp', dependencies: dependency('ashlar', version: '<2000'))\n"
                                      "executable('replaced', 'replaced.cpp', dependencies: dependency('tbbmalloc_proxy'))\n")
    (work / "replaced.cpp").write_text(REPLACED)
    run("meson", "setup", work / "build", cwd=work)
    run("ninja", "-C", work / "build")
    run(work / "build/replaced")
    return run(work / "build/loop") == ANSWER


def bazel(work):
    repository = work / "ashlar"
    for folder in ("include", "src"):
        shutil.copytree(ROOT / folder, repository / folder)
    shutil.copy(ROOT / "BUILD.bazel", repository)
    (repository / "WORKSPACE").touch()
    for folder, rules in RULES.items():
        (work / folder).mkdir(parents=True)
        (work / folder / "defs.bzl").write_text("".join(f"def {rule}(**arguments):\n    native.{rule}(**arguments)\n\n" for rule in rules))
        (work / folder / "BUILD").touch()
        (work / folder).with_name("WORKSPACE").touch()
    (work / "WORKSPACE").write_text("".join(f'local_repository(name = "{name}", path = "{name}")\n' for name in ("ashlar", "rules_cc", "rules_java")))
    (work / ".bazelignore").write_text("ashlar\nrules_cc\nrules_java\nout\n")
    (work / "BUILD").write_text('cc_binary(name = "loop", srcs = ["loop.cpp"], copts = ["-std=c++17"], deps = ["@ashlar//:tbb", "@ashlar//:tbbmalloc"])\n'
                                'cc_binary(name = "replaced", srcs = ["replaced.cpp"], copts = ["-std=c++17"], deps = ["@ashlar//:tbbmalloc_proxy"])\n')
    (work / "replaced.cpp").write_text(REPLACED)
    shutil.copy(PROGRAM, work / "loop.cpp")
    start = ["bazel", f"--output_user_root={work / 'out'}", "--batch"]
    try:
        run(*start, "build", f"--jobs={os.cpu_count()}", "--compilation_mode=opt", "//:loop", "//:replaced", cwd=work)
        run(work / "bazel-bin/replaced")
        return run(work / "bazel-bin/loop") == ANSWER
    finally:
        # Bazel takes the right to write from what it makes.
        subprocess.run(["chmod", "-R", "u+w", work / "out"], check=False)


def cpack(work):
    run("cmake", "-S", ROOT, "-B", work / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *SMALL)
    run("cmake", "--build", work / "build", "--target", "package")
    archive = next((work / "build").glob("ashlar-*.tar.gz"))
    with tarfile.open(archive) as packed:
        if staged := [name for name in packed.getnames() if str(work) in name]:
            raise RuntimeError(f"the archive has {staged[0]}, a path of the machine that made it")
        packed.extractall(work / "unpacked", filter="tar")
    prefix = next((work / "unpacked").iterdir())
    run("g++", "-std=c++17", PROGRAM, f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-ltbb", "-o", work / "loop")
    return run(work / "loop") == ANSWER


def conda(work):
    """What conda-build would run in a copy of the tree: the recipe's script and its test."""
    recipe = (ROOT / "packaging/conda/meta.yaml").read_text()

    def commands(key):
        block = re.search(rf"^  {key}:\n((?:    .*\n)+)", recipe, re.M)[1]
        return [" ".join(command.split()) for command in re.split(r"^    - ", block, flags=re.M)[1:]]

    for folder in ("cmake", "debugger", "include", "src", "tools"):
        shutil.copytree(ROOT / folder, work / "source" / folder)
    for file in ("CMakeLists.txt", "LICENSE"):
        shutil.copy(ROOT / file, work / "source")
    prefix = work / "prefix"
    for command in commands("script") + commands("commands"):
        run("sh", "-c", command, cwd=work / "source", env={**os.environ, "PREFIX": str(prefix)})
    run("g++", "-std=c++17", PROGRAM, f"-I{prefix}/include/ashlar", f"-L{prefix}/lib/ashlar", f"-Wl,-rpath,{prefix}/lib", "-ltbb", "-o", work / "loop")
    return run(work / "loop") == ANSWER


CLIENTS = {"cpack": cpack, "meson": meson, "conan": conan, "bazel": bazel, "conda": conda}
WITHOUT_CLIENT = {"conda"}


def main():
    chosen = sys.argv[1:] or CLIENTS
    passed, failed = 0, 0
    for name in chosen:
        if name not in WITHOUT_CLIENT and not shutil.which(name):
            print(f"{name}: skipped, its client is not installed")
            continue
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder:
            try:
                right, why = CLIENTS[name](Path(folder)), "the program's answer is wrong"
            except RuntimeError as error:
                right, why = False, str(error)
        print(f"{name}: {'ok' if right else 'FAILED: ' + why}")
        passed, failed = passed + right, failed + (not right)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
