# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "harness"))
import resume  # noqa: E402  pylint: disable=wrong-import-position


class Resume(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name) / "new" / "kernels.partial"
        self.ran = []

    def run_one(self, finished, library, arguments=("--threads", "1")):
        def run():
            self.ran.append(library)
            return {"library": library}
        return finished.report(1, 6, library, list(arguments), run)

    def test_goes_on_with_what_is_missing(self):
        first = resume.Finished(self.path, "abc")
        self.run_one(first, "ashlar")
        second = resume.Finished(self.path, "abc")
        self.assertEqual(self.run_one(second, "ashlar"), {"library": "ashlar"})
        self.run_one(second, "onetbb")
        self.assertEqual(self.ran, ["ashlar", "onetbb"])
        second.discard()
        self.assertFalse(self.path.exists())

    def test_other_commit_or_arguments_run_again(self):
        self.run_one(resume.Finished(self.path, "abc"), "ashlar")
        self.run_one(resume.Finished(self.path, "def"), "ashlar")
        self.run_one(resume.Finished(self.path, "abc"), "ashlar", ("--threads", "2"))
        self.assertEqual(len(self.ran), 3)

    def test_half_a_line_at_the_end(self):
        self.run_one(resume.Finished(self.path, "abc"), "ashlar")
        with self.path.open("a", encoding="utf-8") as file:
            file.write('{"key": "abc rou')
        again = resume.Finished(self.path, "abc")
        self.run_one(again, "ashlar")
        self.assertEqual(self.ran, ["ashlar"])


if __name__ == "__main__":
    unittest.main()
