#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random programs over the whole interface for a while, and shrinks the first that fails.

    ./dev soak                   a minute            ./dev soak 3 --store        three hours; the result is kept
    ./dev soak --seed 7          the same programs again
    ./dev soak --replay FILE     runs one program until it fails

A program fails if a task is lost or runs twice, a result is wrong, the process dies, no program ends for --patience seconds, or
memory grows: in the second half of a process's life it may be a quarter, and 32 MiB, above the most of the first half."""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "bench" / "harness")]
import generator  # noqa: E402
import machine  # noqa: E402
import peers  # noqa: E402
import store as files  # noqa: E402

GROWTH, SLACK_KIB = 1.25, 32 * 1024
SKIPPED = 77  # the command that is to run the interpreter can't do so here, and has said so
LEAST_PROGRAMS = 400  # of a process, to say something about its memory


class Failure(Exception):
    """What went wrong, in one line."""


def of_session(session):
    """The processes of a session."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # After the name, which may have blanks: the state, the parent, the group, the session.
            if int(stat.read_text().rsplit(")", 1)[1].split()[3]) == session:
                found.append(int(stat.parent.name))
    return sorted(found)


class Interpreter:
    """A process that runs programs one after another."""

    def __init__(self, command, patience):
        self.patience = patience
        # A session of its own: its forked children end with it.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        start_new_session=True)
        self.answers = queue.Queue()
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        self.memory = []

    def _listen(self):
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put(None)

    def send(self, program):
        with contextlib.suppress(BrokenPipeError):  # receive() tells of what
            self.process.stdin.write(json.dumps(program, separators=(",", ":")) + "\n")

    def receive(self):
        """The answer to the oldest program that was sent."""
        try:
            answer = self.answers.get(timeout=self.patience)
        except queue.Empty:
            self.process.send_signal(signal.SIGUSR1)  # it tells on stderr what its threads wait for
            time.sleep(1)
            self.tell_stacks()
            raise Failure(f"hangs: no end for {self.patience} s") from None
        if answer is None:
            code = self.process.wait()
            if code == SKIPPED and not self.memory:
                sys.exit(SKIPPED)
            raise Failure(f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with {code}")
        return json.loads(answer)

    def run(self, program):
        self.send(program)
        result = self.receive()
        if result["failures"]:
            raise Failure("; ".join(sorted(set(result["failures"]))))
        self.memory.append(result["kib"])
        return result

    def tell_stacks(self):
        """The stacks of all threads, of forked children too, if there is a debugger."""
        if shutil.which("gdb") is None:
            return
        for pid in of_session(self.process.pid):
            print(f"soak: stacks of process {pid}", file=sys.stderr, flush=True)
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all backtrace"], stdout=sys.stderr,
                               stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=60, check=False)

    def check_memory(self):
        half = len(self.memory) // 2
        if half < LEAST_PROGRAMS // 2:
            return
        first, second = max(self.memory[:half]), max(self.memory[half:])
        if second > first * GROWTH + SLACK_KIB:
            raise Failure(f"memory grows: from {first} to {second} KiB after {len(self.memory)} programs")

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.listener.join()
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.stdout.close()


def fails(command, program, patience, tries):
    """The failure of a program that is run by itself up to `tries` times, or None."""
    interpreter = Interpreter(command, patience)
    try:
        for _ in range(tries):
            interpreter.run(program)
    except Failure as failure:
        return str(failure)
    finally:
        interpreter.end()
    return None


def shrink(program, still_fails, deadline):
    """A program of which no lighter one fails, as far as the time suffices."""
    progress = True
    while progress and time.monotonic() < deadline:
        progress = False
        for candidate in generator.lighter(program):
            if time.monotonic() >= deadline:
                break
            if still_fails(candidate):
                program, progress = candidate, True
                break
    return program


class Soak:
    def __init__(self, options):
        self.options = options
        self.started = time.monotonic()
        self.deadline = self.started + options.seconds
        self.result = {"programs": 0, "ran": 0, "cancelled": 0, "forks": 0, "processes": 0, "most_kib": 0, "failure": None}

    def count(self, program, answer):
        self.result["programs"] += 1
        self.result["ran"] += answer["ran"]
        self.result["cancelled"] += answer["cancelled"]
        self.result["forks"] += json.dumps(program).count('"fork"')
        self.result["most_kib"] = max(self.result["most_kib"], answer["kib"])

    def one_process(self, seed):
        """Runs programs in one process until its time is over; returns the next seed."""
        options = self.options
        interpreter = Interpreter(options.command, options.patience)
        self.result["processes"] += 1
        until = min(self.deadline, time.monotonic() + options.process_seconds)
        try:
            while time.monotonic() < until:
                program = generator.program(seed, options.without)
                try:
                    self.count(program, interpreter.run(program))
                except Failure as failure:
                    self.tell(seed, program, str(failure))
                    return None
                seed += 1
            try:
                interpreter.check_memory()
            except Failure as failure:
                self.result["failure"] = {"what": str(failure), "seed": seed}
                print(f"soak: {failure} (seeds up to {seed})", flush=True)
                return None
        finally:
            interpreter.end()
        return seed

    def tell(self, seed, program, what):
        print(f"soak: the program of seed {seed} fails: {what}", flush=True)
        options = self.options
        patience = min(options.patience, 30)
        smallest = program
        alone = fails(options.command, program, patience, options.tries)
        if alone is None:
            print("soak: it does not fail by itself; --seed repeats the run", flush=True)
        else:
            smallest = shrink(program, lambda p: fails(options.command, p, patience, options.tries) is not None,
                              time.monotonic() + options.shrink_seconds)
            print(f"soak: by itself: {alone}; shrunk from {generator.size(program)} to {generator.size(smallest)} steps", flush=True)
        self.result["failure"] = {"what": what, "seed": seed, "alone": alone, "program": smallest}
        if options.failure is not None:
            options.failure.write_text(json.dumps(smallest) + "\n", encoding="utf-8")
        print(json.dumps(smallest), flush=True)

    def run(self):
        seed = self.options.seed
        told = self.started
        while seed is not None and time.monotonic() < self.deadline:
            seed = self.one_process(seed)
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(f"soak: {self.summary()}", flush=True)
        self.result["seconds"] = round(time.monotonic() - self.started)
        return self.result

    def summary(self):
        r = self.result
        return (f"{r['programs']} programs, {r['ran']} tasks and iterations run once, {r['cancelled']} cancelled, {r['forks']} forks, "
                f"at most {r['most_kib'] // 1024} MiB, {time.monotonic() - self.started:.0f} s, "
                f"{'no failure' if r['failure'] is None else 'FAILED'}")


def about(options):
    """What the result will be said of: asked before hours of running, in which the tree may go on to other commits."""
    return {"suite": "soak", "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "commit": peers.git_version(), "machine": machine.facts(), "settings": {"seed": options.seed, "without": options.without}}


def store(document):
    path = files.path_for(document)
    files.write(path, document)
    print(f"soak: stored in {path.relative_to(ROOT)}", flush=True)


def replay(options):
    program = json.loads(options.replay.read_text(encoding="utf-8"))
    what = fails(options.command, program, options.patience, options.tries * 10)
    print(f"soak: {what or 'it does not fail'}")
    return 1 if what else 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("interpreter", type=pathlib.Path)
    parser.add_argument("--inside", default="", help="a command, such as a sandbox, that runs the interpreter")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without", type=lambda text: text.split(","), default=[], help="kinds of steps to leave out")
    parser.add_argument("--patience", type=float, default=240, help="seconds after which a program hangs")
    parser.add_argument("--process-seconds", type=float, default=600, help="then another process begins")
    parser.add_argument("--tries", type=int, default=50, help="runs of a program that may fail")
    parser.add_argument("--shrink-seconds", type=float, default=300)
    parser.add_argument("--failure", type=pathlib.Path, help="where to put the shrunken program")
    parser.add_argument("--replay", type=pathlib.Path, help="a program to run by itself")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args(arguments)
    options.command = [*options.inside.split(), str(options.interpreter)]
    if options.replay is not None:
        return replay(options)
    facts = about(options) if options.store else None
    soak = Soak(options)
    result = soak.run()
    print(f"soak: {soak.summary()}", flush=True)
    if facts is not None:
        store({**facts, "soak": result})
    return 1 if result["failure"] is not None else 0


if __name__ == "__main__":
    sys.exit(main())
