#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/release.py asks for every place that has the version, and for the tests that nothing else calls; it makes a release of a tree."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import make_release  # noqa: E402
import project  # noqa: E402
import release  # noqa: E402
import source_tree as tree  # noqa: E402

VERSION, ADDRESS = "99.1.0", "https://code.example/ashlar"


def said(version):
    """Finds the version in quotes or brackets, as each tool spells it."""
    spellings = {project.spelled(version, form) for form in (None, project.DEBIAN, project.PYTHON)}
    return re.compile(rf"""["'(](?:{'|'.join(map(re.escape, spellings))})["')\\]""")


def git(folder, *words):
    return subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@a.invalid", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


class Places(unittest.TestCase):
    def test_no_place_of_the_version_is_forgotten(self):
        pattern = said(project.said()[0])
        names = [tree.relative(path) for path in tree.tracked_files()]
        stating = [name for name in names if re.match(r"[^/]*$|(cmake|debian|packaging|python)/", name) and not name.endswith(".md")
                   for _ in pattern.findall((ROOT / name).read_text())]
        self.assertEqual(stating, sorted(project.PLACES))

    def test_all_of_them_say_the_same(self):
        for file, text in project.wanted(ROOT, *project.said()):
            self.assertEqual((ROOT / file).read_text(), text, f"{file}: tools/project.py --version writes it")

    def test_no_document_has_an_address_of_its_own(self):
        for path in tree.tracked_files():
            if path.suffix == ".md" and tree.relative(path) not in project.DOCUMENTS:
                self.assertNotRegex(path.read_text(), r"git clone [A-Z]+ ashlar", tree.relative(path))
        for name in project.DOCUMENTS:
            self.assertRegex((ROOT / name).read_text(), project.BLOCK)

    def test_what_a_new_version_needs(self):
        lacking = {what for what, holds, _ in release.points("99.0.0", ROOT) if not holds}
        self.assertIn("CMakeLists.txt has the version", lacking)
        self.assertIn("docs/releases/99.0.0.md is there", lacking)
        self.assertIn("debian/changelog has CHANGELOG.md's date", lacking)

    def test_what_needs_a_fresh_root_is_called(self):
        called = {command[-1] for _, command in release.LONG}
        scripts = [path for folder in ("docs", "packaging") for path in (ROOT / folder).rglob("*.py") if "mmdebstrap" in path.read_text()]
        self.assertEqual(len(scripts), 2)
        for script in scripts:
            self.assertIn(str(script.relative_to(ROOT)), called)


class Making(unittest.TestCase):
    """Of a small tree with the files that say the version."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree, self.out = self.folder / "tree", self.folder / "out"
        for name in ("CMakeLists.txt", "CHANGELOG.md", *project.PLACES, *project.DOCUMENTS, "debian/control"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.tree / name)
        changes = self.tree / "CHANGELOG.md"
        changes.write_text("# Changelog\n\n## [Unreleased]\n\n* Something.\n\n## [0.1.0] - 2026-11-26\n\n* The first.\n")
        for name in (f"docs/releases/{VERSION}.md", f"tests/consume/abi/{VERSION}.abi.xz"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text("what is new\n")
        git(self.tree, "init", "-q")
        git(self.tree, "add", ".")
        git(self.tree, "commit", "-q", "-m", "all")
        self.source = self.out / "source"

    def prepared(self):
        author = make_release.prepare(self.tree, VERSION, ADDRESS, self.source)
        return author, [what for what, holds, _ in release.points(VERSION, self.source) if not holds]

    def test_all_points_hold_for_the_clone_and_the_tree_stays(self):
        before = git(self.tree, "rev-parse", "HEAD")
        author, lacking = self.prepared()
        self.assertEqual(lacking, [])
        make_release.tag(self.source, VERSION, author)
        self.assertEqual(git(self.source, "tag", "--points-at", "HEAD"), f"v{VERSION}")
        self.assertEqual((git(self.tree, "rev-parse", "HEAD"), git(self.tree, "status", "--porcelain"), git(self.tree, "tag")), (before, "", ""))
        self.assertEqual(git(self.source, "rev-parse", "HEAD~1"), before)
        for name in ("README.md", "SECURITY.md", "debian/control", "CMakeLists.txt"):
            self.assertIn(ADDRESS, (self.source / name).read_text(), name)
        self.assertNotIn(f"git clone {project.PLACEHOLDER}", (self.source / "docs/guide/get_started.md").read_text())
        for name in project.PLACES:
            self.assertRegex((self.source / name).read_text(), said(VERSION), name)

    def test_the_version_after_a_release_has_an_entry_of_its_own(self):
        project.write(self.tree, VERSION, "")
        project.begin_entry(self.tree)
        project.write(self.tree, "99.2.0-dev", "")
        entries = re.findall(r"^ashlar \((.*?)\)", (self.tree / "debian/changelog").read_text(), re.M)
        self.assertEqual(entries, ["99.2.0~dev", VERSION, "0.1.0"])

    def test_a_release_without_its_page_is_refused(self):
        git(self.tree, "rm", "-q", f"docs/releases/{VERSION}.md")
        git(self.tree, "commit", "-q", "-m", "no page")
        self.assertEqual(self.prepared()[1], [f"docs/releases/{VERSION}.md is there"])

    def test_the_archive_and_its_sum(self):
        self.prepared()
        make_release.make_parts(self.source, VERSION, self.out, ["archive"])
        archive = self.out / f"archive/ashlar-{VERSION}.tar.gz"
        listed = subprocess.run(["tar", "tzf", archive], capture_output=True, text=True, check=True).stdout.split()
        self.assertIn(f"ashlar-{VERSION}/CMakeLists.txt", listed)
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.out, check=True)

    def test_the_sites_versions(self):
        site = self.folder / "site"
        for name in ("0.9.0", "0.10.0", "0.2.0", "pictures"):
            (site / name).mkdir(parents=True)
        make_release.write_versions(site)
        self.assertIn("['0.10.0', '0.9.0', '0.2.0']", (site / "versions.js").read_text())
        self.assertIn("url=0.10.0/index.html", (site / "index.html").read_text())


class Host(unittest.TestCase):
    def test_the_workflow_makes_the_parts_as_here(self):
        workflow = (ROOT / ".github/workflows/release.yml").read_text()
        self.assertIn('tools/release.py "${GITHUB_REF_NAME#v}" --parts build/release-out', workflow)
        control = (ROOT / "debian/control").read_text()
        for package in re.findall(r"[a-z][\w.-]+-dev\b", re.search(r"^Build-Depends: (.*)$", control, re.M)[1]):
            self.assertIn(package, workflow)
        for part in make_release.PARTS:
            self.assertRegex(workflow, rf"build/release-out(?:/| -czf build/release-out/){part}")


if __name__ == "__main__":
    unittest.main()
