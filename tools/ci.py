#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The jobs of continuous integration, each of which runs here as it runs on a host: ./dev ci JOB.

Without JOB it lists the jobs with their steps. A job's steps run one after the other; the first that fails ends the job with its code. As
root ./dev installs the Debian packages that the jobs need."""
import argparse
import dataclasses
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORES = str(len(os.sched_getaffinity(0)))
SLOTS = str(4 * int(CORES) + 2)  # of CTest: tests/weights.cmake
BUILD_PACKAGES = ("g++", "cmake", "ninja-build", "python3-venv", "git", "doctest-dev", "pkg-config")
SIM_PACKAGES = ("libcli11-dev", "libdw-dev", "libfmt-dev", "nlohmann-json3-dev")
# clang 19 dislikes what std::inplace_merge of libstdc++ 12 uses; warnings are errors else.
CLANG_FLAGS = "-Wno-deprecated-declarations"

CHECKOUTS = (f"-DASHLAR_STDEXEC={ROOT}/build/checkouts/stdexec", f"-DASHLAR_BEMAN={ROOT}/build/checkouts/beman_execution")


@dataclasses.dataclass(frozen=True)
class Step:
    title: str
    command: tuple
    environment: tuple = ()


@dataclasses.dataclass(frozen=True)
class Job:
    what: str
    packages: tuple
    steps: tuple


def headers(compiler, standards, *flags):
    """Every public header in each language version and dialect."""
    return Step(f"headers in C++ {', '.join(standards)}",
                (sys.executable, "tests/headers/standards.py", compiler, ",".join(standards), *(f"--flag={flag}" for flag in flags)))


def built(name, *options, targets=("unit_tests", "examples", "samples"), labels="unit|example|sample", preset="dev"):
    """The library, tests and programs in a build folder of their own."""
    folder = f"build/ci-{name}"
    goals = [word for target in targets for word in ("--target", target)]
    return (Step("configure", ("cmake", "--preset", preset, "-B", folder, *options)),
            Step("build", ("cmake", "--build", folder, "-j", CORES, *goals)),
            Step("unit tests", ("ctest", "--test-dir", folder, "-j", SLOTS, "--output-on-failure", "-L", f"^({labels})$")))


def clang(version, libcxx):
    options, flags, packages = [f"-DCMAKE_CXX_COMPILER=clang++-{version}"], [CLANG_FLAGS], [f"clang-{version}"]
    name = f"clang-{version}"
    if libcxx:
        # The simulator's libraries are compiled with libstdc++.
        options += ["-DASHLAR_BUILD_SIM=OFF"]
        flags += ["-stdlib=libc++", "-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_DEBUG"]
        packages += [f"libc++-{version}-dev", f"libc++abi-{version}-dev"]
        name += "-libc++"
    options.append(f"-DCMAKE_CXX_FLAGS={' '.join(flags)}")
    if libcxx and version == 22:
        # Debian 12 has libc++ 22's headers with the library of libc++ 19, which lacks functions that they call: nothing links.
        return Job("clang 22 with libc++: headers in C++17 to 26", (*BUILD_PACKAGES, *packages),
                   (headers(f"clang++-{version}", ("17", "20", "23", "26"), *flags),))
    warnings = Step("warnings", (sys.executable, "tests/headers/warnings.py", ".", f"build/ci-{name}/forwarding"), (("CXX", f"clang++-{version}"),))
    return Job(f"clang {version} with {'hardened libc++' if libcxx else 'libstdc++'}: headers in C++17 to 26, library, unit tests, examples",
               (*BUILD_PACKAGES, *(() if libcxx else SIM_PACKAGES), *packages),
               (headers(f"clang++-{version}", ("17", "20", "23", "26"), *flags), *built(name, *options), *(() if libcxx else (warnings,))))


def sanitizer(preset, what):
    environment = ()
    if preset == "asan":
        environment = (("ASAN_OPTIONS", "detect_stack_use_after_return=0:strict_string_checks=1"), ("UBSAN_OPTIONS", "print_stacktrace=1"))
    else:
        environment = (("TSAN_OPTIONS", "halt_on_error=1:second_deadlock_stack=1"),)
    configure, build, tests = built(preset, targets=("unit_tests",), labels="unit", preset=preset)
    return Job(f"the unit tests with {what}", (*BUILD_PACKAGES, "libdw-dev"), (configure, build, dataclasses.replace(tests, environment=environment)))


JOBS = {
    "tests": Job("everything that ./dev test runs, with g++ 12", (*BUILD_PACKAGES, *SIM_PACKAGES, "abigail-tools", "libopenmpi-dev", "openmpi-bin"),
                 (Step("tests", ("bash", ".ci/run")),)),
    "gcc-12": Job("g++ 12: headers in C++17 to 23, library, unit tests, examples", (*BUILD_PACKAGES, *SIM_PACKAGES, "g++-12"),
                  (headers("g++-12", ("17", "20", "23")), *built("gcc-12", "-DCMAKE_CXX_COMPILER=g++-12"))),
    "clang-19": clang(19, False),
    "clang-19-libc++": clang(19, True),
    "clang-22": clang(22, False),
    "clang-22-libc++": clang(22, True),
    "asan": sanitizer("asan", "AddressSanitizer and UBSan"),
    "tsan": sanitizer("tsan", "ThreadSanitizer"),
    "senders": Job("senders of std::execution: stdexec with g++ 12, stdexec and beman.execution with clang 22", (*BUILD_PACKAGES, *SIM_PACKAGES, "clang-22"),
                   (*(Step(f"checkout of {name}", (sys.executable, "tools/checkout.py", name, f"build/checkouts/{name}"))
                      for name in ("stdexec", "beman_execution")),
                    *built("senders-gcc", *CHECKOUTS, targets=("senders_tests",), labels="senders|example_senders"),
                    *built("senders-clang", *CHECKOUTS, "-DCMAKE_CXX_COMPILER=clang++-22", f"-DCMAKE_CXX_FLAGS={CLANG_FLAGS}",
                           targets=("senders_tests",), labels="senders|example_senders"))),
    "aarch64": Job("64-bit Arm: cross build, unit and stress tests in qemu-user", (*BUILD_PACKAGES, "g++-aarch64-linux-gnu", "qemu-user"),
                   (Step("configure", ("cmake", "--preset", "aarch64")),
                    Step("build", ("cmake", "--build", "--preset", "aarch64", "-j", CORES, "--target", "unit_tests", "--target", "stress_tests")),
                    Step("tests in qemu", ("ctest", "--preset", "aarch64", "-j", SLOTS)))),
    "packages": Job("the package recipes, and Debian packages in a fresh root", (*BUILD_PACKAGES, *SIM_PACKAGES, "meson", "mmdebstrap"),
                    (Step("recipes", (sys.executable, "packaging/recipes_test.py")),
                     Step("Debian packages", (sys.executable, "packaging/debian_test.py")))),
    "documentation": Job("the site, and the checks of what documents say", (*BUILD_PACKAGES, *SIM_PACKAGES, "doxygen"),
                         (Step("configure", ("cmake", "--preset", "dev", "-B", "build/ci-documentation")),
                          Step("checks", ("ctest", "--test-dir", "build/ci-documentation", "--output-on-failure", "-R",
                                          r"^style\.(documents|names|commands|sentences|named_tests|sched_lines|environment|glossary|samples|contents|figures)$")),
                          Step("site", ("./dev", "docs")))),
    "style": Job("what ./dev lint checks", BUILD_PACKAGES, (Step("lint", ("./dev", "lint")),)),
}
SKIPPED = 77  # the exit code of a test that can't run here, and says why


def packages_of(names):
    """The Debian packages that the jobs need."""
    return sorted({package for name in names if name in JOBS for package in JOBS[name].packages})


def show():
    for name, job in JOBS.items():
        print(f"{name:<16} {job.what}\n{'':<16} {', '.join(step.title for step in job.steps)}")


def run_job(name, words, dry):
    for step in JOBS[name].steps:
        if words and not any(word in step.title for word in words):
            continue
        line = shlex.join([*(f"{key}={value}" for key, value in step.environment), *step.command])
        print(line if dry else f"ci: {name}, {step.title}: {line}", flush=True)
        if dry:
            continue
        start = time.monotonic()
        code = subprocess.run(step.command, cwd=ROOT, env={**os.environ, **dict(step.environment)}, check=False).returncode
        verdict = "ok" if code == 0 else "skipped" if code == SKIPPED else f"failed ({code})"
        print(f"ci: {name}, {step.title}: {verdict}, {time.monotonic() - start:.0f} s", flush=True)
        if code not in (0, SKIPPED):
            return code
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev ci", description=__doc__, epilog=f"jobs: {', '.join(JOBS)}", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB")
    parser.add_argument("--steps", default="", metavar="WORD", help="only the steps whose titles hold one of the words, as headers or build,unit")
    parser.add_argument("--dry-run", action="store_true", help="print the commands, and run none")
    parser.add_argument("--packages", action="store_true", help=argparse.SUPPRESS)  # asked by ./dev, which installs them
    options = parser.parse_args(arguments)
    unknown = [name for name in options.jobs if name not in JOBS]
    if unknown:
        parser.error(f"there is no job {' '.join(unknown)}. There are: {', '.join(JOBS)}")
    if options.packages:
        print("" if options.dry_run else " ".join(packages_of(options.jobs)))
        return 0
    if not options.jobs:
        show()
    codes = [run_job(name, [word for word in options.steps.split(",") if word], options.dry_run) for name in options.jobs]
    return next((code for code in codes if code), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
