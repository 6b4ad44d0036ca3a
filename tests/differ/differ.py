#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random programs on two libraries and compares what they tell; a difference is shrunk to the smallest program.

    ./dev differ                  a minute beside oneTBB         ./dev differ 3               three hours
    ./dev differ 1 --classic      beside TBB 2020, in its dialect
    ./dev differ --seed 7 --programs 1          one program again
    ./dev differ --replay FILE    one program, and all that it tells
    ./dev differ --record 3000    writes answers.txt, with which `differ.py OURS --check` compares

A program differs if a line that a specification determines is another one, if a library tells another line with another number of
threads, hangs, dies, or leaves objects alive. rules.toml names the differences that docs/compatibility.md tells: they are counted.
What is open (the order, the threads, the chunks) is compared as a distribution, told and never a failure."""
import argparse
import collections
import contextlib
import json
import pathlib
import re
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "soak"), str(HERE)]
import answers  # noqa: E402
import generator  # noqa: E402
import programs  # noqa: E402
import soak  # noqa: E402

TAGGED = re.compile(r"~([\w ]+)~ (.*)", re.DOTALL)


class Library:
    """An interpreter of one library, begun again after it died."""

    def __init__(self, name, command, patience):
        self.name, self.command, self.patience = name, command, patience
        self.interpreter = None

    def answers(self, batch):
        """For each program its runs, or a text that says how it failed."""
        found = []
        while len(found) < len(batch):
            rest = batch[len(found):]
            if self.interpreter is None:
                self.interpreter = soak.Interpreter(self.command, self.patience)
            try:
                yield from self._send(rest)
                for _ in rest:
                    found.append(self.interpreter.receive()["runs"])
            except soak.Failure as failure:
                self.end()
                found.append(str(failure))
        yield found

    def _send(self, rest):
        for program in rest:
            self.interpreter.send(program)
        yield None  # another library may begin meanwhile

    def end(self):
        if self.interpreter is not None:
            self.interpreter.end()
        self.interpreter = None


class Rules:
    """Differences that are documented."""

    def __init__(self, path=HERE / "rules.toml"):
        with open(path, "rb") as file:
            self.all = tomllib.load(file)
        self.used = collections.Counter()

    def explain(self, kind, mine, theirs):
        """Is it a known difference that one library tells this line and the other that one?"""
        tagged = [TAGGED.fullmatch(line or "") for line in (mine, theirs)]
        if all(tagged) and tagged[0].group(1) == tagged[1].group(1):
            name = tagged[0].group(1)
            if name not in self.all:
                raise KeyError(f"no rule is called {name}")
            self.used[name] += 1
            return True
        for name, rule in self.all.items():
            if "ours" in rule and kind in rule["kinds"] and re.fullmatch(rule["ours"], mine or "") and re.fullmatch(rule["peer"], theirs or ""):
                self.used[name] += 1
                return True
        return False

    def excuse(self, kind, failure):
        """Is it known that the peer fails so?"""
        for name, rule in self.all.items():
            if "fails" in rule and kind in rule["kinds"] and re.fullmatch(rule["fails"], failure):
                self.used[name] += 1
                return True
        return False


def lines_apart(mine, theirs):
    """The pairs of lines that are not equal."""
    longer = max(len(mine), len(theirs))
    both = zip(mine + [None] * (longer - len(mine)), theirs + [None] * (longer - len(theirs)))
    return [(a, b) for a, b in both if a != b]


def own_difference(program, who, runs, rules):
    """What one library tells otherwise with other numbers of threads, or what can't be right."""
    for run in runs[1:]:
        apart = [pair for pair in lines_apart(runs[0]["told"], run["told"])
                 if not all(line and line[0] in "~@" for line in pair) and not (who != "ours" and any(rules.explain(program["kind"], *order) for order in (pair, pair[::-1])))]
        if apart:
            return f"{who} tells '{apart[0][0]}' with 1 thread, and '{apart[0][1]}' with {run['threads']}"
    wrong = [line for run in runs for line in run["told"] if line.startswith("WRONG")]
    return f"{who} tells '{wrong[0]}'" if wrong else None


def difference(program, ours, peer, rules):
    """What is not the same, in one line, or None."""
    if isinstance(peer, str) and not isinstance(ours, str) and rules.excuse(program["kind"], peer):
        return own_difference(program, "ours", ours, rules)
    if isinstance(ours, str) or isinstance(peer, str):
        if isinstance(ours, str) and isinstance(peer, str):
            return f"both fail: ours {ours}; the peer {peer}"
        return f"ours {ours}" if isinstance(ours, str) else f"the peer {peer}"
    for mine, theirs in zip(ours, peer):
        for a, b in lines_apart(mine["told"], theirs["told"]):
            if not rules.explain(program["kind"], a, b):
                return f"with {mine['threads']} threads ours tells '{a}', the peer '{b}'"
    return own_difference(program, "the peer", peer, rules) or own_difference(program, "ours", ours, rules)


def shape(kind, text):
    """Differences of one shape are one finding."""
    return kind + ": " + re.sub(r"[-\d.]+", "#", re.sub(r"\[[^\]]*\]", "[]", text))[:160]


class Differ:
    def __init__(self, options):
        self.options = options
        self.rules = Rules()
        self.libraries = [Library("ours", [str(options.ours)], options.patience), Library("the peer", [str(options.peer)], options.patience)]
        self.programs = collections.Counter()
        self.found = {}
        self.shapes = {}  # of a difference as it was found: that of the smallest program
        self.open = {}

    def compare(self, batch):
        """For each program the difference, or None."""
        running = [library.answers(batch) for library in self.libraries]
        answers = [None, None]
        for i, steps in enumerate(running):
            next(steps)  # sent
        for i, steps in enumerate(running):
            for answers[i] in steps:
                pass
        for program, ours, peer in zip(batch, *answers):
            self.count_open(program, ours, peer)
        return [difference(program, ours, peer, self.rules) for program, ours, peer in zip(batch, *answers)]

    def count_open(self, program, *sides):
        for which, runs in enumerate(sides):
            for run in runs if not isinstance(runs, str) else []:
                for what, value in run["open"]:
                    key = (program["kind"], what, run["threads"])
                    self.open.setdefault(key, (collections.Counter(), collections.Counter()))[which][value] += 1

    def still_differs(self, program):
        for _ in range(self.options.tries):
            found = self.compare([program])[0]
            if found is not None:
                return found
        return None

    def tell(self, seed, program, what):
        raw = shape(program["kind"], what)
        if raw in self.shapes:
            self.found[self.shapes[raw]]["times"] += 1
            return
        again = self.still_differs(program)
        smallest, how = program, "not again by itself"
        if again is not None and self.options.shrink_seconds > 0:
            smallest = soak.shrink(program, lambda p: self.still_differs(p) is not None, time.monotonic() + self.options.shrink_seconds)
            what = self.still_differs(smallest) or again
            how = f"shrunk from {generator.size(program)} to {generator.size(smallest)} steps"
        kind = self.shapes[raw] = shape(program["kind"], what)
        if kind in self.found:
            self.found[kind]["times"] += 1
            return
        self.found[kind] = {"times": 1, "seed": seed, "what": what, "program": smallest}
        print(f"differ: the program of seed {seed} differs ({how}): {program['kind']}: {what}", flush=True)
        print(f"differ: repeat it: echo '{json.dumps(smallest)}' > p.json; ./dev differ {'--classic ' if self.options.classic else ''}--replay p.json",
              flush=True)

    def run(self):
        seed, last = self.options.seed, self.options.seed + self.options.programs if self.options.programs else None
        deadline, told = time.monotonic() + self.options.seconds, time.monotonic()
        while time.monotonic() < deadline and (last is None or seed < last):
            seeds = range(seed, min(seed + self.options.batch, last or seed + self.options.batch))
            batch = [programs.program(s, self.options.only, self.options.classic) for s in seeds]
            for s, program, what in zip(seeds, batch, self.compare(batch)):
                self.programs[program["kind"]] += 1
                if what is not None:
                    self.tell(s, program, what)
                    if len(self.found) >= self.options.most:
                        return
            seed = seeds[-1] + 1
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(f"differ: {self.summary()}", flush=True)

    def summary(self):
        return (f"{sum(self.programs.values())} programs compared, {len(self.found)} kinds of differences"
                f" ({sum(f['times'] for f in self.found.values())} programs)")

    def end(self):
        for library in self.libraries:
            library.end()


def mean(counter):
    """Of values that are numbers, and how many there are."""
    with contextlib.suppress(ValueError):
        return sum(float(value) * times for value, times in counter.items()) / max(1, sum(counter.values()))
    return None


def report(differ):
    print(f"differ: {differ.summary()}")
    for kind, times in sorted(differ.programs.items()):
        print(f"differ:   {kind}: {times} programs")
    for name, times in sorted(differ.rules.used.items()):
        print(f"differ: the rule '{name}' was used {times} times: {differ.rules.all[name]['row']}")
    for (kind, what, threads), (mine, theirs) in sorted(differ.open.items()):
        means = mean(mine), mean(theirs)
        if None not in means:
            print(f"differ: open: {kind}, {what}, {threads} threads: ours {means[0]:.2f}, the peer {means[1]:.2f} in the mean of {sum(mine.values())}")
        else:
            print(f"differ: open: {kind}, {what}, {threads} threads: ours {mine.most_common(3)}, the peer {theirs.most_common(3)}")
    for kind, found in differ.found.items():
        print(f"differ: DIFFERS {found['times']} times, first with seed {found['seed']}: {found['what']}")
    sys.stdout.flush()


def replay(differ, program):
    for library in differ.libraries:
        *_, (runs,) = library.answers([program])
        print(f"{library.name}: {runs if isinstance(runs, str) else ''}")
        for run in runs if not isinstance(runs, str) else []:
            print(f"  {run['threads']} threads: open {run['open']}" + "".join("\n    " + line for line in run["told"]))
    what = differ.still_differs(program)
    print(f"differ: {what or 'no difference'}")
    return 1 if what else 0


def recorded(seed, options):
    """The program of a seed whose answer is recorded; with --classic of the kinds alone that oneTBB has not."""
    return programs.program(seed, programs.CLASSIC_ALONE if options.classic else None, options.classic)


def check(options):
    """Compares with the answers that are recorded; returns how many programs differ."""
    rules, known = Rules(), answers.read(options.answers or answers.file(options.classic))
    library = Library("ours", [str(options.ours)], options.patience)
    bad = 0
    seeds = [s for s in range(1, len(known) + 1) if known[s - 1] != "-"]
    made = {s: recorded(s, options) for s in seeds}
    if options.only:
        seeds = [s for s in seeds if made[s]["kind"] in options.only]
    try:
        for at in range(0, len(seeds), options.batch):
            batch = seeds[at:at + options.batch]
            *_, found = library.answers([made[s] for s in batch])
            for s, runs in zip(batch, found):
                if options.classic and not isinstance(runs, str):
                    runs = [run for run in runs if run["threads"] > 1]  # TBB 2020's arenas have two
                what = (runs if isinstance(runs, str) else own_difference(made[s], "ours", runs, rules)
                        or ("other lines than the peer told" if answers.digest(made[s]["kind"], runs, rules) != known[s - 1] else None))
                if what is not None:
                    bad += 1
                    print(f"differ: seed {s}: {made[s]['kind']}: {what}; ./dev differ --seed {s} --programs 1 tells more", flush=True)
            if bad >= options.most:
                break
    finally:
        library.end()
    print(f"differ: {len(seeds)} programs, {bad} differ from what the peer told")
    return 1 if bad else 0


def record(options):
    differ, found = Differ(options), []
    try:
        for seed in range(1, options.record + 1, options.batch):
            batch = [recorded(s, options) for s in range(seed, min(seed + options.batch, options.record + 1))]
            *_, told = differ.libraries[1].answers(batch)
            for program, runs in zip(batch, told):
                undecided = isinstance(runs, str) or own_difference(program, "the peer", runs, differ.rules)
                found.append("-" if undecided else answers.digest(program["kind"], runs, differ.rules))
    finally:
        differ.end()
    answers.write(found, options.answers or answers.file(options.classic))
    print(f"differ: {len(found)} answers recorded, {found.count('-')} programs left out")
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ours", type=pathlib.Path, help="the interpreter of our library")
    parser.add_argument("peer", type=pathlib.Path, nargs="?", help="the one of the library that judges")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--programs", type=int, default=0, help="how many; 0: as many as the time allows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=lambda text: text.split(","), help="kinds of programs")
    parser.add_argument("--classic", action="store_true", help="the programs of TBB 2020's dialect")
    parser.add_argument("--batch", type=int, default=20, help="programs on their way at once")
    parser.add_argument("--patience", type=float, default=30, help="seconds after which a program hangs")
    parser.add_argument("--tries", type=int, default=10, help="runs of a program that may differ")
    parser.add_argument("--shrink-seconds", type=float, default=60)
    parser.add_argument("--most", type=int, default=30, help="kinds of differences after which it stops")
    parser.add_argument("--replay", type=pathlib.Path, help="a program to run by itself")
    parser.add_argument("--check", action="store_true", help="compare with the recorded answers instead of a peer")
    parser.add_argument("--answers", type=pathlib.Path, help="a file of recorded answers")
    parser.add_argument("--record", type=int, default=0, help="record the peer's answers to so many programs")
    options = parser.parse_args(arguments)
    if options.check:
        return check(options)
    if options.peer is None:
        parser.error("there is nobody to compare with")
    if options.record:
        return record(options)
    differ = Differ(options)
    try:
        if options.replay is not None:
            return replay(differ, json.loads(options.replay.read_text(encoding="utf-8")))
        differ.run()
    finally:
        differ.end()
    report(differ)
    return 1 if differ.found else 0


if __name__ == "__main__":
    sys.exit(main())
