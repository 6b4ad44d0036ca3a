#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The release checklist, and the release:

    release.py VERSION [--run]                    says for each point if it holds for a release of this tree; --run also does what takes long
    release.py VERSION --make OUT [--address URL] commits and tags the version in a clone, OUT/source, and makes archive, wheels, Debian packages and site
    release.py VERSION --parts OUT                makes them of this tree, which has the tag: what a public host does (.github/workflows/release.yml)

--only PART[,PART] makes some of the parts; --wheels TARGET[,TARGET] some of the wheels; --before FOLDER has the site's earlier versions.
This tree is never changed. --make prints how the commit and the tag come into it."""
import argparse
import re
import subprocess
import sys
import tempfile
from email.utils import parsedate_to_datetime
from pathlib import Path

import make_release
import project

ROOT = Path(__file__).resolve().parent.parent
LONG = [("all tests, the long ones too", ["./dev", "test", "--long"]), ("the style checks", ["./dev", "lint"]),
        ("the site", ["./dev", "docs"]), ("the Debian packages, in a fresh root", [sys.executable, "packaging/debian_test.py"]),
        ("the packages of other systems", [sys.executable, "packaging/recipes_test.py"]),
        ("the site's first page, in a fresh root", [sys.executable, "docs/site/first_page.py"])]


def output(root, *command):
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout.strip()


def points(version, root):
    """(what, does it hold, what is the matter) of a tree whose next commit is the release."""
    own, address = project.said(root)
    yield "CMakeLists.txt has the version", own == version, f"it says {own}"
    for file, text in project.wanted(root, version, address):
        yield f"{file} has the version and the address", (root / file).read_text() == text, "tools/project.py --version writes them"
    changes = (root / "CHANGELOG.md").read_text()
    notes = re.search(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)\n(.*?)(?=^## |\Z)", changes, re.M | re.S)
    yield "CHANGELOG.md has dated notes", bool(notes and notes[2].strip()), f"no section '## [{version}] - YYYY-MM-DD'"
    day = parsedate_to_datetime(re.search(r"\n -- .*>  (.*)", (root / "debian/changelog").read_text())[1]).date().isoformat()
    yield "debian/changelog has CHANGELOG.md's date", bool(notes and notes[1] == day), f"it says {day}"
    page = f"docs/releases/{version}.md"
    yield f"{page} is there", (root / page).exists(), "what a user must know of the release"
    open_notes = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changes, re.M | re.S)
    left = len(re.findall(r"^\* ", open_notes[1], re.M)) if open_notes else 0
    yield "nothing is left under [Unreleased]", left == 0, f"{left} entries"
    interface = f"tests/consume/abi/{version}.abi.xz"
    yield f"{interface} is stored", (root / interface).exists(), f"./dev test consume.abi && xz -9c build/dev/consume/abi/found.abi > {interface}"
    yield "the tree is committed", not output(root, "git", "status", "--porcelain"), "git status is not empty"
    yield "the tag is free", not output(root, "git", "tag", "--list", f"v{version}"), f"v{version} exists"


def all_hold(version, root):
    lacking = 0
    for what, holds, matter in points(version, root):
        print(f"{'ok ' if holds else 'NO '} {what}{'' if holds else ': ' + matter}")
        lacking += not holds
    return lacking == 0


def check(version, run_long):
    """The points hold for the commit that --make would tag, and the long checks for this tree."""
    with tempfile.TemporaryDirectory() as folder:
        make_release.prepare(ROOT, version, None, Path(folder) / "source")
        good = all_hold(version, Path(folder) / "source")
    if output(ROOT, "git", "status", "--porcelain"):
        print("NO  this tree is committed: git status is not empty")
        good = False
    for what, command in LONG:
        if not run_long:
            print(f"    {what}: {' '.join(str(c) for c in command).replace(sys.executable, 'python3')}")
            continue
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        print(f"{'ok ' if code == 0 else 'NO '} {what}{' (skipped)' if code == 77 else ''}")
        good &= code == 0
    return good


def make(asked):
    source = asked.make / "source"
    if source.exists():
        sys.exit(f"{source} exists")
    asked.make.mkdir(parents=True, exist_ok=True)
    author = make_release.prepare(ROOT, asked.version, asked.address, source)
    if not all_hold(asked.version, source):
        sys.exit("nothing is tagged or made: some points don't hold")
    make_release.tag(source, asked.version, author)
    make_release.make_parts(source, asked.version, asked.make, asked.only, asked.wheels, asked.before)
    print(f"{asked.make / 'SHA256SUMS'} has what was made. Take it over and publish it:\n"
          f"git pull --ff-only {source} HEAD && git fetch {source} tag v{asked.version} && git push origin HEAD v{asked.version}\n"
          f"Then tools/project.py --version names the next version, with -dev.")


def make_parts(asked):
    said, _ = project.said(ROOT)
    if said != asked.version or f"v{asked.version}" not in output(ROOT, "git", "tag", "--points-at", "HEAD").split():
        sys.exit(f"this tree is {said} and its commit is not tagged v{asked.version}")
    make_release.make_parts(ROOT, asked.version, asked.parts, asked.only, asked.wheels, asked.before)


def main():
    def several(known):
        return lambda text: [part for part in text.split(",") if part in known or parser.error(f"{part} is none of {', '.join(known)}")]

    def folder(text):
        return Path(text).absolute()

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--make", metavar="OUT", type=folder)
    parser.add_argument("--parts", metavar="OUT", type=folder)
    parser.add_argument("--address", metavar="URL")
    parser.add_argument("--only", metavar="PART", type=several(make_release.PARTS), default=make_release.PARTS)
    parser.add_argument("--wheels", metavar="TARGET", type=several(("x86_64-glibc", "aarch64-glibc", "x86_64-musl", "aarch64-musl")), default=())
    parser.add_argument("--before", metavar="FOLDER", type=folder)
    asked = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+", asked.version):
        parser.error("a version is three numbers")
    if asked.make:
        return make(asked)
    if asked.parts:
        return make_parts(asked)
    return 0 if check(asked.version, asked.run) else 1


if __name__ == "__main__":
    sys.exit(main())
