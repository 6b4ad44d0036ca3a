#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how the library scales over all processors of this machine, and writes one file to send.

    ./dev bench scale                         1, 2, 4 ... all processors, at most 15 minutes, writes ashlar-scale.html
    ./dev bench scale --minutes 5 --threads 1,16,64
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "bench" / "harness"))
sys.path.insert(0, str(HERE))
import cli  # noqa: E402
import page  # noqa: E402
import places  # noqa: E402
import run  # noqa: E402

SMALL = 8  # a machine with fewer processors also shows what so many threads do there


def thread_counts(processors):
    """1, 2, 4 ... and all of them."""
    counts = [1 << k for k in range(processors.bit_length()) if 1 << k <= processors]
    more = [SMALL] if processors < SMALL else []
    return sorted({*counts, processors, *more})


def measure(options, threads, results):
    """Runs the suite until it has ended or the time is over; what was measured by then is in the file."""
    command = [sys.executable, str(ROOT / "bench" / "harness" / "run.py"), "scale", "--threads", ",".join(map(str, threads)),
               "--json", str(results), "--pin"]
    command += ["--quick"] * options.quick + ["--anyway"] * options.anyway
    for name, value in (("--rounds", options.rounds), ("--rows", options.rows), ("--peers", options.peers)):
        command += [name, str(value)] if value else []
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as process:
        try:
            return process.wait(timeout=60 * options.minutes)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            print("\nscale: time is over; what was measured by now is reported", file=sys.stderr)
            os.killpg(process.pid, signal.SIGINT)
            return process.wait()


def with_data(text, document):
    """The page with all that was measured in it, for us to read again."""
    data = json.dumps(document).replace("<", "\\u003c")
    return text.replace("</body>", f'<script type="application/json" id="results">{data}</script></body>')


def main():
    parser = cli.Parser(prog="scale", description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("ashlar-scale.html"), help="the file to send")
    parser.add_argument("--minutes", type=float, default=15, help="the longest that it may take, building included (default 15)")
    parser.add_argument("--threads", type=run.numbers, help="other thread counts than 1, 2, 4 ... all processors")
    parser.add_argument("--rounds", type=run.positive, help="rounds of the interleaved measurement (default 5)")
    parser.add_argument("--rows", help="only rows whose id contains one of these")
    parser.add_argument("--peers", help="peers by name, comma separated")
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--anyway", action="store_true", help="measure and report although other processes disturb")
    options = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    threads = options.threads or thread_counts(processors)
    results = ROOT / "build" / "bench" / "scale.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.unlink(missing_ok=True)
    code = measure(options, threads, results)
    if not results.exists():
        sys.exit(code or 1)
    document = json.loads(results.read_text(encoding="utf-8"))
    document["places"] = places.facts()
    try:
        options.output.write_text(with_data(page.render([document]), document), encoding="utf-8")
    except OSError as error:
        sys.exit(f"scale: cannot write {options.output}: {error.strerror}")
    print(f"Please send us {options.output} (it holds the figures, the machine's description and no names of yours).")


if __name__ == "__main__":
    main()
