# SPDX-License-Identifier: Apache-2.0
"""Puts the harness on the module path and builds small suites of fake programs for its tests."""
import pathlib
import sys

HARNESS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "harness"
sys.path.insert(0, str(HARNESS))


def write_suite(directory, text, files=("program.cpp",)):
    """A suite directory with this suite.toml and empty sources."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "suite.toml").write_text(text, encoding="utf-8")
    for file in files:
        (directory / file).write_text("int main() {}\n", encoding="utf-8")
    return directory


def fake_program(path, body):
    """An executable Python script; `body` sees sys.argv, json and os."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport json, os, sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def report_line(samples, ok=True, tbb="", **more):
    """A print statement of a program's report."""
    fields = {"ok": ok, "error": "" if ok else "sum", "samples": samples, "discarded": 0, "values": {}, "tbb": tbb, **more}
    return f"print(json.dumps({fields!r}))"
