# SPDX-License-Identifier: Apache-2.0
"""Result files that somebody made to do harm: the page is refused with a line, or nothing in it acts."""
import contextlib
import copy
import html.parser
import io
import json
import pathlib
import random
import tempfile
import unittest

import support  # noqa: F401  pylint: disable=unused-import
import page

INPUT = pathlib.Path(__file__).with_name("golden") / "tbbench.json"
EVIL = "</title><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{0}%s\x1b[2J"
VALUES = (EVIL, None, -1, 0, 1e308, float("nan"), True, [], {}, [EVIL], {EVIL: EVIL}, "x" * 10000)


class Acts(html.parser.HTMLParser):
    """Counts what a browser would run or fetch."""

    def __init__(self):
        super().__init__()
        self.scripts, self.harm = 0, []

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.harm += [tag] if tag in ("img", "iframe", "object", "embed", "base", "meta-refresh") else []
        self.harm += [name for name, value in attrs if name.startswith("on") or str(value).strip().lower().startswith("javascript:")]


def places(value, path=()):
    """All values, each with its path of keys and indices."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield path + (key,), child
        yield from places(child, path + (key,))


def changed(document, path, value):
    made = copy.deepcopy(document)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return made


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.output = pathlib.Path(self.folder.name) / "page.html"

    def write(self, text):
        """The exit code of `run.py report` for such a file, and what it says."""
        file = pathlib.Path(self.folder.name) / "results.json"
        file.write_text(text, encoding="utf-8")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = page.main([str(file), "-o", str(self.output)])
        return code, said.getvalue()

    def check(self, text):
        code, said = self.write(text)
        if code != 0:
            self.assertEqual(said.count("\n"), 1, said)
            return False
        acts = Acts()
        acts.feed(self.output.read_text(encoding="utf-8"))
        self.assertEqual((acts.scripts, acts.harm), (1, []))
        return True

    def test_every_text_is_markup_and_any_value_another(self):
        document = json.loads(INPUT.read_text(encoding="utf-8"))
        rng = random.Random(5)
        texts = [(path, EVIL) for path, value in places(document) if isinstance(value, str)]
        others = [(path, rng.choice(VALUES)) for path, value in places(document)]
        chosen = rng.sample(texts, 12) + [c for c in others if len(c[0]) == 1] + rng.sample(others, 8)
        shown = sum(self.check(json.dumps(changed(document, path, value))) for path, value in chosen)
        self.assertGreater(shown, len(chosen) // 4)

    def test_all_texts_at_once(self):
        document = json.loads(INPUT.read_text(encoding="utf-8"))

        def poison(value, key=""):
            if isinstance(value, dict):
                return {k: poison(v, k) for k, v in value.items()}
            if isinstance(value, list):
                return [poison(v) for v in value]
            return value + EVIL if isinstance(value, str) and key in ("title", "cpu", "kernel", "commit", "missing", "disturbed", "unit") else value

        self.assertTrue(self.check(json.dumps(poison(document))))

    def test_no_code_is_loaded_from_where_a_file_says(self):
        evil = pathlib.Path(self.folder.name) / "evil"
        evil.mkdir()
        (evil / "sections.py").write_text(f"open({str(evil / 'ran')!r}, 'w').close()\ndef parts(documents):\n    return []\n")
        document = json.loads(INPUT.read_text(encoding="utf-8"))
        for suite in ("../../../../../../../.." + str(evil), str(evil), "a/b", "", ".", EVIL, 7, None, ["tbbench"]):
            code, said = self.write(json.dumps({**document, "suite": suite}))
            self.assertEqual(code, 2, said)
            self.assertFalse((evil / "ran").exists())

    def test_depth_and_garbage(self):
        for text in ("[" * 100000, '{"a":' * 100000, "", "nan", "\x00", "[]", "7", '"suite"', json.dumps(EVIL)):
            self.assertFalse(self.check(text))


if __name__ == "__main__":
    unittest.main()
