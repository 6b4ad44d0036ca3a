#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of ./dev (which checks the packages first)."""
import difflib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import installed

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
JOBS = str(len(os.sched_getaffinity(0)))
SLOTS = str(4 * int(JOBS) + 2)  # of CTest: tests/weights.cmake
SKIPPED = 77  # the exit code of a test that can't run here, and says why
# What --quick runs: these labels without the tests that take longest for what they find.
QUICK = ["-L", "^(unit|flow|example|sample|style)$", "-E", r"^(style\.(headers|header_cost|visible|warnings|macros)|flow\.(onetbb|tbb2020)|unit\.sim_.*|sim\..*)$"]
SANITIZER_ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=0:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


def refuse_others(name, arguments, known):
    unknown = [a for a in arguments if a not in known]
    if unknown:
        takes = " or ".join(known) or "no arguments"
        sys.exit(f"dev: {name} takes {takes}, not {' '.join(unknown)}; ./dev {name} --help tells more")


def say(text):
    print(f"dev: {text}", flush=True)


def run(*command, **options):
    """Runs a command and returns its code. An interruption is the command's, too, which may have something to save and to
    say; this process ends after it."""
    interrupted = []
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    try:
        with subprocess.Popen([str(c) for c in command], cwd=ROOT, **options) as process:
            code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted:
        sys.exit(130)
    return code


def require(*command):
    code = run(*command)
    if code:
        sys.exit(code)


def ensure_venv(optional=False):
    """Creates .venv with the pinned tools; an optional one may fail to come into being (no network)."""
    stamp = VENV / "installed"
    wanted = (ROOT / "tools/requirements.txt").read_text()
    if stamp.exists() and stamp.read_text() == wanted:
        return True
    say("creating .venv with the tools of tools/requirements.txt")
    network = ["--timeout", "10", "--retries", "1"] if optional else []
    code = run(sys.executable, "-m", "venv", VENV) or run(
        VENV / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *network,
        "-r", "tools/requirements.txt")
    if code == 0:
        stamp.write_text(wanted)
    elif optional:
        say("no .venv; the checks that need its tools are skipped")
    else:
        sys.exit("dev: the tools could not be installed")
    return code == 0


def tools_python():
    """The interpreter that has pip and matplotlib, when it can be had."""
    return VENV / "bin/python" if ensure_venv(optional=True) else Path(sys.executable)


def asking_python(arguments):
    """The same; who asks for a list or for help needs none of its tools, and makes no .venv."""
    return tools_python() if arguments and {"-h", "--help"}.isdisjoint(arguments) else Path(sys.executable)


def configure(preset):
    if (ROOT / "build" / preset / "build.ninja").exists():
        return 0
    say(f"configuring {preset}")
    return run("cmake", "--preset", preset, stdout=subprocess.DEVNULL)


def build(preset, *targets):
    """Configures and builds a preset; returns 0 or the failing command's code."""
    if code := configure(preset):
        return code
    say(f"building {' '.join(targets) or 'all'} in build/{preset}")
    goals = [x for target in targets for x in ("--target", target)]
    return run("cmake", "--build", "--preset", preset, "-j", JOBS, *goals, "--", "-k", "0")


class Tally:
    """Passed, failed and skipped tests over several CTest runs, and what each of them took."""

    SLOWEST = 30

    def __init__(self):
        self.passed, self.failed, self.skipped, self.seconds = 0, [], [], {}

    def add_ctest(self, preset, label, *arguments):
        report = ROOT / "build" / preset / "ctest.xml"
        report.unlink(missing_ok=True)
        run("ctest", "--preset", preset, "-j", SLOTS, "--output-junit", report, *arguments,
            env={**os.environ, **SANITIZER_ENVIRONMENT})
        if not report.exists():
            self.failed.append(f"{label}: ctest did not run")
            return
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            name = f"{label}: {case.get('name')}"
            self.seconds[name] = float(case.get("time") or 0)
            if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
                # A program that was not built counts as failed, a test that skipped itself does not.
                skipped_itself = "SKIP_RETURN_CODE" in ElementTree.tostring(case, encoding="unicode")
                (self.skipped if skipped_itself else self.failed).append(name)
            elif case.get("status") == "fail" or case.find("failure") is not None:
                self.failed.append(name)
            else:
                self.passed += 1

    def add_build(self, preset, code):
        if code:
            self.failed.append(f"{preset}: build")
        return code == 0

    def add_run(self, name, code):
        if code == SKIPPED:
            self.skipped.append(name)
        elif code:
            self.failed.append(name)

    def report_slowest(self):
        """Of all tests those that took longest: seconds, and the share of all that were spent in tests."""
        whole = sum(self.seconds.values())
        slowest = sorted(self.seconds.items(), key=lambda one: -one[1])[:self.SLOWEST]
        if slowest and whole:
            say(f"the slowest of {len(self.seconds)} tests, which took {whole:.0f} s together:")
            print("\n".join(f"{seconds:8.1f} s {seconds / whole:6.1%}  {name}" for name, seconds in slowest), flush=True)

    def report(self):
        for name in self.skipped:
            say(f"SKIPPED {name}")
        for name in self.failed:
            say(f"FAILED  {name}")
        print(f"{self.passed} passed, {len(self.failed)} failed", flush=True)
        return 1 if self.failed else 0


def programs_of(test, command, targets):
    """What a test runs, if that is a program of the build and not a script: the program, and what it is passed of the build."""
    built = [path for word in command if ROOT / "build/dev" in (path := Path(word.partition("=")[2] or word)).parents]
    if built and str(built[0]) == command[0]:
        return [name for path in built if (name := path.stem.removeprefix("lib") if path.suffix == ".so" else path.name) in targets]
    return [target for target in (test.split(".", 1)[-1], test.replace(".", "_")) if target in targets]


def test_named(name):
    """Builds the programs of the tests whose names hold `name`, and runs these tests."""
    if configure("dev"):
        return 1
    listed = subprocess.run(["ctest", "--preset", "dev", "--show-only=json-v1"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    known = {test["name"]: test.get("command", []) for test in json.loads(listed)["tests"]}
    chosen = [test for test in known if name in test]
    if not chosen:
        near = difflib.get_close_matches(name, [test.split(".", 1)[-1] for test in known], 3, 0.4)
        sys.exit(f"dev: no test's name holds '{name}'" + (f"; near: {', '.join(near)}" if near else "")
                 + f". There are: {', '.join(sorted({test.split('.')[0] + '.…' for test in known}))}")
    listing = subprocess.run(["ninja", "-C", ROOT / "build/dev", "-t", "targets", "all"], cwd=ROOT, capture_output=True, text=True,
                              check=False).stdout
    targets = set(re.findall(r"^(\w+): phony", listing, re.M))
    programs = {test: programs_of(test, known[test], targets) for test in chosen}
    wanted = [target for found in programs.values() for target in found]
    # A test that is no program of its own may need any of them.
    everything = any(not found and not test.startswith("style.") for test, found in programs.items())
    if (wanted or everything) and build("dev", *([] if everything else dict.fromkeys(wanted))):
        return 1
    tally = Tally()
    tally.add_ctest("dev", "dev", "-R", "^(" + "|".join(map(re.escape, chosen)) + ")$", "--output-on-failure")
    return tally.report()


def command_docs(arguments):
    """usage: ./dev docs

Builds the documentation site: build/docs/html/index.html. Then lists public names without a page, dead links, and, where
there is node, what newcomers search for and don't find."""
    refuse_others("docs", arguments, ())
    folder = ROOT / "build/docs"
    code = run(sys.executable, "docs/site/build.py", folder) or run(sys.executable, "docs/site/check.py", folder)
    searched = 0 if code else run(sys.executable, "docs/site/search_check.py", folder)
    return code or (0 if searched == 77 else searched)


def command_test(arguments):
    """usage: ./dev test [NAME | --quick | --long]

Builds and runs all tests: in the dev preset, then the unit tests with ThreadSanitizer and AddressSanitizer.
  NAME     builds and runs the tests of the dev preset whose names hold it, as unit_algo, stress_deque or example.pi
  --quick  what finds most faults in a few minutes: unit tests, the flow graph's, examples, samples and the cheap style checks
  --long   also counts the instructions of every public operation and stores them, and runs every test program and
           example with the hang report's watch on, which must stay silent, and the flow graph's tests in full with the
           peers"""
    if len(arguments) == 1 and not arguments[0].startswith("-"):
        return test_named(arguments[0])
    refuse_others("test", arguments, ("--quick", "--long"))
    quick = "--quick" in arguments
    start = time.monotonic()
    tally = Tally()
    ensure_venv(optional=True)
    if tally.add_build("dev", build("dev")):
        tally.add_ctest("dev", "dev", *(QUICK if quick else []))
    for preset in () if quick else ("tsan", "asan"):
        if tally.add_build(preset, build(preset, "unit_tests")):
            tally.add_ctest(preset, preset, "-L", "^unit$")
    if "--long" in arguments:
        tally.add_run("long golden counts", run(sys.executable, "tools/golden.py", "--long", "--store"))
        tally.add_run("silence of the hang report over all tests and examples", run(sys.executable, "tests/hang/silence.py", "--all", "build/dev"))
        tally.add_run("steps that the scheduler's model does not need", run(sys.executable, "tests/model/mutants.py"))
        tally.add_run("documentation site", command_docs([]))
        for peer in ("onetbb", "tbb2020"):
            tally.add_run(f"the flow graph's tests in full with {peer}",
                          run(sys.executable, "tests/flow/peers.py", "--long", peer, ".", "build/dev/flow", "build/dev/tests/libtest_support.a"))
    tally.report_slowest()
    say(f"{time.monotonic() - start:.0f} s")
    return tally.report()


def command_bench(arguments):
    """usage: ./dev bench [NAME [OPTION ...]]

Measures a suite beside its peers; without NAME it lists the suites, and ./dev bench NAME --help tells their options."""
    runner = ROOT / "bench/harness/run.py"
    if not runner.exists():
        sys.exit("dev: bench/harness/run.py is not there; this tree has no benchmarks")
    own = {"kernels": "kernels/figures.py", "characterisation": "characterisation/characterise.py", "victims": "victims/victims.py",
           "history": "history/history.py", "scale": "scale/scale.py", "sources": "sources/sources.py",
           "clients": "clients/clients.py", "sweep": "sweep/sweep.py"}
    python = asking_python(arguments)
    if arguments and arguments[0] in own:
        return run(python, ROOT / "bench" / own[arguments[0]], *arguments[1:])
    return run(python, runner, *arguments)


def command_paper(arguments):
    """usage: ./dev paper [FIGURE ... | --all] [--quick] [OPTION ...]"""
    script = ROOT / "bench/paper/book.py"
    if not script.exists():
        sys.exit("dev: bench/paper/book.py is not there; this tree has no benchmarks")
    return run(asking_python(arguments), script, *arguments)


def command_soak(arguments):
    """usage: ./dev soak [HOURS] [--replay FILE | --store | OPTION ...]
       ./dev soak --memory [HOURS] [OPTION ...]

Runs random programs over the whole interface, a minute long if no HOURS are given. A program that fails is made as small as
possible; --store keeps it, --replay repeats one. Other options are those of tests/soak/soak.py.
  --memory  runs every public construct in four shapes, and fails where memory grows while what lives stays the same: each case for so
            many HOURS, or an hour in all. Curves and drawings go to build/memory, or to --store DIR. Other options are those of
            tests/soak/memory.py"""
    if arguments and arguments[0] == "--memory":
        return soak_memory(arguments[1:])
    seconds = 60.0
    if arguments and re.fullmatch(r"[0-9.]+", arguments[0]):
        seconds, arguments = float(arguments[0]) * 3600, arguments[1:]
    if build("release", "soak"):
        return 1
    return run(sys.executable, "tests/soak/soak.py", "build/release/tests/soak", "--seconds", str(seconds), *arguments)


def soak_memory(arguments):
    limit = ["--total-seconds", "3600"]
    if arguments and re.fullmatch(r"[0-9.]+", arguments[0]):
        limit, arguments = ["--seconds", str(float(arguments[0]) * 3600)], arguments[1:]
    peer = any(argument.split("=")[0] == "--peer" for argument in arguments)
    if not peer and build("release", "soak_memory"):
        return 1
    return run(sys.executable, "tests/soak/memory.py", "build/release/tests/soak_memory", *limit, "--store", "build/memory", *arguments)


def command_differ(arguments):
    """usage: ./dev differ [HOURS] [--classic] [--replay FILE | --record N | OPTION ...]

Runs random programs with this library and with oneTBB 2023.2, a minute long if no HOURS are given, and compares what they tell. A
program that differs is made as small as possible (docs/differences.md). Other options are those of tests/differ/differ.py.
  --classic  in TBB 2020's dialect, with TBB 2020 beside"""
    seconds, classic = 60.0, "--classic" in arguments
    if arguments and re.fullmatch(r"[0-9.]+", arguments[0]):
        seconds, arguments = float(arguments[0]) * 3600, arguments[1:]
    target = "differ_classic" if classic else "differ"
    if build("release", target):
        return 1
    sys.path.insert(0, str(ROOT / "tests/differ"))
    import build as differ_build  # pylint: disable=import-outside-toplevel
    try:
        peer = differ_build.interpreter("tbb2020" if classic else "onetbb")
    except OSError as error:
        sys.exit(f"dev: {error}")
    return run(sys.executable, "tests/differ/differ.py", f"build/release/tests/{target}", peer, "--seconds", str(seconds), *arguments)


def command_findings(arguments):
    """usage: ./dev findings [NAME] [--list]

Runs the scripts of findings/, each of which shows a surprise about another library, and tells which have changed. They fetch pinned
packages, so that a network is needed; CI runs none of them.
  NAME    only the findings whose names hold it
  --list  tells what was seen, and runs nothing"""
    return run(sys.executable, "tools/findings.py", *arguments)


def command_ci(arguments):
    return run(sys.executable, "tools/ci.py", *arguments)


def command_demo(arguments):
    """usage: ./dev demo [OPTION ...]"""
    script = ROOT / "bench/kernels/demo.py"
    if not script.exists():
        sys.exit("dev: bench/kernels/demo.py is not there; this tree has no demonstration")
    return run(sys.executable if {"-h", "--help"} & set(arguments) else tools_python(), script, *arguments)


def command_format(arguments):
    """usage: ./dev format

Formats every C++ file."""
    refuse_others("format", arguments, ())
    ensure_venv()
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cpp"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split()
    return run(VENV / "bin/clang-format", "-i", *files)


def command_lint(arguments):
    """usage: ./dev lint

Style checks, what the documents say, sizes of functions, costs of headers, formatting."""
    refuse_others("lint", arguments, ())
    ensure_venv()
    checks = (["tools/check_layers.py"], ["tools/check_orders.py"], ["tools/check_environment.py"], ["tools/check_files.py"],
              ["tools/check_forks.py"], ["tools/check_ticks.py"], ["tools/check_pages.py"], ["tools/check_system.py"],
              ["tools/check_braces.py"], ["tools/check_nulls.py"],
              ["tools/check_documents.py"], ["tools/check_names.py"], ["tools/check_commands.py"], ["tools/check_sentences.py"],
              ["tools/check_format.py"], ["tools/check_budget.py"],
              ["tools/check_budget.py", "--functions"], ["tools/check_budget.py", "--headers"])
    failures = sum(run(sys.executable, *check) != 0 for check in checks)
    print(f"lint: {failures} complaint{'' if failures == 1 else 's'}")
    return 1 if failures else 0


def command_install(arguments):
    """usage: ./dev install PREFIX [--no-debug] [--no-tools]

Builds the release libraries and installs them below PREFIX, with headers, CMake and pkg-config files; also, if not left out,
  --no-debug  libtbb_debug, which has assertions on and is linked by CMake's Debug configuration
  --no-tools  the commands ashlar and ashlar-sim with their manual pages, which need CLI11, fmt, nlohmann_json and libdw to be built"""
    prefixes = [a for a in arguments if not a.startswith("-")]
    refuse_others("install", [a for a in arguments if a.startswith("-")], ("--no-debug", "--no-tools"))
    if len(prefixes) != 1:
        sys.exit("dev: install takes one PREFIX; ./dev install --help tells more")
    folder, chosen = ROOT / "build/install", {"DEBUG_LIBRARY": "--no-debug", "SIM": "--no-tools"}
    prefix = Path(prefixes[0]).absolute()
    for place in (prefix, folder):
        if (obstacle := installed.obstacle(place)) is not None:
            sys.exit(f"dev: can't install: {obstacle}")
    require("cmake", "-S", ".", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DASHLAR_BUILD_TESTS=OFF",
            "-DASHLAR_BUILD_BENCH=OFF", f"-DCMAKE_INSTALL_PREFIX={prefix}", *(f"-DASHLAR_BUILD_{part}={'OFF' if left_out in arguments else 'ON'}" for part, left_out in chosen.items()))
    say(f"building in {folder.relative_to(ROOT)}")
    require("cmake", "--build", folder, "-j", JOBS)
    if run("cmake", "--install", folder):
        sys.exit(f"dev: the installation is not complete; what was copied before the failure lies below {prefix}")
    installed.note(prefix, folder / "install_manifest.txt")
    return 0


def command_uninstall(arguments):
    """usage: ./dev uninstall PREFIX

Removes what ./dev install has put below PREFIX, and the folders there that are empty then."""
    refuse_others("uninstall", [a for a in arguments if a.startswith("-")], ())
    if len(arguments) != 1:
        sys.exit("dev: uninstall takes one PREFIX; ./dev uninstall --help tells more")
    prefix = Path(arguments[0]).absolute()
    try:
        removed = installed.remove(prefix)
    except (OSError, ValueError) as error:
        sys.exit(f"dev: {error}")
    if removed is None:
        sys.exit(f"dev: nothing was installed there by ./dev install: {prefix / installed.LIST} is missing")
    say(f"removed {removed} files below {prefix}")
    return 0


def version():
    """The project's version, and the commit if this is a clone."""
    number = re.search(r'^project\(\w+ VERSION ([0-9.]+)[^)]*\)\n(?:set\(ASHLAR_VERSION_SUFFIX "([^"]*)")?', (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.M)
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False) \
        if shutil.which("git") else None
    commit = f" (commit {described.stdout.strip()})" if described and described.returncode == 0 else ""
    return f"Ashlar {''.join(part or '' for part in number.groups()) if number else '?'}{commit}"


def main():
    commands = {"test": command_test, "soak": command_soak, "differ": command_differ, "bench": command_bench, "paper": command_paper, "docs": command_docs, "demo": command_demo,
                "findings": command_findings, "ci": command_ci,
                "lint": command_lint, "format": command_format, "install": command_install, "uninstall": command_uninstall}
    name, arguments = (sys.argv[1] if len(sys.argv) > 1 else "--version"), sys.argv[2:]
    if name == "--version":
        print(version())
        return 0
    if name not in commands:
        near = difflib.get_close_matches(name, commands, 1)
        meant = f"; '{near[0]}' is near" if near else ""
        sys.exit(f"dev: there is no command '{name}'{meant}. There are: {', '.join(commands)}")
    if {"-h", "--help"} & set(arguments) and (name not in ("ci", "demo", "paper") and (name != "bench" or len(arguments) == 1)):
        print(commands[name].__doc__)
        return 0
    if name != "uninstall" and {"-h", "--help"}.isdisjoint(arguments) and not shutil.which("cmake"):
        sys.exit("dev: run ./dev, which installs what is missing")
    return commands[name](arguments)


if __name__ == "__main__":
    sys.exit(main())
