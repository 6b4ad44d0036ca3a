#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The project's version and address, and the files that say them: project.py [--check], project.py --version V, project.py --address URL.

CMakeLists.txt has both: project(VERSION, HOMEPAGE_URL) and the suffix -dev of a version that is not released yet. The other files say
what it says: package recipes in the forms of their tools, documents in the lines between `<!-- address: begin -->` and its end.
Without an option it tells where another version or address stands (exit code 1). With one it writes all of them."""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"\d+\.\d+\.\d+(?:-dev)?")
NUMBERS = re.compile(r"(\nproject\(ashlar VERSION )([\d.]+)()")
SUFFIX = re.compile(r'(\nset\(ASHLAR_VERSION_SUFFIX ")([^"]*)(")')
ADDRESS = re.compile(r'(HOMEPAGE_URL ")([^"]*)(")')
# A version in the form of a tool that knows no other.
DEBIAN = ("-dev", "~dev")
PYTHON = ("-dev", ".dev0")
# file: (pattern whose second group is the version, how the tool says -dev)
PLACES = {
    "meson.build": (r"(version: ')([^']+)(', license)", None),
    "MODULE.bazel": (r'(version = ")([^"]+)(", compat)', None),
    "BUILD.bazel": (r'(\nVERSION = ")([^"]+)(")', None),
    "debian/changelog": (r"(\Aashlar \()([^)]+)(\))", DEBIAN),
    "packaging/conan/conanfile.py": (r'(\n    version = ")([^"]+)(")', None),
    "packaging/vcpkg/ashlar/vcpkg.json": (r'("version-semver": ")([^"]+)(")', None),
    "packaging/conda/meta.yaml": (r'(\n  version: ")([^"]+)(")', PYTHON),
}
DOCUMENTS = ("README.md", "SECURITY.md", "docs/guide/get_started.md")
BLOCK = re.compile(r"(<!-- address: begin -->\n)(.*?)(<!-- address: end -->)", re.S)
HOME = re.compile(r"(Rules-Requires-Root: no\n)((?:Homepage: \S+\n)?)()")
CLONED = re.compile(r"(\$ git clone )(\S+)( ashlar\n)")
PLACEHOLDER = "SOURCE"
# What a document's lines say without an address and with one.
TOLD = {
    "README.md": ("The project has no public address yet: you have this text from a copy, and SOURCE below is that copy's folder or address.\n",
                  "The project lives at {address}.\n"),
    "docs/guide/get_started.md": ("SOURCE below is where you have this text from: a folder, or the address of a copy. The project has no public address yet.\n", ""),
    "SECURITY.md": ("Report a vulnerability privately, not in a public issue. The project has no public address yet: write to the person who gave you\n"
                    "your copy, or to the authors that `git log` names.\n",
                    "Report a vulnerability privately, not in a public issue: {address} has a private report for this project, and `git log` names its authors.\n"),
}
assert set(TOLD) == set(DOCUMENTS)


def spelled(version, form):
    return version.replace(*form) if form else version


def said(root=ROOT):
    """(version, address) that CMakeLists.txt says."""
    text = (root / "CMakeLists.txt").read_text()
    return NUMBERS.search(text)[2] + SUFFIX.search(text)[2], ADDRESS.search(text)[2]


def with_second(pattern, value, text):
    """The text with another second group of the pattern's first match."""
    return re.sub(pattern, lambda found: found[1] + value + found[3], text, count=1)


def wanted(root, version, address):
    """(file, its text as it has to be) for each file that says the version or the address."""
    numbers, _, suffix = version.partition("-")
    text = with_second(NUMBERS, numbers, (root / "CMakeLists.txt").read_text())
    yield "CMakeLists.txt", with_second(ADDRESS, address, with_second(SUFFIX, f"-{suffix}" if suffix else "", text))
    for file, (pattern, form) in PLACES.items():
        yield file, with_second(pattern, spelled(version, form), (root / file).read_text())
    file = "debian/control"
    yield file, with_second(HOME, f"Homepage: {address}\n" if address else "", (root / file).read_text())
    for file in DOCUMENTS:
        text = with_second(BLOCK, TOLD[file][bool(address)].format(address=address), (root / file).read_text())
        yield file, with_second(CLONED, address or PLACEHOLDER, text)


def write(root, version, address):
    for file, text in list(wanted(root, version, address)):
        (root / file).write_text(text)


def begin_entry(root):
    """A new entry of Debian's changelog above that of a released version, for the next one."""
    path = root / "debian/changelog"
    text = path.read_text()
    path.write_text(re.sub(r"\n  \*.*?(?=\n\n --)", "\n  * What is new stands in CHANGELOG.md.", text.split("\nashlar (")[0].rstrip("\n"), flags=re.S) + "\n\n" + text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="tell what differs (the default)")
    parser.add_argument("--version", metavar="V", help="N.N.N or N.N.N-dev")
    parser.add_argument("--address", metavar="URL", help="where the project can be cloned from; empty: nowhere yet")
    asked = parser.parse_args()
    version, address = said()
    if asked.version is None and asked.address is None:
        differing = [file for file, text in wanted(ROOT, version, address) if (ROOT / file).read_text() != text]
        print("\n".join([*(f"{file} says another version or address than CMakeLists.txt" for file in differing),
                         f"{version}, {address or 'no address yet'}: {len(differing)} files differ"]))
        return 1 if differing else 0
    if asked.version is not None and not VERSION.fullmatch(asked.version):
        parser.error("a version is three numbers, with -dev behind them if it is not released yet")
    if asked.version not in (None, version) and "-" not in version:
        begin_entry(ROOT)
    write(ROOT, asked.version or version, address if asked.address is None else asked.address)
    return 0


if __name__ == "__main__":
    sys.exit(main())
