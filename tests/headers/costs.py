#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What including each public header costs beside the peers': instructions of the compiler, counted by valgrind, which do not
depend on what else the machine does. The floor is what the standard headers alone cost that the header has to bring
(visible.json). Prints the headers that cost more than their goal, as the table in docs/compatibility.md.

    costs.py SOURCE_DIR [PATTERN]    some 25 minutes on 2 cores; PATTERN selects headers
    costs.py SOURCE_DIR PATTERN --all    prints every header
    costs.py SOURCE_DIR PATTERN --tokens    counts tokens after the preprocessor instead: a minute for all headers. Of 15
                                         headers that were counted both ways none had a higher ratio of instructions

Counts are kept in build/costs.json by compiler and preprocessed text, so a later run counts only what has changed, and one
that was broken off goes on."""
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check  # noqa: E402
import visible as visible_names  # noqa: E402

CXX = os.environ.get("CXX_GCC", "g++")
COUNT = re.compile(r"I\s+refs:\s+([\d,]+)")
# Dialect -> the peer to compare with, all peers whose headers say what is brought along, and the goal.
DIALECTS = {"classic": ("tbb2020", ["tbb2020"], 1.0), "oneTBB": ("onetbb", ["onetbb", "tbb2020"], 0.75)}
PREVIEWS = {"classic": visible_names.PREVIEWS, "oneTBB": ["-D__TBB_TEST_PREVIEW=1"]}
# Rarely used as a program includes it; these come with others.
INTERNAL = re.compile(r"^(ext|bits|backward|debug|pstl|x86_64)")


def compiler():
    """cc1plus and the flags that g++ gives it."""
    plan = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", "-w", "-###", "-x", "c++", "-"], input="", capture_output=True, text=True, check=True)
    line = next(line for line in plan.stderr.splitlines() if "cc1plus" in line.split(" -")[0])
    words = [word.strip('"') for word in line.split()]
    return [word for word in words if word != "-"]


def tokens(headers, include):
    """Of a file that includes the headers, after the preprocessor, or None."""
    text = "".join(f"#include <{header}>\n" for header in headers)
    run = subprocess.run([CXX, "-std=c++17", "-E", "-P", "-x", "c++", *include, "-"], input=text, capture_output=True, text=True, check=False)
    return len(re.findall(r"\w+|[^\w\s]", run.stdout)) if run.returncode == 0 else None


class Counter:
    """Instructions of the compiler for a text, counted once."""

    def __init__(self, store):
        self.command, self.store, self.lock = compiler(), store, threading.Lock()
        self.known = json.loads(store.read_text()) if store.exists() else {}
        self.version = subprocess.run([CXX, "--version"], capture_output=True, text=True, check=True).stdout

    def key(self, source, include):
        text = subprocess.run([CXX, "-std=c++17", "-E", "-P", "-dD", *include, source], capture_output=True, text=True, check=False)
        return hashlib.sha256((self.version + text.stdout).encode()).hexdigest() if text.returncode == 0 else None

    def instructions(self, headers, include):
        """Of a file that includes the headers, or None if it does not compile."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "one.cpp"
            source.write_text("".join(f"#include <{header}>\n" for header in headers))
            key = self.key(source, include)
            if key and key not in self.known:
                self.keep(key, self.count(source, include))
        return self.known.get(key)

    def count(self, source, include):
        run = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={source.with_suffix('.out')}",
                              *self.command, *include, str(source)], capture_output=True, text=True, check=False)
        found = COUNT.search(run.stderr)
        return int(found[1].replace(",", "")) if found and run.returncode == 0 else None

    def keep(self, key, count):
        with self.lock:
            if count:
                self.known[key] = count
                self.store.parent.mkdir(exist_ok=True)
                part = self.store.with_suffix(".part")
                part.write_text(json.dumps(self.known, indent=1))
                part.rename(self.store)


def measure(job):
    count, header, dialect, own, peers, visible = job
    peer, bringing, _ = DIALECTS[dialect]
    standard = sorted({name for one in bringing if header in visible[one] for name in visible[one][header]["standard"]
                       if not INTERNAL.match(name)})
    flags = ["-D" + check.CLASSIC[2:]] if dialect == "classic" else []
    theirs = count([header], peers[peer])
    if theirs is None:  # TBB offers it as a preview
        flags += PREVIEWS[dialect]
        theirs = count([header], [*peers[peer], *PREVIEWS[dialect]])
    return header, dialect, count([header], [*own, *flags]), theirs, count(standard, []) if standard else None


def main():
    source = Path(sys.argv[1]).resolve()
    pattern = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    every = "--all" in sys.argv[3:]
    visible = json.loads((source / "tests/headers/visible.json").read_text())
    found = {name: check.find_peer(source, name) for name in visible}
    missing = [f"{name}: {where}" for name, where in found.items() if isinstance(where, str)]
    if missing:
        sys.exit(f"costs: {'; '.join(missing)}")
    peers = {name: [f"-I{where}"] for name, where in found.items()}
    count = tokens if "--tokens" in sys.argv[3:] else Counter(source / "build/costs.json").instructions
    jobs = [(count, header, dialect, [f"-I{source / 'include'}"], peers, visible) for dialect, (peer, _, _) in DIALECTS.items()
            for header in sorted(visible[peer]) if pattern.search(header)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(measure, jobs))
    print("| header | dialect | ours, thousands | ours / peer | ours / floor |\n|---|---|---|---|---|")
    for header, dialect, ours, theirs, floor in results:
        if every or not ours or not theirs or ours / theirs > DIALECTS[dialect][2] + 0.005:
            ratios = [f"{ours / other:.2f}" if ours and other else "-" for other in (theirs, floor)]
            print(f"| `{header.removeprefix('tbb/')}` | {dialect} | {(ours or 0) / 1e3:.0f} | {' | '.join(ratios)} |")
    for dialect, (peer, _, goal) in DIALECTS.items():
        ratios = [ours / theirs for _, of, ours, theirs, _ in results if of == dialect and ours and theirs]
        if ratios:
            print(f"\n{dialect}: {len(ratios)} headers, median {statistics.median(ratios):.2f} of {peer}'s, "
                  f"{sum(ratio <= goal + 0.005 for ratio in ratios)} within {goal}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
