#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/release.py asks for every place that has the version, and for the tests that nothing else calls."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import release  # noqa: E402
import source_tree as tree  # noqa: E402


class Release(unittest.TestCase):
    def test_no_place_of_the_version_is_forgotten(self):
        version = release.found("CMakeLists.txt", r"\nproject\(\w+ VERSION ([0-9.]+)")
        said = re.compile(rf"""["'(]{re.escape(version)}["')\\]""")
        names = [tree.relative(path) for path in tree.tracked_files()]
        stating = [name for name in names if re.match(r"[^/]*$|(cmake|debian|packaging|python)/", name) and not name.endswith(".md")
                   for _ in said.findall((ROOT / name).read_text())]
        self.assertEqual(stating, sorted(release.PLACES))

    def test_what_a_new_version_needs(self):
        lacking = {what for what, holds, _ in release.points("99.0.0") if not holds}
        for file in release.PLACES:
            self.assertIn(f"{file} has the version", lacking)
        self.assertIn("docs/releases/99.0.0.md is there", lacking)
        self.assertIn("debian/changelog has CHANGELOG.md's date", lacking)

    def test_what_needs_a_fresh_root_is_called(self):
        called = {command[-1] for _, command in release.LONG}
        scripts = [path for folder in ("docs", "packaging") for path in (ROOT / folder).rglob("*.py") if "mmdebstrap" in path.read_text()]
        self.assertEqual(len(scripts), 2)
        for script in scripts:
            self.assertIn(str(script.relative_to(ROOT)), called)


if __name__ == "__main__":
    unittest.main()
