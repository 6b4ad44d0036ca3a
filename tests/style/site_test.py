#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The check of the documentation site finds links and files that aren't there, and nothing else: a small site with each kind."""
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs/site"))
import check  # noqa: E402  pylint: disable=wrong-import-position
import examples  # noqa: E402  pylint: disable=wrong-import-position

GOOD = """<link rel="stylesheet" href="_static/own.css?v=1"/><a href="#top">a</a><h1 id="top">b</h1><a href="guide/one.html#a&amp;b">c</a>
<a href="https://elsewhere/x.html">d</a><a href="mailto:x@y">e</a><a href="guide/">f</a><img src="data:image/png;base64,AA=="/>
<a href="a%20b.html">g</a><a href="#">h</a>"""
DEAD = ("_static/lost.css?v=1", "guide/two.html", "guide/one.html#c", "#nowhere", "picture.png")


class Site(unittest.TestCase):
    def test_dead_ones_alone_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder)
            for name, text in (("index.html", GOOD), ("guide/one.html", '<p id="a&amp;b">x</p>'), ("guide/index.html", ""), ("a b.html", ""), ("_static/own.css", "")):
                (site / name).parent.mkdir(exist_ok=True)
                (site / name).write_text(text, encoding="utf-8")
            self.assertEqual(list(check.missing_files(site)), [])
            kinds = (f'<link href="{DEAD[0]}"/>', f'<a class="x" href="{DEAD[1]}">', f'<a href="{DEAD[2]}">', f'<a href="{DEAD[3]}">', f'<img src="{DEAD[4]}"/>')
            (site / "bad.html").write_text("".join(kinds), encoding="utf-8")
            self.assertEqual(list(check.missing_files(site)), [(Path("bad.html"), name) for name in DEAD])


class Examples(unittest.TestCase):
    TEXT = """#include <x>
namespace {

// Pages: tbb::one, tbb::two
class helper {};

bool shown() {
  return true;  // at the end of a line
}

// Another comment.
bool other() { return true; }

// Pages: tbb::two,
// tbb::three
bool more() { return false; }

}  // namespace
"""

    def test_a_piece_ends_before_the_next_comment_at_the_margin(self):
        found = list(examples.pieces(self.TEXT))
        self.assertEqual([names for names, _ in found], [["tbb::one", "tbb::two"], ["tbb::two", "tbb::three"]])
        self.assertEqual(found[0][1], ["class helper {};", "", "bool shown() {", "  return true;  // at the end of a line", "}"])
        self.assertEqual(found[1][1], ["bool more() { return false; }"])

    def test_an_example_is_called_by_its_program(self):
        for name, shown in examples.collect().items():
            for file, lines in shown:
                text = (ROOT / file).read_text()
                for function in re.findall(r"^bool (\w+)\(\)", "\n".join(lines), re.M):
                    self.assertRegex(text[text.index("int main("):], rf"\b{function}\b", f"{name}, {file}")


if __name__ == "__main__":
    unittest.main()
