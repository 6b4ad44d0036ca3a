#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Victim selection on the real machine: time, CPU time, failed steals, conflicts and parks of the study's programs for each
policy and thread count, ten runs each, as mean and standard deviation / mean.

    ./dev bench victims --quick
    ./dev bench victims --programs swaptions --policies random,occupancy --threads 2,32
"""
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "characterisation"), str(HERE.parent / "harness")]

import policies  # noqa: E402  pylint: disable=wrong-import-position
import study_build  # noqa: E402  pylint: disable=wrong-import-position
import study_run  # noqa: E402  pylint: disable=wrong-import-position

TITLE = "Victim selection on the real machine (Iordan, Jahre, Natvig 2015)"
ROUNDS, RUNS = 5, 2  # ten runs of each, in five processes at different times
# One run takes about ten milliseconds on two CPUs: the CPU time of shorter ones can't be told.
QUICK_SIZES = {"fluidanimate": "test", "lu": "simmedium"}
QUICK_PROGRAMS = ["lu", "blackscholes", "bodytrack", "fluidanimate", "streamcluster", "swaptions"]


def arguments(argv):
    parser = study_run.cli.Parser(prog="./dev bench victims", description=__doc__.splitlines()[0])
    study_run.add_common_options(parser)
    parser.add_argument("--policies", type=study_run.list_of(policies.POLICIES, "policy"), default=list(policies.POLICIES),
                        help="default: all; 'tbb41', else 'random', is what the ratios are to")
    return parser.parse_args(argv)


def size_of(options, program):
    if options.size:
        return options.size
    return QUICK_SIZES.get(program, "simsmall") if options.quick else "simmedium"


def plan(options):
    """(round, program, threads, policy); the policies of a program and thread count run next to each other, in turn."""
    made = []
    for index in range(ROUNDS):
        turn = index * len(options.policies) // ROUNDS
        for program in options.programs or (QUICK_PROGRAMS if options.quick else study_build.PROGRAMS):
            for threads in options.threads or ([2, 8, 32] if options.quick else [1, 2, 4, 8, 16, 32]):
                for policy in options.policies[turn:] + options.policies[:turn]:
                    made.append((index, program, threads, policy))
    return made


def steps(options):
    """The plan as processes. `--size` etc. are the same for all policies; the environment names the policy."""
    return [study_run.Step(number, program, threads, policy, "ashlar", program, size_of(options, program), RUNS,
                           30 if options.quick else 100, ("--pin",) if options.pin else (), {"ASHLAR_VICTIM_POLICY": policy})
            for number, program, threads, policy in plan(options)]


def document_of(options, peer, cells, seconds):
    described = {policy: {**peer.describe(), "title": policy} for policy in options.policies}
    names = list(dict.fromkeys(cell["row"] for cell in cells))
    return {**study_run.document_of(options, "victims", TITLE, described, cells, seconds),
            "sizes": {name: size_of(options, name) for name in names}, "policies": policies.rows(cells), "base": policies.base_of(policies.rows(cells))}


def main(argv=None):
    options = arguments(argv)

    def measured(programs, peers, _, started):
        cells = study_run.measure(TITLE, steps(options), programs, peers, options)
        return document_of(options, peers["ashlar"], cells, round(time.monotonic() - started))
    return study_run.run_suite("victims", options, [], measured, policies.text)


if __name__ == "__main__":
    sys.exit(main())
