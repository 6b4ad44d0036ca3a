#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev uninstall removes what ./dev install has put below a prefix, and nothing else."""
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import installed  # noqa: E402  pylint: disable=wrong-import-position


class Uninstall(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = Path(folder.name) / "prefix"

    def install(self, *names):
        for name in names:
            (self.prefix / name).parent.mkdir(parents=True, exist_ok=True)
            (self.prefix / name).write_text(name, encoding="utf-8")
        manifest = self.prefix.parent / "install_manifest.txt"
        manifest.write_text("\n".join(str(self.prefix / name) for name in names), encoding="utf-8")
        installed.note(self.prefix, manifest)

    def left(self):
        return sorted(str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*"))

    def uninstall(self, *arguments):
        return subprocess.run([ROOT / "dev", "uninstall", *arguments], capture_output=True, text=True, check=False)

    def test_all_goes_and_what_is_not_ours_stays(self):
        self.install("lib/libtbb.so", "include/tbb/tbb.h", "include/tbb/detail/x.h")
        (self.prefix / "include/other.h").write_text("", encoding="utf-8")
        (self.prefix / "lib/libtbb.so").unlink()
        (self.prefix / "lib/libtbb.so").symlink_to("nowhere")
        done = self.uninstall(self.prefix)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("4 files", done.stdout)
        self.assertEqual(self.left(), ["include", "include/other.h"])

    def test_what_an_earlier_installation_had_goes_too(self):
        self.install("lib/libtbb.so", "bin/ashlar")
        self.install("lib/libtbb.so")
        self.assertEqual(self.uninstall(self.prefix).returncode, 0)
        self.assertEqual(self.left(), [])

    def test_a_moved_prefix(self):
        self.install("lib/libtbb.so")
        self.prefix = Path(shutil.move(self.prefix, self.prefix.parent / "moved"))
        self.assertEqual(self.uninstall(self.prefix).returncode, 0)
        self.assertEqual(self.left(), [])

    def test_refusals_remove_nothing(self):
        self.prefix.mkdir()
        done = self.uninstall(self.prefix)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing was installed there by ./dev install", done.stderr)
        self.assertIn("takes one PREFIX", self.uninstall().stderr)
        self.install("lib/libtbb.so")
        (self.prefix.parent / "precious").write_text("", encoding="utf-8")
        with (self.prefix / installed.LIST).open("a", encoding="utf-8") as names:
            names.write("../precious\n")
        done = self.uninstall(self.prefix)
        self.assertEqual(done.returncode, 1)
        self.assertIn("outside", done.stderr)
        self.assertTrue((self.prefix.parent / "precious").exists() and (self.prefix / "lib/libtbb.so").exists())


class Obstacles(unittest.TestCase):
    """What keeps an installation from being made is told before the build."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_an_empty_place_has_none(self):
        self.assertIsNone(installed.obstacle(self.folder / "a/b"))

    def test_a_file_in_the_way(self):
        (self.folder / "a").write_text("", encoding="utf-8")
        done = subprocess.run([sys.executable, ROOT / "tools/dev.py", "install", self.folder / "a/b"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", f"dev: can't install: {self.folder / 'a'} is no folder\n"))

    def test_a_folder_of_another_user(self):
        with unittest.mock.patch("os.access", return_value=False):
            self.assertEqual(installed.obstacle(self.folder / "x"), f"this user may not write into {self.folder}")

    def test_a_full_disk(self):
        with unittest.mock.patch("shutil.disk_usage", return_value=unittest.mock.Mock(free=7 << 20)):
            self.assertIn("has 7 MB left", installed.obstacle(self.folder / "x"))


if __name__ == "__main__":
    unittest.main()
