#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses tests of pointers without `nullptr`, and .cpp files that open a layer's namespace in three steps or without v1.

A pointer is a name that the file, or a header that it includes, declares as `T* name`, and nothing else under that name; of a member, no header
of the file's folder either. Not refused is
`if (T* p = f())`. Headers open `ashlar`, `inline namespace v1` and the layer one by one: they are C++17, which has no
`inline` in between. `namespace ashlar::os` is ashlar::v1::os for gcc, but a namespace of its own for clang 16 to 19.

--fix puts the comparisons there."""
import functools
import re
import sys

import source_tree as tree

# Documents show the shortest form.
LEFT_OUT = ("docs",)
DECLARED = re.compile(r"[\w>]\*+ (?:const )?(\w+)(?=\s*(?:[=;,){:]|\[))")
OTHERS = re.compile(r"(\S+) (?:const )?(\w+)(?=\s*[=;,){])")
KEYWORDS = {"return", "else", "case", "goto", "new", "delete", "throw", "const", "co_return", "co_yield", "co_await", "using", "typename", "operator"}
INCLUDED = re.compile(r'#\s*include [<"]([^">]+)[">]')
E = r"(?:[A-Za-z_]\w*(?:\.|->))*([A-Za-z_]\w*)"
NEGATED = re.compile(rf"!({E})(?![\w.(\[<:]|->)")
BARE = [re.compile(pattern) for pattern in (
    rf"(?<=\bif \()({E})(?=\)| &&| \|\|)", rf"(?<=\bwhile \()({E})(?=\)| &&| \|\|)", rf"(?<= && )({E})(?=\)| &&| \|\||;| \?)",
    rf"(?<= \|\| )({E})(?=\)| &&| \|\||;| \?)", rf"(?<=\breturn )({E})(?= && | \|\| | \? )", rf"(?<= = )({E})(?= && | \|\| | \? )",
    rf"(?<=; )({E})(?=; )", rf"(?<=LIKELY\()({E})(?=\)\))")]
THREE_STEPS = re.compile(r"^namespace ashlar \{\ninline namespace v1 \{\nnamespace \w+ \{\n(?:(?!^namespace|^\}  // namespace \w+\n).*\n)*^\}  // namespace \w+\n\}  // namespace v1\n", re.M)


# The command, the model checker and the simulator have no versions.
WITHOUT_VERSION = re.compile(r"^namespace ashlar::(?!inline v1::|command\b|model\b|sim\b)", re.M)


def blanked(text):
    """The text with comments and the contents of strings replaced by blanks, each character in its place."""
    return tree._TOKEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]) if not found[0].startswith("#") else found[0], text)


def pointers_of(code):
    """Names that are pointers here, and those that are something else."""
    others = {name for before, name in OTHERS.findall(code)
              if re.search(r"[\w>&]$", before) and before not in KEYWORDS and not before.endswith("&&") and "*" not in before}
    return set(DECLARED.findall(code)) - others, others


def headers_of(path, text):
    for name in INCLUDED.findall(text):
        for folder in (tree.ROOT / "include", tree.ROOT / "src", path.parent, tree.ROOT):
            if (folder / name).is_file():
                yield folder / name
                break


def bare_tests(path, text, declared):
    """Place, length and the text that belongs there."""
    code = blanked(text)
    names, others = pointers_of(code)
    for header in headers_of(path, text):
        more, but = declared(header)
        names, others = names | more, others | but
    of_folder = set().union(*(declared(header)[1] for header in path.parent.glob("*.h")))
    # What a header declares counts for members only; in this file a name of its own may be something else.
    own = set(DECLARED.findall(code))
    for pattern, compared in [(NEGATED, "== nullptr")] + [(bare, "!= nullptr") for bare in BARE]:
        for found in pattern.finditer(code):
            whole, name = found[1], found[2]
            member = name.endswith("_") or whole != name
            if name in names - others and (name not in of_folder if member else name in own):
                yield found.start(), found.end() - found.start(), f"{whole} {compared}"


def main():
    left_out = [tree.ROOT / folder for folder in LEFT_OUT]
    paths = [p for p in tree.tracked_files() if p.suffix in tree.CXX and not any(f in p.parents for f in left_out)]
    errors = []

    @functools.cache
    def declared(header):
        return pointers_of(blanked(header.read_text(encoding="utf-8")))
    for path in paths:
        text = path.read_text(encoding="utf-8")
        found = sorted(set(bare_tests(path, text, declared)))
        errors += [f"{tree.relative(path)}:{text.count(chr(10), 0, at) + 1}: write {new}" for at, _, new in found]
        if path.suffix == ".cpp" and THREE_STEPS.search(text):
            errors.append(f"{tree.relative(path)}: opens a layer's namespace in three steps, where `namespace ashlar::inline v1::layer` is enough")
        if WITHOUT_VERSION.search(text):
            errors.append(f"{tree.relative(path)}: opens a layer's namespace without v1, which for clang is another one")
        if "--fix" in sys.argv[1:]:
            for at, length, new in reversed(found):
                text = text[:at] + new + text[at + length:]
            path.write_text(text, encoding="utf-8")
    return tree.finish("check_nulls", errors, f"{len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())
