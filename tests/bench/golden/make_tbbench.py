# SPDX-License-Identifier: Apache-2.0
"""Writes tbbench.json, a result file of constants, and with --figures what the page makes of it (look at the difference before you
keep it)."""
import dataclasses
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "bench" / "harness"))

import measure   # noqa: E402  pylint: disable=wrong-import-position
import page      # noqa: E402  pylint: disable=wrong-import-position
import report    # noqa: E402  pylint: disable=wrong-import-position
import suite     # noqa: E402  pylint: disable=wrong-import-position

BUILDS = {"gcc-O0": 1.2, "clang-O2": 1.02, "clang-O0": 1.3}
NS = {
    "parallel_for": {"ashlar": 400, "onetbb": 1000, "tbb2020": 1200, "libgomp": 500, "libomp": 500},
    "parallel_reduce": {"ashlar": 60, "onetbb": 120, "tbb2020": 130, "libgomp": 600, "libomp": 700},
    "spin_mutex": {"ashlar": 200, "onetbb": 200, "tbb2020": 200, "libgomp": 300, "libomp": 300},
    "queuing_mutex": {"ashlar": 300, "onetbb": 450, "tbb2020": 450},
    "mutex": {"ashlar": 300, "onetbb": 300, "tbb2020": 300},
    "atomic": {"ashlar": 8, "onetbb": 8, "tbb2020": 8, "libgomp": 8, "libomp": 9},
    "simple": {"ashlar": 3000, "onetbb": 9000, "tbb2020": 12000, "libgomp": 5000, "libomp": 50000},
    "auto": {"ashlar": 1500, "onetbb": 6000, "tbb2020": 5000, "libgomp": 1000, "libomp": 5000},
    "static": {"ashlar": 500, "onetbb": 2000, "tbb2020": 800, "libgomp": 1600, "libomp": 900},
}
for chunk in (1, 2, 4, 8, 16, 32, 64, 128):
    NS[f"chunk-{chunk}"] = {"ashlar": 800 + chunk, "onetbb": 2800 + chunk, "tbb2020": 3000 + chunk, "libgomp": 3500 - 10 * chunk,
                            "libomp": 48000 / chunk}
    NS[f"openmp-static-{chunk}"] = {"libgomp": 1600 - chunk, "libomp": 900 + chunk}


def cells(rows):
    made = []
    for row in rows:
        for peer, ns in NS.get(row.id, {}).items():
            builds = {"": 1, **({b: BUILDS[b] for b in row.variants} if peer in ("ashlar", "onetbb") else {})}
            for build, factor in builds.items():
                name = f"{peer}@{build}" if build else peer
                # Five runs, which a verdict needs, one per cent apart in samples, with a mean of exactly ns.
                series = [[ns * factor * x for x in (0.99, 1.0, 1.01)] for _ in range(5)]
                rounds = [{"values": {"mhz": 2000}}]
                made.append(measure.Cell(row.id, 2, name, rounds, series))
    return made


def main():
    loaded = suite.load(ROOT / "bench" / "tbbench")
    found = {(c.row, c.threads, c.peer): c for c in cells(loaded.rows)}
    names = list(dict.fromkeys(c.peer for c in found.values()))
    base = {"ashlar": "Ashlar", "onetbb": "oneTBB 2023.2", "tbb2020": "TBB 2020.0", "libgomp": "libgomp", "libomp": "libomp 19"}
    titles = {n: base[n.split("@")[0]] + (f", {loaded.variants[n.split('@')[1]]['title']}" if "@" in n else "") for n in names}
    rows = [row for row in loaded.rows if row.id in NS]
    about = {"date": "2026-01-01T00:00:00Z", "commit": "abc", "compiler": "g++",
             "machine": {"name": "golden", "cpu": "Golden CPU", "cpus": 2, "kernel": "6.1", "virtual": False},
             "peers": {n: {"title": titles[n], "version": "1", "missing": None} for n in names},
             "settings": {"rounds": 3, "samples": 3, "values": {"delaylength": 500}}, "seconds": 1, "measured": {}}
    document = report.document(loaded, report.lines(rows, found, names), found, about)
    (HERE / "tbbench.json").write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    if "--figures" in sys.argv:
        figures = [dataclasses.asdict(item) for item in page.parts_of([document])[0].items if isinstance(item, page.Figure)]
        (HERE / "tbbench-figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
