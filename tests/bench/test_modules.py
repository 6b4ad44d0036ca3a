# SPDX-License-Identifier: Apache-2.0
"""The tests of the measurement scripts run in one process: no two folders that they put into the path may have a module of one name that they import."""
import collections
import pathlib
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]


def homes():
    """The project's folders of the path that have a module, by the module's name."""
    found = collections.defaultdict(set)
    for folder in {pathlib.Path(entry).resolve() for entry in sys.path if entry}:
        if PROJECT in folder.parents:
            for file in folder.glob("*.py"):
                found[file.stem].add(folder)
    return found


class Modules(unittest.TestCase):
    def test_each_imported_name_has_one_home(self):
        names = homes()
        self.assertIn("test_modules", names)
        self.assertEqual({name: folders for name, folders in names.items() if name in sys.modules and len(folders) > 1}, {})


if __name__ == "__main__":
    unittest.main()
