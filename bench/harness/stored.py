# SPDX-License-Identifier: Apache-2.0
"""Which stored results are of today's suites.

    ./dev bench stored            each suite, its newest stored result of a whole run at full length, and whether the suite has changed since
    ./dev bench stored --check    exit code 1 if one has changed, or none is stored
    ./dev bench stored --prune    deletes the results that newer ones of the same suite and machine replace; they stay in the history

A suite has changed if its programs, their headers or their list say something else than at the result's commit: comments and blank space don't
count, nor does what only tells and draws results (README, sections.py, figures.py, verdicts.py) or computes tables from a result's cells
whenever the result is read (the studies' policies.py and operations.py). The library's changes are counted beside: they don't make a
comparison wrong, but old.
"""
import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import tomllib

import cli
import progress
import store
import suite as suite_module

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / folder) for folder in ("characterisation", "victims")]

import characterise  # noqa: E402  pylint: disable=wrong-import-position
import victims  # noqa: E402  pylint: disable=wrong-import-position

NOT_MEASURING = ("README.md", "sections.py", "figures.py", "verdicts.py", "policies.py", "operations.py")
# Suites whose figures.py measures.
MEASURED_BY_FIGURES = ("kernels",)
# Not suites: code for others, what tells of several suites' results, and of counts that `./dev test --long` stores.
OTHERS = ("harness", "results", "paper", "scale", "history")
# What isn't measured again for each change, because it takes more than two hours; what a stored run took is told by itself.
LONG = {"kernels": "figure 6 with the paper's sizes, all styles and numbers of threads: 5 h", "tbbench": "the paper's repetitions: 33 h (ours: 1 h 30)"}
HOURS = 2
# What a whole run of the kernels has, whose results tell figures instead of rows; figure 6 is a long one.
KERNEL_FIGURES, KERNEL_THREADS, KERNEL_ROUNDS = {7, 8, 9}, {1, 2, 4, 8}, 5
# Suites that are a part of another folder.
PARTS = {"soft": ["bench/paper/soft_limit.py", "bench/paper/soft_limit_test.cpp"]}
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|\w+|[^\w\s]', re.DOTALL)


@dataclasses.dataclass
class Stored:
    suite: str
    newest: dict | None            # the document, without its cells
    changed: str                   # the last commit that changed the suite since, '' without any
    state: str                     # current, changed, not stored, of another history
    behind: int                    # commits to the library since

    @property
    def current(self):
        return self.state == "current"


def git(root, *arguments):
    """(output, whether it went well)."""
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip(), done.returncode == 0


def suites(root):
    """Every folder of bench/ that measures something."""
    folders = sorted(path for path in (root / "bench").iterdir() if path.is_dir() and path.name not in OTHERS)
    found = [f.name for f in folders if (f / "suite.toml").exists() or (list(f.glob("*.py")) and (f / "README.md").exists())]
    return sorted([*found, *(name for name, files in PARTS.items() if (root / files[0]).exists())])


def places(root, name):
    """What a suite's results depend on, as git takes paths: its folder, and its programs that lie elsewhere. A suite with a list is measured
    by the harness: of its folder only the list, the programs and headers count."""
    if name in PARTS:
        return PARTS[name]
    folder = root / "bench" / name
    if (folder / "suite.toml").exists():
        sources = [file for program in suite_module.load(folder).programs.values() for file in program.sources.values()]
        found = [f"bench/{name}/suite.toml", f"bench/{name}/*.h", *(str(file.resolve().relative_to(root)) for file in sources)]
        return list(dict.fromkeys(found))
    skipped = [file for file in NOT_MEASURING if not (file == "figures.py" and name in MEASURED_BY_FIGURES)]
    return [f"bench/{name}", *(f":(exclude)bench/{name}/{file}" for file in skipped)]


def meaning(path, text):
    """What of a file's text matters: of a list its entries, of a source the tokens without comments, of others all."""
    if path.endswith(".toml"):
        return tomllib.loads(text)
    if not path.endswith((".h", ".cpp")):
        return text
    return [token for token in TOKEN.findall(text) if not token.startswith(("//", "/*"))]


def changed_files(root, name, commit):
    """Those that say something else now than at the commit."""
    def at(when, path):
        text, there = git(root, "show", f"{when}:{path}")
        return meaning(path, text) if there else None

    touched, _ = git(root, "diff", "--name-only", "--no-renames", commit, "HEAD", "--", *places(root, name))
    return [path for path in touched.splitlines() if at(commit, path) != at("HEAD", path)]


def plan_of_victims():
    return {(program, threads, policy) for _, program, threads, policy in victims.plan(victims.arguments([]))}


def plan_of_characterisation():
    """The library's own runs: which of the peers' programs there are, only their builds tell."""
    return {(characterise.name_of(program, version, observed), threads, peer)
            for program, threads, peer, version, observed in characterise.plan(characterise.arguments([]), {})}


# The studies don't write their options into a result: its cells tell what was left out.
PLANS = {"victims": plan_of_victims, "characterisation": plan_of_characterisation}


def is_whole(document):
    """A run at full length that left out no row and no number of threads."""
    settings = document.get("settings", {})
    if document.get("interrupted") or document.get("quick") or any(settings.get(key) for key in ("quick", "rows", "threads")):
        return False
    if document["suite"] in PLANS:
        return PLANS[document["suite"]]() <= {(cell["row"], cell["threads"], cell["peer"]) for cell in document["cells"]}
    if document["suite"] != "kernels":
        return True
    rows = [row for figure in document["figures"] for rows in figure["results"].values() for row in rows if figure["figure"] in KERNEL_FIGURES]
    return (KERNEL_FIGURES <= {figure["figure"] for figure in document["figures"]} and KERNEL_THREADS <= set(document["threads"]) and
            all(len(row["rounds"]) >= KERNEL_ROUNDS for row in rows))


def newest_whole(root, name):
    """The newest stored result of a whole run."""
    found = []
    for path in store.paths(root, name):
        document = store.read(path)
        if document["suite"] == name and is_whole(document):
            found.append({key: document.get(key) for key in ("date", "commit", "machine", "settings", "seconds")})
    return max(found, key=lambda document: document["date"], default=None)


def replaced(root):
    """The stored results that are of no further use: of each suite and machine the newest stays, and the newest whole run."""
    found = {}
    for path in store.paths(root):
        document = store.read(path)
        found.setdefault((path.parent, document["suite"]), []).append((document["date"], is_whole(document), path))
    kept = {max(of_one)[2] for of_one in found.values()}
    kept |= {max(one for one in of_one if one[1])[2] for of_one in found.values() if any(whole for _, whole, _ in of_one)}
    return [path for of_one in found.values() for _, _, path in of_one if path not in kept]


def state_of(root, name):
    def last(*more):
        return git(root, "log", "-1", "--format=%h", *more)[0]

    newest = newest_whole(root, name)
    if newest is None:
        return Stored(name, None, last("--", *places(root, name)), "not stored", 0)
    commit = newest["commit"].partition("-")[0].partition("+")[0]
    _, known = git(root, "cat-file", "-e", f"{commit}^{{commit}}")
    if not known:
        return Stored(name, newest, last("--", *places(root, name)), "of another history", 0)
    behind, _ = git(root, "rev-list", "--count", f"{commit}..HEAD", "--", "src", "include")
    files = changed_files(root, name, commit)
    return Stored(name, newest, last(f"{commit}..HEAD", "--", *files) if files else "", "changed" if files else "current", int(behind))


def table(found):
    rows = [["suite", "state", "newest whole run", "processor", "rounds", "took", "suite changed by", "commits to the library since"]]
    for one in found:
        if one.newest is None:
            rows.append([one.suite, one.state, "–", "–", "–", "–", one.changed, "–"])
            continue
        settings = one.newest["settings"] or {}
        took = progress.duration(one.newest["seconds"]) if one.newest["seconds"] else "–"
        rows.append([one.suite, one.state, f"{one.newest['date'][:10]} {one.newest['commit'][:10]}", one.newest["machine"]["cpu"], str(settings.get("rounds", "–")), took, one.changed or "–", str(one.behind)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def main(argv=None, root=ROOT):
    parser = cli.Parser(prog="./dev bench stored", description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1],
                        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit code 1 if a suite has changed since its result, or has none")
    parser.add_argument("--prune", action="store_true", help="delete the results that newer ones of the same suite and machine replace")
    options = parser.parse_args(argv)
    if options.prune:
        for path in replaced(root):
            path.unlink()
            print(f"deleted {path.relative_to(root)}")
        return 0
    if not git(root, "rev-parse", "--git-dir")[1]:
        print("run.py stored: this tree has no history, which tells what has changed since", file=sys.stderr)
        return 2
    found = [state_of(root, name) for name in suites(root)]
    print("\n".join(table(found)))
    late = [one.suite for one in found if not one.current]
    print(f"\n{len(found) - len(late)} of {len(found)} suites have a stored result that is not older than their last change.")
    taken = {one.suite: f"the stored run: {progress.duration(one.newest['seconds'])}" for one in found if one.newest and (one.newest["seconds"] or 0) > 3600 * HOURS}
    for name, why in {**taken, **LONG}.items():
        print(f"More than {HOURS} hours: {name}, {why}.")
    return 1 if options.check and late else 0
