#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checkers of what documents say find what they are there to find: each case is a small tree with one fault."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = ("source_tree.py", "check_documents.py", "check_names.py", "check_commands.py", "check_sentences.py", "documents.toml", "dev.py", "installed.py", "ci.py")
CODE = """struct queue {
  int push();
};
struct stack_of_cells {};
inline constexpr double long_pause_us = 500;
constexpr unsigned most_cells = 2u * (1 << 6);
char const* variable = "ASHLAR_SPEED";
"""


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "tools").mkdir()
        for tool in TOOLS:
            shutil.copy(ROOT / "tools" / tool, self.root / "tools")
        shutil.copy(ROOT / "CMakePresets.json", self.root)
        self.write("src/queue.h", CODE)
        self.write("bench/own/suite.toml", 'title = "x"\n[[row]]\nid = "fast-row"\n')
        for script in ("soak", "memory"):
            self.write(f"tests/soak/{script}.py", "")
        self.write("tests/own.py", 'parser.add_argument("--deep")\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def expect(self, tool, text, complaint, name="docs/x.md"):
        self.write(name, text)
        asked = subprocess.run([sys.executable, self.root / "tools" / tool], capture_output=True, text=True, check=False)
        self.assertEqual(asked.returncode, 1 if complaint else 0, asked.stdout + asked.stderr)
        self.assertIn(complaint or "0 errors", asked.stdout)

    def test_names(self):
        for right in ("`queue::push`", "`stack_of_cells`", "`push()`", "`std::stack_of`", "500 us (`long_pause_us`)", "0.5 ms (`long_pause_us`)", "128 (`most_cells`)", "3 (`stack_of_cells`)",
                      "`cmake --preset dev`", "`ASHLAR_SPEED`", "```\nany_thing()\n```"):
            with self.subTest(right=right):
                self.expect("check_names.py", right, None)
        for wrong, complaint in (("`stack_of_cards`", "nothing is called stack_of_cards"), ("`pop()`", "nothing is called pop"),
                                 ("`queue::pop`", "nothing is called queue::pop"), ("`ASHLAR_SPEEDY`", "nothing is called ASHLAR_SPEEDY"),
                                 ("50 us (`long_pause_us`)", "long_pause_us is 500000 ns, not 50000"), ("96 (`most_cells`)", "most_cells is 128, not 96"),
                                 ("`cmake --preset devel`", "there is no preset devel"), ("a\n\nas issue 18 asks", "docs/x.md:3: no reader can look up issue 18")):
            with self.subTest(wrong=wrong):
                self.expect("check_names.py", wrong, complaint)

    def test_budgets(self):
        self.write("tools/budget.toml", "[files]\nlines = 500\n[functions]\nlines = 60\ncomplexity = 15\n[headers]\nseconds = 0.35\n")
        told = "at most 500 lines, functions at most {} lines of code and\ncyclomatic complexity 15. At most 0.35 s each with `ASHLAR_LEAN_HEADERS=1`."
        self.write("src/lean.h", "#if ASHLAR_LEAN_HEADERS\n#endif\n")
        self.expect("check_names.py", told.format(60).replace("At most", "at most"), None, "CONTRIBUTING.md")
        self.expect("check_names.py", told.format(70).replace("At most", "at most"), "70, but tools/budget.toml has functions.lines = 60", "CONTRIBUTING.md")
        self.expect("check_names.py", "Short.", "there is no sentence as", "CONTRIBUTING.md")

    def test_numbers_of_issues_in_code(self):
        self.write("src/y.cpp", "// Issue 4 asks for it.\n")
        self.expect("check_names.py", "", "src/y.cpp:1: no reader can look up Issue 4")

    def test_commands(self):
        for right in ("`./dev test --quick`", "```\n$ ./dev ci gcc-12 --dry-run   # says it\n```", "`tests/own.py --deep`", "`ASHLAR_SPEED=1 ./program`",
                      "    ./dev soak 1 --memory                  for an hour", "`--deep`", "```cpp\n./dev nonsense\n```"):
            with self.subTest(right=right):
                self.expect("check_commands.py", right, None)
        for wrong, complaint in (("`./dev tset`", "there is no ./dev tset"), ("`./dev test --quickly`", "./dev test has no --quickly"),
                                 ("`./dev ci gcc-9`", "./dev ci has no job gcc-9"), ("```\n$ ./dev test --quickly\n```", "docs/x.md:2: ./dev test has no --quickly"),
                                 ("    ./dev lintel            says it", "there is no ./dev lintel"), ("`tests/own.py --deeper`", "tests/own.py has no --deeper"),
                                 ("`tests/none.py --deep`", "there is no tests/none.py"), ("`--shallow`", "nothing has the option --shallow"),
                                 ("```\nASHLAR_SPEEDY=1 ./program\n```", "no code has ASHLAR_SPEEDY"), ("`cmake -DASHLAR_SLOW=ON`", "no code has ASHLAR_SLOW")):
            with self.subTest(wrong=wrong):
                self.expect("check_commands.py", wrong, complaint)

    def test_sentences(self):
        forty = " ".join(["Word", *["word"] * 39])
        for right in (f"{forty}.", f"{forty}. {forty}.", f"* {forty}\n* {forty}", f"| {forty} {forty} |", f"    {forty} {forty}", f"[Q1] {forty} x -> [Q2] y",
                      f"{forty[5:]} `one word of code`."):
            with self.subTest(right=right):
                self.expect("check_sentences.py", right, None, "src/own/README.md")
        self.expect("check_sentences.py", f"A.\n\n{forty}\nmore.", "src/own/README.md:3: 41 words", "src/own/README.md")
        self.expect("check_sentences.py", f"1. {forty};\n   more.", "41 words", "src/own/README.md")


if __name__ == "__main__":
    unittest.main()
