# SPDX-License-Identifier: Apache-2.0
"""What the runs of `./dev bench clients` say: the proofs, ratios ours / oneTBB with their intervals, and the goals."""
import pathlib
import statistics

import client_places as places  # puts bench/harness into the path
import stats

assert places
MORE_WALL, WALL_MEAN, CPU, CPU_PAUSING = 1.03, 1.0, 1.0, 0.5
MEASURES = ("wall", "cpu", "memory_kib")


def complaints_about(done, library, both):
    """What a watched run shows against the library: it failed, or another one was in its memory."""
    if done["status"] != 0:
        return [f"{library.name}: exit code {done['status']}: {done['error']}"]
    folders = {other.name: [str(other.folder), *(str(path.resolve().parent) for path in other.beside)] for other in both}
    said = []
    if not any(str(pathlib.Path(path).parent) in folders[library.name] for path in done["libraries"]):
        said.append(f"{library.name} was never in its memory")
    strangers = [path for path in done["libraries"] if str(pathlib.Path(path).parent) not in folders[library.name]]
    return said + [f"{path} was in its memory besides {library.name}" for path in strangers]


def difference(expected, found):
    for one, other in zip(expected.splitlines(), found.splitlines()):
        if one != other:
            return f"'{other[:60]}' instead of '{one[:60]}'"
    return "a line more or less"


def series(result, library, key):
    """A sample per round, of the rounds that nobody disturbed."""
    limit = result["max_load"]
    return [[one[library][key]] if max(run["foreign_cores"] for run in one.values()) <= limit else [] for one in result["rounds"]]


def quiet_rounds(result):
    return sum(bool(samples) for samples in series(result, "ashlar", "wall"))


def ratios(result):
    """Measure -> (ratio, interval); of all rounds if each was disturbed."""
    found = {}
    for key in MEASURES:
        mine, theirs = (series(result, library, key) for library in ("ashlar", "onetbb"))
        if not any(mine):
            mine, theirs = ([[one[library][key]] for one in result["rounds"]] for library in ("ashlar", "onetbb"))
        found[key] = stats.ratio(mine, theirs), stats.ratio_interval(mine, theirs)
    return found


def median(result, library, key):
    return statistics.median(one[library][key] for one in result["rounds"]) if result["rounds"] else None


def over_time(result):
    """The memory of the long task in MiB, ours / oneTBB's: at half the time, at the end, and the most."""
    seen = {library: [one[library]["resident_kib"] for one in result["rounds"] if one[library].get("resident_kib")] for library in ("ashlar", "onetbb")}
    if not all(seen.values()):
        return None

    def middle(library, of):
        return f"{statistics.median(of(series) for series in seen[library]) / 1024:.0f}"
    parts = (("half", lambda series: series[len(series) // 2]), ("end", lambda series: series[-1]), ("most", max))
    return "resident MiB " + ", ".join(f"{title} {middle('ashlar', of)}/{middle('onetbb', of)}" for title, of in parts)


def goals(result, found):
    """(what, reached)"""
    limit = CPU_PAUSING if result["pauses"] else CPU
    return [(f"wall <= {MORE_WALL}", found["wall"][1] is None or found["wall"][1][0] <= MORE_WALL),
            (f"CPU <= {limit}", found["cpu"][1] is None or found["cpu"][1][0] <= limit)]


def line(result):
    head = f"{result['name']:14} {result['version']:16}"
    if result["missing"]:
        return f"{head} not here: {result['missing']}"
    said = [f"    {text}" for text in result["complaints"]]
    if not result["rounds"]:
        return "\n".join([f"{head} not measured", *said])
    found = ratios(result)
    missed = [what for what, reached in goals(result, found) if not reached]
    parts = []
    for key, title in (("wall", "wall"), ("cpu", "CPU"), ("memory_kib", "memory")):
        ratio, interval = found[key]
        parts.append(f"{title} {ratio:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""))
    of = f"{median(result, 'onetbb', 'wall'):.2f} s, {median(result, 'onetbb', 'cpu'):.2f} s CPU with oneTBB"
    said = [*said, f"    {over_time(result)}"] if over_time(result) else said
    quiet = f"; {quiet_rounds(result)} of {len(result['rounds'])} rounds undisturbed"
    return "\n".join([f"{head} {', '.join(parts)} ({of}{quiet}){'; missed: ' + ', '.join(missed) if missed else ''}", *said])


def failed(document):
    return any(result["complaints"] for result in document["results"])


def text(document):
    results = document["results"]
    measured = [result for result in results if result["rounds"]]
    lines = [f"{document['title']}\n{document['machine']['cpu']}, {document['machine']['cpus']} CPUs; commit {document['commit']}"]
    if measured:
        mean = statistics.geometric_mean([ratios(result)["wall"][0] for result in measured])
        lines.append(f"Wall time, geometric mean over {len(measured)} programs: {mean:.3f} of oneTBB's (goal: <= {WALL_MEAN})")
    missing = [result["name"] for result in results if result["missing"]]
    if missing:
        lines.append(f"Gaps: {', '.join(missing)}")
    wrong = [result["name"] for result in results if result["complaints"]]
    lines.append(f"Other results, crashes or another library: {', '.join(wrong) or 'none'}")
    return "\n".join(lines)
