# SPDX-License-Identifier: Apache-2.0
"""The examples of the reference's pages. In docs/samples and examples a comment `// Pages: tbb::x, tbb::y` stands above the lines that these pages show: up
to the next comment at the left margin, or the end of the namespace. The tests compile and run the programs, and each checks what it has computed."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARK = re.compile(r"^// Pages: (.+)$")
END = re.compile(r"^(?://|}  // namespace|int main\(|namespace )")


def pieces(text):
    """(names of pages, lines) of a program."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if mark := MARK.match(line):
            names, first = mark[1], number + 1
            while names.endswith(","):  # goes on in the next line
                names, first = f"{names} {lines[first].removeprefix('// ')}", first + 1
            end = next((i for i in range(first, len(lines)) if END.match(lines[i])), len(lines))
            yield names.split(", "), "\n".join(lines[first:end]).rstrip().split("\n")


def collect(root=ROOT):
    """{name of an entity: [(file, lines)]}"""
    found = {}
    for folder in ("docs/samples", "examples"):
        for path in sorted((root / folder).rglob("*.cpp")):
            for names, lines in pieces(path.read_text()):
                for name in names:
                    found.setdefault(name, []).append((str(path.relative_to(root)), lines))
    return found


def rendered(shown):
    """The reStructuredText of a page's examples: [(file, lines)]."""
    made = ["Example", "-------", ""] if shown else []
    for file, lines in shown:
        made += [".. code-block:: cpp", "", *(f"   {line}".rstrip() for line in lines), "", f"A part of ``{file}``, which the tests compile and run.", ""]
    return made
