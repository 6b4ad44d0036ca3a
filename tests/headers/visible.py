#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public header makes visible what the same header of oneTBB 2023.2 and TBB 2020 does: the names of namespace tbb and
the standard headers. In the oneTBB dialect that is the union of both, in the classic dialect what TBB 2020's header gives.
With all that, it compiles without a warning.

    visible.py SOURCE_DIR                               compares ours with visible.json
    visible.py SOURCE_DIR --record ONETBB TBB2020       writes visible.json from the include folders of the peers"""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CXX = os.environ.get("CXX_GCC", "g++")
PREVIEWS = [f"-DTBB_PREVIEW_{name}=1" for name in (
    "AGGREGATOR", "BLOCKED_RANGE_ND", "CONCURRENT_LRU_CACHE", "CONCURRENT_ORDERED_CONTAINERS", "MEMORY_POOL", "RUNTIME_LOADER")]
# Namespaces of versions hold what a using-declaration in tbb names as well; flow is the flow graph.
NOT_COMPARED = re.compile(r"interface\d+|v1|serial|flow|move|swap")
SILENT, STRICT = ["-w"], ["-Wall", "-Wextra", "-Wpedantic"]
COMPLAINT = re.compile(r"^(?!N_).*(?:error|warning): .*", re.M)
UNDECLARED = re.compile(r"^N_(\w+):1:\d+: error: .*has not been declared", re.M)
STANDARD = re.compile(r"/c\+\+/\d+/([a-z_]+)$")
KEYWORDS = ("char16_t char32_t const_cast dynamic_cast reinterpret_cast static_cast and bitand bitor compl not or xor asm auto bool "
            "break case catch char class const constexpr continue decltype default delete do double else enum explicit export extern "
            "false float for friend goto if inline int long mutable namespace new noexcept nullptr operator private protected "
            "public register return short signed sizeof static static_assert struct switch template this throw true try "
            "typedef typeid typename union unsigned using virtual void volatile wchar_t while alignas alignof errno").split()


def look(include, headers, names, flags):
    """The names of tbb and the standard headers that the headers make visible, or the compiler's first complaint."""
    text = "".join(f"#include <{header}>\n" for header in headers)
    text += "".join(f'#line 1 "N_{name}"\nnamespace probe {{ using tbb::{name}; }}\n' for name in names)
    with tempfile.TemporaryDirectory() as folder:
        list_of_files = Path(folder) / "files"
        run = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", "-fno-diagnostics-show-caret", "-MD", "-MF",
                              str(list_of_files), f"-I{include}", *flags, "-x", "c++", "-"], input=text, capture_output=True, text=True)
        complaint = COMPLAINT.search(run.stderr)
        if complaint or not list_of_files.exists():
            return {"complaint": complaint[0] if complaint else run.stderr[:1000]}
        files = list_of_files.read_text().replace("\\\n", " ").split()
    standard = {found[1] for file in files if (found := STANDARD.search(file))}
    return {"names": sorted(set(names) - set(UNDECLARED.findall(run.stderr))), "standard": sorted(standard)}


def candidates(folder):
    """Every identifier in the headers of a peer; the compiler tells which of them are names of tbb."""
    found = set()
    for path in Path(folder).rglob("*"):
        if path.is_file() and "flow" not in path.name:
            code = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(errors="replace"), flags=re.S)
            found.update(re.findall(r"\b[a-z]\w+\b", code))
    return sorted(found - set(KEYWORDS))


def public_headers(source):
    return sorted(str(path.relative_to(source / "include")) for path in (source / "include/tbb").rglob("*.h")
                  if not {"detail", "internal"} & set(path.parts))


def record(source, onetbb, tbb2020):
    headers, result = public_headers(source), {}
    for peer, include, flags in (("onetbb", onetbb, [*SILENT, "-D__TBB_TEST_PREVIEW=1"]), ("tbb2020", tbb2020, [*SILENT, *PREVIEWS])):
        present = [header for header in headers if (Path(include) / header).exists() and "disable" not in header]
        all_names = [name for name in look(include, present, candidates(include), flags)["names"] if not NOT_COMPARED.fullmatch(name)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            seen = pool.map(lambda header: look(include, [header], all_names, flags), present)
            result[peer] = {header: what for header, what in zip(present, seen) if "names" in what}
    lines = json.dumps(result, indent=1).replace("\n    ", " ").replace("\n   ]", " ]").replace("\n   \"", " \"").replace("\n  }", " }")
    (source / "tests/headers/visible.json").write_text(lines + "\n")
    return 0


def compare(source):
    peers = json.loads((source / "tests/headers/visible.json").read_text())
    dialects = {"oneTBB": (["onetbb", "tbb2020"], []), "classic": (["tbb2020"], ["-DASHLAR_CLASSIC_DIALECT=1", *PREVIEWS])}
    jobs = [(dialect, header) for dialect in dialects for header in public_headers(source)]

    def missing(job):
        dialect, header = job
        theirs, flags = dialects[dialect]
        wanted = [peers[peer][header] for peer in theirs if header in peers[peer]]
        names = sorted({name for entry in wanted for name in entry["names"]})
        standard = {name for entry in wanted for name in entry["standard"]}
        ours = look(source / "include", [header], names, [*STRICT, *flags])
        if "complaint" in ours:
            return f"{header} ({dialect} dialect): {ours['complaint']}"
        lost = sorted(set(names) - set(ours["names"])) + [f"<{name}>" for name in sorted(standard - set(ours["standard"]))]
        return f"{header} ({dialect} dialect) does not give {' '.join(lost)}" if lost else None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(missing, jobs) if failure]
    for failure in failures:
        print(failure)
    print(f"visible: {len(jobs)} headers and dialects, {len(failures)} failures")
    return 1 if failures else 0


def main():
    source = Path(sys.argv[1]).resolve()
    return record(source, *sys.argv[3:5]) if "--record" in sys.argv else compare(source)


if __name__ == "__main__":
    sys.exit(main())
