#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The release checklist: release.py VERSION [--run]. Says for each point if it holds; --run also does what takes long (tests, packages,
the site). Nothing is changed; when all holds, it prints the commands that make the release."""
import re
import subprocess
import sys
from email.utils import parsedate_to_datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Where the version stands besides CMakeLists.txt.
PLACES = {"meson.build": r"version: '([^']+)'", "MODULE.bazel": r'version = "([^"]+)"', "BUILD.bazel": r'VERSION = "([^"]+)"',
          "debian/changelog": r"ashlar \(([^)]+)\)", "packaging/conan/conanfile.py": r'version = "([^"]+)"', "packaging/vcpkg/ashlar/vcpkg.json": r'"version": "([^"]+)"',
          "packaging/conda/meta.yaml": r'version: "([^"]+)"'}
LONG = [("all tests, the long ones too", ["./dev", "test", "--long"]), ("the style checks", ["./dev", "lint"]),
        ("the site", ["./dev", "docs"]), ("the Debian packages, in a fresh root", [sys.executable, "packaging/debian_test.py"]),
        ("the packages of other systems", [sys.executable, "packaging/recipes_test.py"]),
        ("the site's first page, in a fresh root", [sys.executable, "docs/site/first_page.py"])]


def output(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def found(file, pattern):
    match = re.search(pattern, (ROOT / file).read_text())
    return match[1] if match else None


def points(version):
    """(what, does it hold, what is the matter)"""
    own = found("CMakeLists.txt", r"^project\(\w+ VERSION ([0-9.]+)") or found("CMakeLists.txt", r"\nproject\(\w+ VERSION ([0-9.]+)")
    yield "CMakeLists.txt has the version", own == version, f"it says {own}"
    for file, pattern in PLACES.items():
        there = found(file, pattern)
        yield f"{file} has the version", there == version, f"it says {there}"
    notes = re.search(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)\n(.*?)(?=^## |\Z)", (ROOT / "CHANGELOG.md").read_text(), re.M | re.S)
    yield "CHANGELOG.md has dated notes", bool(notes and notes[2].strip()), f"no section '## [{version}] - YYYY-MM-DD'"
    day = parsedate_to_datetime(found("debian/changelog", r"\n -- .*>  (.*)")).date().isoformat()
    yield "debian/changelog has CHANGELOG.md's date", bool(notes and notes[1] == day), f"it says {day}"
    page = f"docs/releases/{version}.md"
    yield f"{page} is there", (ROOT / page).exists(), "what a user must know of the release"
    open_notes = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", (ROOT / "CHANGELOG.md").read_text(), re.M | re.S)
    left = len(re.findall(r"^\* ", open_notes[1], re.M)) if open_notes else 0
    yield "nothing is left under [Unreleased]", left == 0, f"{left} entries"
    interface = f"tests/consume/abi/{version}.abi.xz"
    yield f"{interface} is stored", (ROOT / interface).exists(), f"./dev test consume.abi && xz -9c build/dev/consume/abi/found.abi > {interface}"
    yield "the tree is committed", not output("git", "status", "--porcelain"), "git status is not empty"
    yield "the tag is free", not output("git", "tag", "--list", f"v{version}"), f"v{version} exists"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--run"]
    if len(arguments) != 1 or not re.fullmatch(r"\d+\.\d+\.\d+", arguments[0]):
        sys.exit("usage: release.py VERSION [--run]     (a version is three numbers)")
    version, failed = arguments[0], 0
    for what, holds, matter in points(version):
        print(f"{'ok ' if holds else 'NO '} {what}{'' if holds else ': ' + matter}")
        failed += not holds
    for what, command in LONG:
        if "--run" not in sys.argv:
            print(f"    {what}: {' '.join(str(c) for c in command).replace(sys.executable, 'python3')}")
            continue
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        print(f"{'ok ' if code == 0 else 'NO '} {what}{' (skipped)' if code == 77 else ''}")
        failed += code != 0
    if failed:
        print(f"{failed} points don't hold")
        return 1
    print(f"git tag -a v{version} -m 'Ashlar {version}' && git push origin v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
