# SPDX-License-Identifier: Apache-2.0
"""A suite is a directory below bench/ with programs and a suite.toml that names their rows and goals.

bench/README.md describes the format. Loading checks everything that can be checked without running, so that a
misspelt key is an error and not a goal that silently nobody checks.
"""
import dataclasses
import fnmatch
import pathlib
import tomllib

KINDS = ("samples", "process", "compile", "count")
ROW_KEYS = {"id", "title", "kind", "program", "row", "threads", "cores_min", "unit", "samples", "rounds", "size",
            "quick_size", "sizes", "counts", "scale", "header", "headers", "against", "goal", "peers", "quick",
            "value", "env"}
MEAN_KEYS = {"id", "title", "groups", "goal"}
GOAL_KEYS = {"threads", "peer", "ratio", "absolute", "self_threads"}


class SuiteError(Exception):
    """One line that names the file and what is wrong in it."""


@dataclasses.dataclass
class Goal:
    threads: int
    peer: str | None = None        # ratio goals: ours / this peer; absolute goals: whose cost stands beside
    ratio: float | None = None
    absolute: float | None = None
    self_threads: int | None = None  # ratio goals against our own cost with so many threads

    def text(self, unit):
        if self.absolute is not None:
            return f"<= {self.absolute:g} {unit}"
        return f"<= {self.ratio:.2f}" + (f" of own {self.self_threads} threads" if self.self_threads else "")


@dataclasses.dataclass
class Row:
    id: str
    title: str
    kind: str
    unit: str
    threads: list
    goals: list
    program: str | None = None
    row: str | None = None
    cores_min: float = 0
    samples: int | None = None
    rounds: int | None = None
    size: int | None = None
    quick_size: int | None = None
    quick: bool = True             # part of a --quick run
    sizes: list | None = None      # count rows: the two problem sizes
    counts: str | None = None      # count rows: "instructions" or "locked"
    scale: float = 1.0             # count rows: operations of the program per operation of the row
    header: str | None = None      # compile rows
    against: str | None = None     # process rows: the program without the library
    peers: list | None = None      # only these; None: all whose dialect the program has
    value: str | None = None       # samples rows: the named value of the report instead of the samples
    env: dict = dataclasses.field(default_factory=dict)  # added to the environment of the program


@dataclasses.dataclass
class Program:
    name: str
    sources: dict                  # dialect -> path
    interfaces: list | None        # TBB interfaces it needs; None: any
    defines: list
    flags: list                    # further flags of the compiler
    preload: bool                  # built once; the peers are allocators, preloaded


@dataclasses.dataclass
class Mean:
    """Geometric mean of our ratios to a peer over groups of rows; within a group, rows and threads weigh as one."""
    id: str
    title: str
    groups: list                   # of lists of patterns of row ids
    goals: dict                    # peer -> ratio


@dataclasses.dataclass
class Suite:
    name: str
    title: str
    directory: pathlib.Path
    programs: dict
    rows: list
    peers: list                    # default peers, ours first
    means: list = dataclasses.field(default_factory=list)


def _goals(row, path):
    goals = []
    for entry in row.get("goal", []):
        unknown = set(entry) - GOAL_KEYS
        if unknown or ("ratio" in entry) == ("absolute" in entry):
            raise SuiteError(f"{path}: row '{row['id']}': a goal has exactly one of ratio and absolute"
                             + (f"; unknown key {sorted(unknown)[0]}" if unknown else ""))
        if "ratio" in entry and ("peer" in entry) == ("self_threads" in entry):
            raise SuiteError(f"{path}: row '{row['id']}': a ratio goal names a peer or self_threads")
        for threads in entry.get("threads", row["threads"]):
            if threads not in row["threads"]:
                raise SuiteError(f"{path}: row '{row['id']}': a goal for {threads} threads, which are not measured")
            goals.append(Goal(threads, entry.get("peer"), entry.get("ratio"), entry.get("absolute"),
                              entry.get("self_threads")))
        own = entry.get("self_threads")
        if own is not None and own not in row["threads"]:
            raise SuiteError(f"{path}: row '{row['id']}': self_threads {own} is not measured")
    return goals


def _row(entry, programs, path):
    unknown = set(entry) - ROW_KEYS
    if unknown:
        raise SuiteError(f"{path}: row '{entry.get('id')}': unknown key '{sorted(unknown)[0]}'")
    for key in ("id", "title", "unit"):
        if key not in entry:
            raise SuiteError(f"{path}: a row without '{key}'")
    kind = entry.get("kind", "samples")
    if kind not in KINDS:
        raise SuiteError(f"{path}: row '{entry['id']}': unknown kind '{kind}'")
    needed = {"samples": ["program", "row"], "count": ["program", "row", "sizes", "counts"],
              "process": ["program", "against"], "compile": ["header"]}[kind]
    for key in needed:
        if key not in entry:
            raise SuiteError(f"{path}: row '{entry['id']}' lacks '{key}'")
    for key in ("program", "against"):
        if key in entry and entry[key] not in programs:
            raise SuiteError(f"{path}: row '{entry['id']}': no program '{entry[key]}'")
    if kind == "count" and (entry["counts"] not in ("instructions", "locked") or len(entry["sizes"]) != 2):
        raise SuiteError(f"{path}: row '{entry['id']}': counts is 'instructions' or 'locked', sizes are two")
    entry.setdefault("threads", [1])
    fields = {key: value for key, value in entry.items() if key not in ("goal", "kind")}
    return Row(kind=kind, goals=_goals(entry, path), **fields)


def _mean(entry, rows, path):
    unknown = set(entry) - MEAN_KEYS
    if unknown or not {"id", "title", "groups"} <= set(entry):
        raise SuiteError(f"{path}: mean '{entry.get('id')}': unknown or missing keys")
    for pattern in (pattern for group in entry["groups"] for pattern in group):
        if not any(fnmatch.fnmatchcase(row.id, pattern) for row in rows):
            raise SuiteError(f"{path}: mean '{entry['id']}': no row matches '{pattern}'")
    return Mean(entry["id"], entry["title"], entry["groups"], entry.get("goal", {}))


def _expanded(entries):
    """A compile row with a list of headers stands for one row per header; {} in id and title is its name."""
    for entry in entries:
        for header in entry.get("headers", [None]):
            if header is None:
                yield dict(entry)
                continue
            name = header.removeprefix("tbb/").removesuffix(".h")
            one = {key: value for key, value in entry.items() if key != "headers"}
            yield {**one, "header": header, "id": entry["id"].format(name), "title": entry["title"].format(name)}


def load(directory):
    directory = pathlib.Path(directory)
    path = directory / "suite.toml"
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except FileNotFoundError as error:
        raise SuiteError(f"no suite '{directory.name}': {path} does not exist") from error
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"{path}: {error}") from error
    programs = {}
    for name, entry in data.get("program", {}).items():
        preload = entry.get("preload", False)
        only = "malloc" if preload else "tbb"
        sources = entry["source"] if isinstance(entry["source"], dict) else {only: entry["source"]}
        sources = {dialect: directory / file for dialect, file in sources.items()}
        for file in sources.values():
            if not file.is_file():
                raise SuiteError(f"{path}: program '{name}': {file.name} does not exist")
        programs[name] = Program(name, sources, entry.get("interfaces"), entry.get("defines", []),
                                 entry.get("flags", []), preload)
    rows = [_row(entry, programs, path) for entry in _expanded(data.get("row", []))]
    ids = [row.id for row in rows]
    if len(set(ids)) != len(ids):
        raise SuiteError(f"{path}: two rows with one id")
    return Suite(directory.name, data.get("title", directory.name), directory, programs, rows,
                 data.get("peers", ["ashlar", "onetbb", "tbb2020"]),
                 [_mean(entry, rows, path) for entry in data.get("mean", [])])
