#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses the body of an if, else or loop that stands without braces on lines of its own. On the line of its condition it
needs none.

--fix puts the braces there."""
import re
import sys

import source_tree as tree

# Documents show the shortest form.
LEFT_OUT = ("docs",)
HEAD = re.compile(r"\s*(?:\} )?(?:else )?(?:if(?: constexpr)?|for|while|do)\b ?|\s*(?:\} )?else$")


def end_of_condition(code, at):
    """The line on which the parentheses that open on line `at` are closed, and what stands there behind them."""
    depth = 0
    for line in range(at, len(code)):
        for place, character in enumerate(code[line]):
            depth += (character == "(") - (character == ")")
            if depth == 0 and character == ")":
                return line, code[line][place + 1:].strip()
        if depth == 0:
            return line, ""
    return at, ""


def bare_bodies(code):
    """First and last line of each body without braces that begins on a line of its own."""
    for at, line in enumerate(code):
        if not HEAD.match(line) or line.lstrip().startswith("#"):
            continue
        last, rest = end_of_condition(code, at) if "(" in line else (at, "" if line.rstrip().endswith(("else", "do")) else ";")
        if rest == "" and last + 1 < len(code) and code[last + 1].strip() and not code[last + 1].lstrip().startswith("{"):
            yield last, end_of_statement(code, last + 1)


def end_of_statement(code, at):
    """The last line of the statement that begins on line `at`."""
    depth = 0
    for line in range(at, len(code)):
        text = code[line].rstrip()
        depth += text.count("(") + text.count("{") - text.count(")") - text.count("}")
        if depth == 0 and text.endswith((";", "}")):
            return line
    return at


def fix(path):
    text = path.read_text(encoding="utf-8")
    # One after the other, from the last: bodies may lie in each other.
    for _ in range(len(list(bare_bodies(tree.code_lines(text))))):
        head, last = list(bare_bodies(tree.code_lines(text)))[-1]
        lines = text.split("\n")
        indent = re.match(r"\s*", lines[head + 1])[0][2:]
        lines[head] = re.sub(r"\s*(//.*)?$", lambda end: " {" + (f"  {end[1]}" if end[1] else ""), lines[head], count=1)
        lines.insert(last + 1, indent + "}")
        text = "\n".join(lines)
    path.write_text(text, encoding="utf-8")


def main():
    left_out = [tree.ROOT / folder for folder in LEFT_OUT]
    errors, paths = [], [p for p in tree.tracked_files() if p.suffix in tree.CXX and not any(f in p.parents for f in left_out)]
    for path in paths:
        code = tree.code_lines(path.read_text(encoding="utf-8"))
        found = [f"{tree.relative(path)}:{head + 1}: the body below has no braces" for head, _ in bare_bodies(code)]
        if found and "--fix" in sys.argv[1:]:
            fix(path)
        errors += found
    return tree.finish("check_braces", errors, f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
