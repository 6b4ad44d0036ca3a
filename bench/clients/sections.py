# SPDX-License-Identifier: Apache-2.0
"""The table of `./dev bench clients` for the page that bench/harness/page.py writes."""
import client_outcomes as outcomes
from page import Part, Table

HEAD = ["program", "version", "wall", "CPU", "memory", "oneTBB: s", "oneTBB: CPU s", "rounds", "undisturbed", "what went wrong"]


def ratio_text(found):
    ratio, interval = found
    return "-" if ratio is None else f"{ratio:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


def row(result):
    if not result["rounds"]:
        return [result["title"], result["version"], *["-"] * 7, result["missing"] or "; ".join(result["complaints"])]
    found = outcomes.ratios(result)
    return [result["title"], result["version"], *(ratio_text(found[key]) for key in outcomes.MEASURES),
            f"{outcomes.median(result, 'onetbb', 'wall'):.2f}", f"{outcomes.median(result, 'onetbb', 'cpu'):.2f}",
            len(result["rounds"]), outcomes.quiet_rounds(result), "; ".join(result["complaints"])]


def parts(documents):
    made = []
    for document in documents:
        lead = f"{document['machine']['cpu']}, {document['machine']['cpus']} CPUs. Ours / oneTBB's: the same binary, alternately."
        made.append(Part("clients", document["title"], lead, [Table("Programs", HEAD, [row(result) for result in document["results"]],
                                                                   outcomes.text(document))]))
    return made
