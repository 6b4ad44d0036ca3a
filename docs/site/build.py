#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site: ./dev docs, or build.py BUILD_DIR [--versions]. The page to open is BUILD_DIR/html/index.html. With --versions
each page can switch to the other versions that ../versions.js lists (tools/release.py).

BUILD_DIR/venv holds Sphinx (requirements.txt), BUILD_DIR/source what Sphinx reads: the repository's Markdown in its own
folders, and reference/, one page for each public entity, made of what Doxygen reads in the headers in each dialect. A warning
of Sphinx is an error. Exit code 77: a tool is missing, and can't be had."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import comments
import examples
import topics
from entities import Headers, Reader
from pages import Classes, Pages

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site"
SKIPPED = 77
# Macros as Doxygen is to see them: without what serves the compiler only.
PREDEFINED = ["ASHLAR_HOME(v)=", "ASHLAR_HOME_END=", "ASHLAR_KNOWN_IN(v,n)=", "ASHLAR_FLOW_HOME(v)=", "ASHLAR_FLOW_KNOWN_IN(v,n)=",
              "ASHLAR_FLOW_HOME_END=", "ASHLAR_FLOW_PARTS=namespace ashlar { namespace flow {", "ASHLAR_FLOW_PARTS_END=} }", "ASHLAR_REQUIRES(...)=", "ASHLAR_EXPORT=", "ASHLAR_ALWAYS_INLINE=inline", "ASHLAR_NOINLINE=",
              "ASHLAR_COLD=", "ASHLAR_TRY=try", "ASHLAR_CATCH_ALL=catch (...)", "ASHLAR_INITIAL_EXEC=", "ASHLAR_EXCEPTIONS=1",
              "ASHLAR_LEAN_HEADERS=1", "__cplusplus=202002L", "__cpp_impl_coroutine=201902L", "__cpp_lib_coroutine=201902L",
              "__linux__", "__GNUC__=12", "__x86_64__", "__attribute__(x)=", "TBB_USE_EXCEPTIONS=1"]
DIALECTS = {"": 0, "classic": 1}
MARKDOWN = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "src/**/README.md", "sim/README.md",
            "bench/README.md", "bench/*/README.md"]
SOURCES = ["examples/*", "docs/samples/*", "docs/**/*.png", "docs/**/*.svg"]
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def fail(text, code=1):
    print(f"docs: {text}", file=sys.stderr)
    sys.exit(code)


def sphinx(build):
    """The sphinx-build of BUILD_DIR/venv, made if it isn't there."""
    venv, wanted = build / "venv", (SITE / "requirements.txt").read_text()
    stamp = venv / "installed"
    if not stamp.exists() or stamp.read_text() != wanted:
        print("docs: creating the environment with Sphinx", flush=True)
        made = subprocess.run([sys.executable, "-m", "venv", venv], check=False).returncode or subprocess.run(
            [venv / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--timeout", "10", "--retries", "1",
             "-r", SITE / "requirements.txt"], check=False).returncode
        if made:
            fail("Sphinx could not be installed", SKIPPED)
        stamp.write_text(wanted)
    return venv / "bin/sphinx-build"


def stage_headers(build):
    """The headers with documentation comments."""
    target = build / "include"
    shutil.rmtree(target, ignore_errors=True)
    for path in (ROOT / "include").rglob("*.h"):
        made = target / path.relative_to(ROOT / "include")
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(comments.documented(path.read_text()))
    return target


def run_doxygen(build, dialect):
    folder = build / f"doxygen{'-' + dialect if dialect else ''}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    predefined = " ".join(f'"{macro}"' for macro in [*PREDEFINED, f"ASHLAR_CLASSIC_DIALECT={DIALECTS[dialect]}"])
    settings = (SITE / "Doxyfile").read_text() + f"INPUT = include\nINCLUDE_PATH = include\nOUTPUT_DIRECTORY = {folder}\nPREDEFINED = {predefined}\n"
    done = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=build, check=False, capture_output=True)
    if done.returncode:
        fail(done.stderr)
    return folder / "xml"


def write_reference(build, source):
    """All pages of the reference; returns the entities."""
    headers = Headers(ROOT / "include")
    staged = stage_headers(build)
    readers = [Reader(run_doxygen(build, dialect), headers, dialect) for dialect in DIALECTS]
    for reader in readers:
        reader.share_comments(staged)
    entities = readers[0].entities()
    for name, entity in readers[1].entities().items():
        entities.setdefault(name, entity)
    peers = json.loads((ROOT / "tests/headers/visible.json").read_text())
    writers = {reader.dialect: Pages(Classes(reader.compounds, reader.specialised, staged), peers, ROOT / "include", source / "reference")
               for reader in readers}
    for entity in entities.values():
        writers[entity.dialect].write(entity)
    unknown = [f"{file}: // Pages: {name}" for name, shown in examples.collect().items() if name not in entities for file, _ in shown]
    if unknown:
        fail("there is no page for " + "; ".join(unknown))
    used = sorted({*headers.public, *(e.header for e in entities.values())})
    for header in used:
        writers[""].write_header(header, [e for e in entities.values() if e.header == header])
    (source / "reference/index.rst").write_text("\n".join(topics.index(entities, used)))
    return entities


def is_orphan(path):
    """Is the page reached by links only? The suites' own pages are, from bench/README.md."""
    return path.parent.parent == ROOT / "bench"


def stage_markdown(source):
    """The repository's texts; a link to a file that is no page becomes the file's name."""
    staged = {path for pattern in MARKDOWN + SOURCES for path in ROOT.glob(pattern) if "site" not in path.parts and path.is_file()}
    for path in staged:
        target = source / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != ".md":
            shutil.copyfile(path, target)
            continue

        def relinked(found, path=path):
            text, link = found.groups()
            if re.match(r"\w+:|#", link):
                return found[0]
            aim = Path(os.path.normpath(path.parent / link.split("#")[0]))
            return found[0] if aim in staged and aim.suffix == ".md" else text

        orphan = "---\norphan: true\n---\n" if is_orphan(path) else ""
        target.write_text(orphan + LINK.sub(relinked, path.read_text()))
    shutil.copyfile(SITE / "index.md", source / "index.md")
    (source / "_static").mkdir(exist_ok=True)
    shutil.copyfile(SITE / "ashlar.css", source / "_static/ashlar.css")


def main():
    named = [argument for argument in sys.argv[1:] if argument != "--versions"]
    build = Path(named[0] if named else ROOT / "build/docs").absolute()
    if not shutil.which("doxygen"):
        fail("doxygen is not installed", SKIPPED)
    build.mkdir(parents=True, exist_ok=True)
    command = sphinx(build)
    source = build / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    print("docs: reading the headers in both dialects", flush=True)
    entities = write_reference(build, source)
    stage_markdown(source)
    shutil.rmtree(build / "html", ignore_errors=True)
    print(f"docs: making the pages of {len(list(source.rglob('*.rst'))) + len(list(source.rglob('*.md')))} texts: about a minute", flush=True)
    code = subprocess.run([command, "-q", "-W", "--keep-going", "-c", SITE, "-D", f"html_static_path={source / '_static'}", "-d", build / "doctrees",
                           *(["-A", "version_switch=1"] if "--versions" in sys.argv else []),
                           source, build / "html"], check=False).returncode
    # README's picture is one for light and one for dark pages, in HTML, which Sphinx hands on without a look at its files.
    for picture in (path for pattern in ("docs/**/*.svg", "docs/**/*.png") for path in ROOT.glob(pattern)):
        target = build / "html" / picture.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, target)
    print(f"docs: {len(entities)} public entities; {build / 'html/index.html'}")
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main())
