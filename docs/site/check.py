#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists public names without a rendered page, pages without a text, main pages without an example, what pages load from another host, and local files and places that they link or load and
that aren't there: check.py BUILD_DIR (of build.py).

The names come from elsewhere than the pages: tests/headers/visible.json has what the compiler finds in the headers of oneTBB
2023.2 and TBB 2020, and the headers of the flow graph and of the C interface are searched for what they make known. Each has to
stand in the site's index of C++ names. Each page of the reference has text beside the declarations."""
import html
import json
import re
import sys
import urllib.parse
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMESPACES = {"detail", "ext", "info", "internal", "profiling", "this_task_arena", "this_tbb_thread", "strict_ppl", "flow"}
STANDARD = {"size_t", "ptrdiff_t"}
# Names that TBB's headers make visible by what they use themselves, and no user is meant to use.
NOT_PUBLIC = {"assertion_failure"}
# The texts that a page has without a comment on the entity.
OWN_TEXT = re.compile(r"#include|The name is also in|No TBB has this name|Only with|Inherited from|Deduction guides|Functions beside|Notes|"
                      r"It names this class")
# What a browser loads without being asked; a link that a reader follows is none of it.
LOADED = re.compile(r'<(?:script|img|iframe|source|video)\b[^>]*\ssrc="(?:https?:)?//[^"]*"|<link\b[^>]*\srel="(?!canonical|search|author|index)[^"]*"[^>]*'
                    r'\shref="(?:https?:)?//[^"]*"|@import\s+[^;]*//[^;]*|url\(["\']?(?:https?:)?//[^)]*\)')
# Pages that have an example (examples.py): algorithms, ranges and partitioners, tasks, arenas and controls, containers, nodes, locks, allocators.
MAIN = re.compile(r"tbb_(?:parallel_(?!do_feeder)\w+|blocked_\w+|\w+_partitioner|(?:isolated_|structured_)?task_group(?:_context)?|task(?:_arena|_handle|_scheduler_observer)?|"
                  r"global_control|this_task_arena_\w+|info_\w+|concurrent_\w+|enumerable_thread_specific|combinable|flow_(?!graph_)\w+_node|flow_graph|"
                  r"flow_(?:make|remove)_edge|(?:spin_|queuing_|speculative_spin_|recursive_)?(?:rw_)?mutex|(?!memory_pool)\w+_allocator|collaborative_call_once)|scalable_\w*alloc")
WITHOUT = {"tbb_flow_coroutine_node", "tbb_flow_source_node"}  # of C++20 and of the classic dialect, in which the samples are not compiled
EXAMPLES = 150
EXAMPLE = '<section id="example">'
# A link, a style sheet, a script or a picture without a host: of this site.
LOCAL = re.compile(r'<\w[^>]*\s(?:href|src|srcset)="((?!\w+:|//)[^"]+)"')
ANCHOR = re.compile(r'\s(?:id|name)="([^"]+)"')


def peers_names():
    recorded = json.loads((ROOT / "tests/headers/visible.json").read_text())
    return {f"tbb::{name}" for headers in recorded.values() for header in headers.values() for name in header["names"]
            if name not in NAMESPACES | STANDARD | NOT_PUBLIC}


def flow_names():
    known = set()
    for path in (ROOT / "include/ashlar/flow").rglob("*.h"):
        known.update(re.findall(r"ASHLAR_FLOW_KNOWN_IN\(\d+, (\w+)\)", path.read_text()))
    return {f"tbb::flow::{name}" for name in known}


def c_names():
    text = (ROOT / "include/ashlar/alloc/scalable_malloc.h").read_text() + (ROOT / "include/ashlar/alloc/malloc_stats.h").read_text()
    return set(re.findall(r"\b((?:scalable|ashlar_malloc)_\w+)\(", text))


def rendered(site):
    """C++ names of the site -> the page that has them."""
    raw = (site / "objects.inv").read_bytes()
    body = zlib.decompress(raw[[m.end() for m in re.finditer(b"\n", raw)][3]:]).decode()
    found = {}
    for line in body.splitlines():
        parts = re.match(r"(.+?) cpp:\w+ -?\d+ (\S*) .*", line)
        if parts:
            found[parts[1]] = parts[2].split("#")[0]
            scope, _, name = parts[1].rpartition("::")
            found.setdefault(f"{scope.rpartition('::')[0]}::{name}", parts[2].split("#")[0])  # an enumerator, by its short name
    return found


def has_text(page):
    """Does the page say anything besides its declarations and its example?"""
    text = re.search(r'<article.*?</article>', page.read_text(), re.S)[0].split(EXAMPLE)[0]
    return any(not OWN_TEXT.search(html.unescape(re.sub(r"<[^>]+>", "", para))) for para in
               re.findall(r"<p>(.*?)</p>", text, re.S) + re.findall(r"<pre>(.*?)</pre>", text, re.S))


def foreign_loads(site):
    """(page or style sheet, what it loads from elsewhere)"""
    for path in sorted([*site.rglob("*.html"), *site.rglob("*.css")]):
        yield from ((path.relative_to(site), found[0][:120]) for found in LOADED.finditer(path.read_text()))


def inner_members(pages):
    """(page, declaration) of what a page of the flow graph shows and no program can use: the types of its protocol."""
    for page in pages:
        if page.stem.startswith("tbb_flow_"):
            for shown in re.findall(r"<dt .*?</dt>", page.read_text(), re.S):
                text = html.unescape(re.sub(r"<[^>]+>", "", shown))
                if re.search(r"\bpassage\b|\b(?:job|slot) ?\*|\bgraph_core\b", text):
                    yield page.stem, " ".join(text.split())


def anchors_of(page, known):
    if page not in known:
        known[page] = set(map(html.unescape, ANCHOR.findall(page.read_text())))
    return known[page]


def missing_files(site):
    """(page, what it links or loads of this site that isn't there: a file, or a place in a page)"""
    known = {}
    for page in sorted(site.rglob("*.html")):
        for name in dict.fromkeys(LOCAL.findall(page.read_text())):
            path, _, anchor = html.unescape(urllib.parse.unquote(name)).partition("#")
            path = path.partition("?")[0]
            aim = (page.parent / path if path else page).resolve()
            aim = aim / "index.html" if aim.is_dir() else aim
            if not aim.exists() or anchor and aim.suffix == ".html" and anchor not in anchors_of(aim, known):
                yield page.relative_to(site), name


def main():
    site = Path(sys.argv[1]) / "html"
    names, found = peers_names() | flow_names() | c_names(), rendered(site)
    missing = sorted(names - set(found))
    pages = [page for page in sorted((site / "reference").glob("*.html")) if page.stem != "index" and not page.stem.startswith("header_")]
    shown = {page.stem for page in pages if EXAMPLE in page.read_text()}
    without = [page.stem for page in pages if MAIN.fullmatch(page.stem) and page.stem not in shown | WITHOUT]
    inner = list(inner_members(pages))
    for page, text in inner:
        print(f"{page} shows what is the library's own: {text}")
    silent = [page.stem for page in pages if not has_text(page)]
    for name in without:
        print(f"no example: {name}")
    for name in missing:
        print(f"no page: {name}")
    for name in silent:
        print(f"no text: {name}")
    print(f"{len(names)} names of the peers' headers, the flow graph and the C interface: {len(names) - len(missing)} have a page")
    print(f"{len(pages)} pages of the reference: {len(pages) - len(silent)} have a text")
    print(f"{len(shown)} of them have an example, at least {EXAMPLES} are wanted; {len(without)} main pages have none")
    loads = list(foreign_loads(site))
    for page, what in loads:
        print(f"{page} loads from another host: {what}")
    print(f"{len(list(site.rglob('*.html')))} pages, {len(loads)} loads from other hosts")
    files = list(missing_files(site))
    for page, name in files:
        print(f"{page} links or loads what isn't there: {name}")
    return 1 if missing or inner or silent or loads or files or without or len(shown) < EXAMPLES else 0


if __name__ == "__main__":
    sys.exit(main())
