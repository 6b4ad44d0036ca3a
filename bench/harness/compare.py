# SPDX-License-Identifier: Apache-2.0
"""Compares two result files of the same suite: median, bootstrap interval and ratio per row, thread count and peer.

The two were not measured side by side, so a ratio holds for the machine's speed then and now as well; the peers' own
ratios, which should be 1, tell how much.
"""
import pathlib
import sys

import cli
import report
import stats
import store


def arguments(argv):
    parser = cli.Parser(prog="run.py compare", description=__doc__.splitlines()[0])
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--rows", type=lambda text: text.split(","), help="only rows whose id contains one of these")
    parser.add_argument("--peers", type=lambda text: text.split(","), help="only these (default: all in both files)")
    return parser.parse_args(argv)


def load(path):
    """A result file; raises ValueError with one line."""
    try:
        document = store.read(path)
        document["by"] = {(c["row"], c["threads"], c["peer"]): c for c in document["cells"] if not c["gap"]}
        document["suite"], document["titles"] = document["suite"], {line["row"]: line["title"] for line in document["results"]}
        document["units"] = {line["row"]: line["unit"] for line in document["results"]}
        return document
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a result file: {error!r}") from error


def verdict(interval):
    if interval is None or interval[0] <= 1 <= interval[1]:
        return "same"
    return "faster" if interval[1] < 1 else "slower"


def lines(before, after, rows=None, peers=None):
    """One dict per common cell."""
    made = []
    for key, old in before["by"].items():
        row, threads, peer = key
        new = after["by"].get(key)
        if new is None or (rows and not any(part in row for part in rows)) or (peers and peer not in peers):
            continue
        interval = stats.unpaired_interval(new["series"], old["series"])
        ratio = stats.unpaired_ratio(new["series"], old["series"])
        if ratio is not None:
            made.append({"row": before["titles"].get(row, row), "threads": threads, "peer": peer,
                         "unit": before["units"].get(row, ""), "before": stats.value(old["series"]),
                         "after": stats.value(new["series"]), "ratio": ratio, "interval": interval,
                         "verdict": verdict(interval)})
    return made


def table(found):
    head = ["row", "thr", "peer", "unit", "before", "after", "after/before", "95 % interval", ""]
    body = [[x["row"], str(x["threads"]), x["peer"], x["unit"], report.number(x["before"]), report.number(x["after"]),
             report.number(x["ratio"]), f"{report.number(x['interval'][0])} .. {report.number(x['interval'][1])}", x["verdict"]]
            for x in found]
    widths = [max(len(line[i]) for line in [head, *body]) for i in range(len(head))]
    return "\n".join("  ".join(c.ljust(w) if i in (0, 2, 3, 7, 8) else c.rjust(w)
                               for i, (c, w) in enumerate(zip(line, widths))).rstrip() for line in [head, *body])


def main(argv):
    options = arguments(argv)
    try:
        before, after = load(options.before), load(options.after)
        if before["suite"] != after["suite"]:
            raise ValueError(f"{options.before} is of the suite '{before['suite']}', {options.after} of '{after['suite']}'")
        found = lines(before, after, options.rows, options.peers)
        if not found:
            raise ValueError("the two files have no measured row in common")
    except ValueError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    print(f"before: {before['commit']}, {before['date']}\nafter:  {after['commit']}, {after['date']}\n")
    print(table(found))
    if before["machine"]["name"] != after["machine"]["name"]:
        print("\nMeasured on different machines.")
    return 0
