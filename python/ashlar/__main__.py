# SPDX-License-Identifier: Apache-2.0
"""Runs a Python program on Ashlar, with the options of `ashlar run`:

    python -m ashlar [OPTIONS] (PROGRAM.py | -m MODULE | -c TEXT) [ARGUMENTS…]
"""
import os
import sys

from ashlar import COMMAND, bundled_copies

WITH_VALUE = {"--threads", "--trace", "--hang", "--as"}


def options_of(arguments):
    """How many of the arguments come before the program."""
    count = 0
    while count < len(arguments) and arguments[count].startswith("--"):
        if arguments[count] == "--":
            return count
        count += 2 if arguments[count] in WITH_VALUE else 1
    return min(count, len(arguments))


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        os.execv(COMMAND, [str(COMMAND), "run", "--help"])
    count = options_of(arguments)
    program = [argument for argument in arguments[count:count + 1] if argument != "--"] + arguments[count + 1:]
    names = [text for name in bundled_copies() for text in ("--as", name)]
    os.execv(COMMAND, [str(COMMAND), "run", *names, *arguments[:count], "--", sys.executable, *program])


if __name__ == "__main__":
    main()
