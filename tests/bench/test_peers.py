# SPDX-License-Identifier: Apache-2.0
import pathlib
import tempfile
import unittest
import unittest.mock
import zipfile

import support  # noqa: F401  pylint: disable=unused-import
import peers


def wheel(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


class Fetch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.sources = {
            "tbb": wheel(self.scratch / "tbb.whl", {"tbb-1.data/data/lib/libtbb.so": "library",
                                                    "tbb-1.data/data/share/doc/x": "no",
                                                    "tbb-1.dist-info/METADATA": "no"}),
            "tbb-devel": wheel(self.scratch / "devel.whl", {"tbb_devel-1.data/data/include/tbb/task.h": "header",
                                                            "tbb_devel-1.data/data/../../escape": "no"}),
        }
        self.downloads = 0
        self.spec = {"title": "T", "kind": "wheels", "dialect": "tbb", "compiler": "g++",
                     "wheels": [{"name": n, "version": "1", "sha256": peers.sha256(p)} for n, p in self.sources.items()]}

    def download(self, name, version, into):
        self.downloads += 1
        target = pathlib.Path(into) / f"{name}-{version}.whl"
        target.write_bytes(self.sources[name].read_bytes())
        return target

    def resolve(self, download=None):
        return peers.resolve_peer("t", self.spec, self.scratch / "cache", download or self.download)

    def test_headers_and_library_are_merged(self):
        peer = self.resolve()
        self.assertIsNone(peer.missing)
        self.assertEqual((peer.include / "tbb" / "task.h").read_text(), "header")
        self.assertEqual((peer.lib / "libtbb.so").read_text(), "library")
        self.assertEqual(sorted(p.name for p in peer.include.parent.iterdir()), ["include", "lib"])
        self.assertFalse(list(self.scratch.rglob("escape")))

    def test_fetched_once(self):
        self.resolve()
        self.resolve()
        self.assertEqual(self.downloads, 2)

    def test_wrong_sum_is_a_missing_peer_and_leaves_nothing(self):
        self.spec["wheels"][1]["sha256"] = "0" * 64
        self.assertIn("sha256", self.resolve().missing)
        self.assertEqual(list((self.scratch / "cache").iterdir()), [])

    def test_failed_download_is_a_missing_peer(self):
        def offline(name, version, into):
            raise OSError("pip could not download tbb 1: no network")
        peer = self.resolve(offline)
        self.assertEqual(peer.missing, "pip could not download tbb 1: no network")
        self.assertIsNone(peer.lib)

    def test_wheel_without_library_is_a_missing_peer(self):
        self.spec["wheels"].pop(0)
        self.assertIn("no include and lib tree", self.resolve().missing)


class Others(unittest.TestCase):
    def test_absent_compiler(self):
        spec = {"title": "X", "kind": "compiler", "dialect": "openmp", "compiler": "no-such-compiler", "flags": []}
        self.assertEqual(peers.resolve_peer("x", spec, None).missing, "no-such-compiler is not installed")

    def test_ours_from_an_empty_prefix(self):
        with tempfile.TemporaryDirectory() as scratch:
            self.assertIn("no include/tbb", peers.resolve_ours(scratch, scratch).missing)

    def test_unknown_name(self):
        with self.assertRaisesRegex(KeyError, "unknown peer 'nope'"):
            peers.resolve(["nope"])


class Checkout(unittest.TestCase):
    SPEC = {"title": "F", "kind": "checkout", "dialect": "f", "compiler": "g++", "flags": ["-std=c++20"], "version": "1", "variable": "THE_CHECKOUT",
            "header": "f/f.hpp"}

    def resolve(self, **environment):
        with unittest.mock.patch.dict("os.environ", environment):
            return peers.resolve_peer("f", self.SPEC, "unused")

    def test_the_environment_names_the_folder(self):
        self.assertIn("THE_CHECKOUT names no checkout", self.resolve().missing)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("no f/f.hpp", self.resolve(THE_CHECKOUT=folder).missing)
            pathlib.Path(folder, "f").mkdir()
            pathlib.Path(folder, "f", "f.hpp").touch()
            found = self.resolve(THE_CHECKOUT=folder)
        self.assertEqual((found.missing, found.include, found.dialect), (None, pathlib.Path(folder).resolve(), "f"))


if __name__ == "__main__":
    unittest.main()
