#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no sentence of the READMEs that proofs fill (src/*/README.md) has more than 40 words.

A sentence ends with a dot, a question mark or an exclamation mark before a blank, with a paragraph, an entry of a list, a heading or a cell
of a table. Blocks of code, the lines that describe an edge ([Q1] ...) and what stands in a table's cell are no sentences. Text in backquotes is one
word."""
import re
import sys

import source_tree as tree

MOST = 40
FENCED = re.compile(r"^ *```.*?^ *```", re.M | re.S)
# A line that begins something new: an entry, a heading, code, a table, an edge.
BEGINS = re.compile(r"(?: {0,3}(?:[*+-]|\d+\.) |#|\||    |\[[A-Z]+\d+[a-z]?\] |\s*$)")
NO_PROSE = re.compile(r"#|\||    |\[[A-Z]+\d+[a-z]?\] ")
END = re.compile(r"(?<=[.?!])(?:[)\"*]*)\s+(?=[\"*(\[`]*[A-Z0-9`*\[])")
# Dots that end no sentence.
SHORT = re.compile(r"\b(e\.g|i\.e|cf|vs|al|et al|No|no)\. ")


def paragraphs(text):
    """(line number, text) of each piece of prose."""
    text = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    begun, lines, inside_code = 0, [], False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        indented_code = line.startswith("    ") and (not lines or inside_code)
        if BEGINS.match(line) and not (line.startswith("    ") and lines) or indented_code:
            if lines:
                yield begun, " ".join(lines)
            lines, inside_code = [], indented_code
            if line.strip() and not NO_PROSE.match(line):
                begun, lines = number, [re.sub(r"^ *(?:[*+-]|\d+\.) +", "", line).strip()]
        else:
            if not lines:
                begun = number
            lines.append(line.strip())


def sentences(paragraph):
    whole = SHORT.sub(r"\1 ", re.sub(r"`[^`]+`", "`x`", paragraph))
    return END.split(whole)


def words(sentence):
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def main():
    documents = [path for path in tree.tracked_files() if re.fullmatch(r"src/[\w/]+/README\.md", tree.relative(path))]
    errors, number = [], 0
    for document in documents:
        for line, paragraph in paragraphs(document.read_text(encoding="utf-8")):
            for sentence in sentences(paragraph):
                number += 1
                if words(sentence) > MOST:
                    errors.append(f"{tree.relative(document)}:{line}: {words(sentence)} words: {sentence[:90]} …")
    return tree.finish("check_sentences", errors, f"{number} sentences of {len(documents)} documents")


if __name__ == "__main__":
    sys.exit(main())
