# SPDX-License-Identifier: Apache-2.0
"""What the page shows of the code bases that were compiled against us."""
import outcomes
from page import Part, Table


def part(document, number):
    there = [result for result in document["results"] if not result["missing"]]
    rows = [[result["title"], result["version"], str(len(result["files"])), *(str(outcomes.counts(result)[kind]) for kind in outcomes.KINDS),
             outcomes.test_words(result) or "–"] for result in there]
    complaints = [[result["title"], line] for result in there for line in outcomes.complaints(result, False)]
    away = [result["title"] for result in document["results"] if result["missing"]]
    lead = ("Source files of other projects that use TBB: ours are those that compile with our headers, lost those that only a peer compiles, gaps those "
            "that nobody compiles here, which say nothing about us." + (f" Not to be had: {', '.join(away)}." if away else ""))
    tables = [Table("Code bases", ["code base", "version", "files", *outcomes.KINDS, "its test"], rows, unfolded=True)]
    if complaints:
        tables.append(Table("What only we refuse, and tests that fail", ["code base", "what"], complaints, unfolded=True))
    return Part("sources" if number == 1 else f"sources-{number}", f"Other projects' sources, {document['date'][:10]}", lead, tables)


def parts(documents):
    return [part(document, number) for number, document in enumerate(documents, 1)]
