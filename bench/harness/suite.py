# SPDX-License-Identifier: Apache-2.0
"""A suite is a directory below bench/ with programs and a suite.toml that names their rows and goals.

bench/README.md describes the format. Loading checks everything that can be checked without running, so that a
misspelt key is an error and not a goal that silently nobody checks.
"""
import dataclasses
import difflib
import fnmatch
import os
import pathlib
import tomllib

KINDS = ("samples", "process", "compile", "count")
ROW_KEYS = {"id", "title", "kind", "program", "row", "threads", "cores_min", "unit", "samples", "rounds", "size",
            "quick_size", "sizes", "counts", "scale", "header", "headers", "against", "goal", "peers", "quick",
            "value", "env", "variants", "set", "sets", "needs", "us", "us_per", "each", "values", "any_load", "quick_threads",
            "least_threads"}
MEAN_KEYS = {"id", "title", "groups", "goal"}
GOAL_KEYS = {"threads", "peer", "ratio", "absolute", "self_threads", "least"}
PARAMETER_KEYS = {"default", "least", "most", "help"}
RUN_KEYS = {"rounds", "samples", "sample_ms", "warm_ms", "quick_rounds", "quick_samples", "quick_sample_ms", "quick_warm_ms",
            "sigma", "any_threads"}
VARIANT_KEYS = {"title", "compiler", "optimise"}


class SuiteError(Exception):
    """One line that names the file and what is wrong in it."""


@dataclasses.dataclass
class Goal:
    threads: int
    peer: str | None = None        # ratio goals: ours / this peer; absolute goals: whose cost stands beside
    ratio: float | None = None
    absolute: float | None = None
    self_threads: int | None = None  # ratio goals against our own cost with so many threads
    least: float | None = None     # ratio goals against a peer: the limit is never below that cost

    def text(self, unit):
        if self.absolute is not None:
            return f"<= {self.absolute:g} {unit}"
        if self.least is not None:
            return f"<= max({self.least:g}, {self.ratio:g} x peer)"
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
    variants: list = dataclasses.field(default_factory=list)  # other builds of the peers that measure it as well
    set: dict = dataclasses.field(default_factory=dict)  # parameters with a value of their own
    needs: str | None = None       # measured only if the user gives this parameter a value
    us: float = 0                  # about how long a repetition takes, to foretell how long a measurement will
    us_per: list = dataclasses.field(default_factory=list)  # parameters that it is proportional to; `us` is for their defaults
    least_threads: int = 1         # of the thread counts that the user names, in a suite that allows any
    any_load: bool = False         # what other processes do does not matter: bodies that sleep, or counts
    quick_threads: list | None = None  # of `threads`, those of a --quick run; None: all


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
    parameters: dict = dataclasses.field(default_factory=dict)  # name -> {default, least, most, help}
    variants: dict = dataclasses.field(default_factory=dict)    # name -> {title, compiler, optimise}
    runs: dict = dataclasses.field(default_factory=dict)        # RUN_KEYS: the suite's own rounds, samples, ...
    programs_of: str | None = None  # the peer whose programs run on our libtbb.so.12, instead of programs built for us

    def run_setting(self, key, quick, default):
        """The suite's value of rounds, samples, sample_ms or warm_ms, for a quick run its own."""
        return self.runs.get(f"quick_{key}" if quick else key, default)

    def use_threads(self, threads):
        """Measures every row with these thread counts, if the suite allows any; goals for others fall away."""
        if threads and self.runs.get("any_threads"):
            for row in self.rows:
                row.threads = [n for n in threads if n >= row.least_threads]
                row.goals = [goal for goal in row.goals if goal.threads in row.threads]

    def values(self, given):
        """Values for all parameters from NAME=VALUE texts; those without a default and not given are left out."""
        found = {name: spec["default"] for name, spec in self.parameters.items() if "default" in spec}
        for text in given:
            name, _, value = text.partition("=")
            spec = self.parameters.get(name)
            if spec is None:
                known = ", ".join(self.parameters) or "none"
                raise SuiteError(f"'{self.name}' has no parameter '{name}'; it has: {known}")
            try:
                number = int(value)
            except ValueError:
                number = None
            if number is None or not spec["least"] <= number <= spec["most"]:
                raise SuiteError(f"{name} is a number from {spec['least']} to {spec['most']}, not '{value}'")
            found[name] = number
        return found


def _goals(row, path):
    goals = []
    for entry in row.get("goal", []):
        unknown = set(entry) - GOAL_KEYS
        if unknown or ("ratio" in entry) == ("absolute" in entry):
            raise SuiteError(f"{path}: row '{row['id']}': a goal has exactly one of ratio and absolute"
                             + (f"; unknown key {sorted(unknown)[0]}" if unknown else ""))
        if "ratio" in entry and ("peer" in entry) == ("self_threads" in entry):
            raise SuiteError(f"{path}: row '{row['id']}': a ratio goal names a peer or self_threads")
        if "least" in entry and not {"peer", "ratio"} <= set(entry):
            raise SuiteError(f"{path}: row '{row['id']}': 'least' belongs to a ratio goal against a peer")
        for threads in entry.get("threads", row["threads"]):
            if threads not in row["threads"]:
                raise SuiteError(f"{path}: row '{row['id']}': a goal for {threads} threads, which are not measured")
            goals.append(Goal(threads, entry.get("peer"), entry.get("ratio"), entry.get("absolute"),
                              entry.get("self_threads"), entry.get("least")))
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


def _each(entries):
    """A row with `each` stands for one row per word; {} in id, title and row is the word."""
    for entry in entries:
        plain = {key: value for key, value in entry.items() if key != "each"}
        for word in entry.get("each", [None]):
            texts = {} if word is None else {key: entry[key].replace("{}", word) for key in ("id", "title", "row", "program", "value")
                                                    if key in entry}
            yield {**plain, **texts}


def _set_of_each(entries):
    """A row with `sets` stands for one row per value of these parameters; {NAME} in id and title is the value."""
    for entry in _each(entries):
        if "sets" not in entry:
            yield entry
            continue
        (name, values), = entry["sets"].items()
        for value in values:
            one = {key: content for key, content in entry.items() if key != "sets"}
            texts = {key: entry[key].replace("{" + name + "}", str(value)) for key in ("id", "title")}
            goals = [{k: v for k, v in goal.items() if k != name} for goal in entry.get("goal", [])
                     if goal.get(name, value) == value]
            yield {**one, **texts, "set": {**entry.get("set", {}), name: value}, "goal": goals}


def _one_per_value(entries):
    """A row with `values` stands for one row per named value of one run; a goal's `values` tells for which it holds."""
    for entry in _set_of_each(entries):
        plain = {key: content for key, content in entry.items() if key != "values"}
        for value, title in entry.get("values", {"": ""}).items():
            goals = [{k: v for k, v in goal.items() if k != "values"} for goal in entry.get("goal", [])
                     if not value or value in goal.get("values", [value])]
            named = {"id": f"{entry['id']}-{value}", "title": f"{entry['title']}: {title}", "value": value, "goal": goals}
            yield {**plain, **(named if value else {})}


def _expanded(entries):
    """A compile row with a list of headers stands for one row per header; {} in id and title is its name."""
    for entry in _one_per_value(entries):
        for header in entry.get("headers", [None]):
            if header is None:
                yield dict(entry)
                continue
            name = header.removeprefix("tbb/").removesuffix(".h")
            one = {key: value for key, value in entry.items() if key != "headers"}
            yield {**one, "header": header, "id": entry["id"].format(name), "title": entry["title"].format(name)}


def _check_tables(data, tables, path):
    for table, keys in tables.items():
        entries = [data.get(table, {})] if table == "runs" else data.get(table, {}).values()
        for entry in entries:
            unknown = set(entry) - keys
            if unknown:
                raise SuiteError(f"{path}: {table}: unknown key '{sorted(unknown)[0]}'")


def _check_names(row, data, path):
    names = [*row.set, *row.us_per, *([row.needs] if row.needs else [])]
    for kind, used in (("parameter", names), ("variant", row.variants)):
        for name in used:
            if name not in data.get(kind, {}):
                raise SuiteError(f"{path}: row '{row.id}': no {kind} '{name}'")


def nearest(name, names):
    """"; '…' is near", or nothing if no name is."""
    near = difflib.get_close_matches(name, names, 1)
    return f"; '{near[0]}' is near" if near else ""


def load(directory):
    directory = pathlib.Path(directory)
    path = directory / "suite.toml"
    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except FileNotFoundError as error:
        others = sorted({p.parent.name for p in directory.parent.glob("*/suite.toml")} |
                        {p.parent.name for p in directory.parent.glob("*/README.md") if list(p.parent.glob("*.py"))})
        raise SuiteError(f"no suite '{directory.name}'{nearest(directory.name, others)}. There are: {', '.join(others) or 'none'}"
                         ) from error
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
        flags = [*map(os.path.expandvars, data.get("flags", [])), *entry.get("flags", []), *(f"-I{(directory / folder).resolve()}" for folder in entry.get("includes", []))]
        programs[name] = Program(name, sources, entry.get("interfaces"), entry.get("defines", []), flags, preload)
    tables = {"runs": RUN_KEYS, "parameter": PARAMETER_KEYS, "variant": VARIANT_KEYS}
    _check_tables(data, tables, path)
    rows = [_row(entry, programs, path) for entry in _expanded(data.get("row", []))]
    for row in rows:
        _check_names(row, data, path)
    ids = [row.id for row in rows]
    if len(set(ids)) != len(ids):
        raise SuiteError(f"{path}: two rows with one id")
    return Suite(directory.name, data.get("title", directory.name), directory, programs, rows,
                 data.get("peers", ["ashlar", "onetbb", "tbb2020"]),
                 [_mean(entry, rows, path) for entry in data.get("mean", [])],
                 data.get("parameter", {}), data.get("variant", {}), data.get("runs", {}), data.get("programs_of"))
