#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the commands of the documents exist, with their options: check_commands.py [BUILD_DIR].

Commands stand in backquotes and in blocks of code. ./dev is asked with --help, and so are the programs ashlar and ashlar-sim, if BUILD_DIR
has them: the help of a command names each of its options. A script of the tree has an option if its text, or that of a module in its folder, has
the option in quotes; so has an option that stands alone, in some file of the tree. `--rows` names rows of the suite. Names of CMake's
variables behind -D and of environment variables are words of the code. tools/documents.toml has the options of others' programs."""
import functools
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import source_tree as tree
from check_documents import PAST, QUOTED

BLOCK = re.compile(r"^( *)```(?!cpp|cmake|toml|json|python|ini)\w*\n(.*?)^ *```", re.M | re.S)
INDENTED = re.compile(r"^ {4,}(.*)$", re.M)
OPTION = re.compile(r"--[a-z][\w-]*")
VARIABLE = re.compile(r"\b(?:ASHLAR|TBB)_[A-Z][A-Z0-9_]*[A-Z0-9]\b")
SCRIPT = re.compile(r"[\w./-]+\.(?:py|sh)")
SEPARATORS = {"&&", "||", "|", ";", ">", "2>"}
FOREIGN = tomllib.loads((tree.ROOT / "tools/documents.toml").read_text())["foreign"]["options"]
ASKED = {}


def words_of(line):
    try:
        return shlex.split(re.sub(r"^\$ ", "", line.strip()), comments=True)
    except ValueError:  # an apostrophe of prose
        return []


def split_commands(words):
    """The simple commands of a line, without variables, `timeout N` and the like before them."""
    command = []
    for word in [*words, ";"]:
        if word in SEPARATORS or word.endswith(";"):
            if command:
                yield command
            command = []
        elif command or not (re.match(r"[A-Z_]+=", word) or word in ("timeout", "sudo", "python3", "python", "bash", "nice") or re.fullmatch(r"[\d.]+", word)):
            command.append(word.removeprefix("ashlar/") if word.endswith("ashlar/dev") else word)


def ask(*command):
    """The help of a command, or None if there is no such command."""
    if command not in ASKED:
        asked = subprocess.run([*map(str, command), "--help"], cwd=tree.ROOT, capture_output=True, text=True, timeout=300, check=False)
        ASKED[command] = asked.stdout if asked.returncode == 0 else None
    return ASKED[command]


def options_of(words):
    """Options of the command itself: not those behind --."""
    own = words[:words.index("--")] if "--" in words else words
    return [OPTION.match(word)[0] for word in own if OPTION.match(word)]


def lacking(words, told, name):
    return [f"{name} has no {option}" for option in options_of(words) if not re.search(rf"(?<![\w-]){option}(?![\w-])", told)]


@functools.cache
def text_of(path):
    return path.read_bytes().decode("utf-8", "ignore")


def check_rows(suite, words):
    file = tree.ROOT / "bench" / suite / "suite.toml"
    if "--rows" not in words[:-1] or not file.exists():
        return []
    rows = [row.strip("=") for row in words[words.index("--rows") + 1].split(",")]
    known = "\n".join(text_of(path) for path in sorted(file.parent.rglob("*")) if path.suffix in (".toml", ".cpp", ".h", ".py", ".md"))
    return [f"suite {suite} has no row {row}" for row in rows if row and row.rstrip("*") not in known]


def check_dev(words):
    if len(words) < 2 or words[1] in ("…", "...", "COMMAND"):
        return []
    name, rest = words[1], words[2:]
    if name.startswith("-"):
        return []
    asked = [sys.executable, tree.ROOT / "tools/dev.py", name]
    if name in ("bench",) and rest and re.fullmatch(r"[a-z][\w-]*", rest[0]):
        asked.append(rest[0])
    told = ask(*asked)
    if told is None:
        return [f"there is no ./dev {' '.join(map(str, asked[2:]))}"]
    if name == "ci":
        known = ask(sys.executable, tree.ROOT / "tools/ci.py") or ""
        return [f"./dev ci has no job {job}" for job in rest[:1] if job.islower() and job not in known] + lacking(rest, told, "./dev ci")
    if name in ("soak", "differ"):  # which pass on what their script takes
        told += text_of(tree.ROOT / f"tests/{name}/{name}.py") + text_of(tree.ROOT / "tests/soak/memory.py")
    return lacking(rest, told, f"./dev {' '.join(map(str, asked[2:]))}") + (check_rows(rest[0], rest) if name == "bench" and rest else [])


def check_program(words, program):
    sub = [word for word in words[1:2] if re.fullmatch(r"[a-z][\w-]*", word)]
    told = ask(program, *sub)
    if told is None:
        return [f"there is no {program.name} {' '.join(sub)}"]
    return lacking(words[1:], told, " ".join([program.name, *sub]))


def find_script(name, document):
    folders = [tree.ROOT, document.parent, *(p for p in (tree.ROOT / "sim/product", tree.ROOT / "tests/headers", tree.ROOT / "bench/harness"))]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def check_script(words, document):
    script = find_script(words[0], document)
    if script is None:
        return [f"there is no {words[0]}"] if (tree.ROOT / words[0]).parents[0].is_dir() else []
    known = text_of(script) + "".join(text_of(module) for module in sorted(script.parent.glob("*.py")))
    return [f"{words[0]} has no {option}" for option in options_of(words[1:])
            if option not in ("--help",) and not re.search(rf"[\"'|\[ ]{option}(?![\w-])", known)]


class Checker:
    def __init__(self, build):
        files = [path for path in tree.tracked_files() if not tree.relative(path).startswith(("bench/results/", "bench/history/")) and path.suffix != ".md"]
        self.words = {word for path in files for word in re.findall(r"\w+", text_of(path))}
        self.options = {option for path in files if path.suffix in tree.CXX | {".py", ".sh", ".cmake", ".txt", ".1"} or path.name == "dev"
                        for option in OPTION.findall(text_of(path))}
        programs = {"ashlar": "bin/ashlar", "ashlar-sim": "sim/ashlar-sim"}
        self.programs = {name: build / path for name, path in programs.items() if build and (build / path).exists()}
        self.number = 0

    def check_command(self, words, document):
        if words[0] in ("./dev", "dev"):
            complaints = check_dev(words)
        elif words[0] in self.programs:
            complaints = check_program(words, self.programs[words[0]])
        elif SCRIPT.fullmatch(words[0]) and not re.match(r"[/.~]|[A-Z]", words[0]) and (len(words) > 1 or "/" in words[0]):
            complaints = check_script(words, document)
        else:
            return []
        self.number += 1
        return complaints

    def check_line(self, line, document):
        for words in split_commands(words_of(line)):
            if words[0].startswith("--"):
                yield from (f"nothing has the option {option}" for option in options_of(words) if option not in self.options and option not in FOREIGN)
            else:
                yield from self.check_command(words, document)
        yield from (f"no code has {name}" for name in VARIABLE.findall(line) if name not in self.words)
        yield from (f"no code has {name}" for name in re.findall(r"(?<![\w-])-D(ASHLAR_\w+)", line) if name not in self.words)


def lines_of(text):
    """(position, line) of all code in a document."""
    for block in BLOCK.finditer(text):
        at = block.start(2)
        for line in block[2].split("\n"):
            yield at, line
            at += len(line) + 1
    rest = BLOCK.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)
    for found in INDENTED.finditer(rest):
        if re.match(r"(?:\$ )?(?:\./dev|timeout \d|[\w/]+\.py|ashlar(?:-sim)? [a-z])", found[1]):
            yield found.start(), re.split(r" {3,}", found[1])[0]  # behind three blanks stands what it does
    yield from ((quoted.start(), quoted[1]) for quoted in QUOTED.finditer(rest))


def main():
    checker = Checker(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    documents = [path for path in tree.tracked_files() if path.suffix == ".md" and not tree.relative(path).startswith(PAST)]
    errors = []
    for document in documents:
        text = document.read_text(encoding="utf-8")
        for at, line in lines_of(text):
            errors += [f"{tree.relative(document)}:{text[:at].count(chr(10)) + 1}: {complaint}" for complaint in checker.check_line(line, document)]
    missing = [name for name in ("ashlar", "ashlar-sim") if name not in checker.programs]
    if missing:
        print(f"check_commands: not built, so not asked: {', '.join(missing)}")
    return tree.finish("check_commands", errors, f"{checker.number} commands, {len(ASKED)} of them asked for their help")


if __name__ == "__main__":
    sys.exit(main())
