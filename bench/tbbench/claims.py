# SPDX-License-Identifier: Apache-2.0
"""What the TBBench paper says beside its figures, and whether these results agree. A comparison counts only if its 95 %
interval lies on one side of 1.
"""
from page import Claim

TBBS = ["ashlar", "onetbb", "tbb2020"]
OPENMPS = ["libgomp", "libomp"]
CHUNKS = [1, 2, 4, 8, 16, 32, 64, 128]


def times(value):
    return f"{value:.1f}" if value >= 2 else f"{value:.2f}"


def below(found, limit=1.0):
    """Whether a ratio with its interval lies below the limit: True, False, or None if that is undecided."""
    if found is None:
        return None
    low, high = found[1]
    return True if high < limit else False if low > limit else None


def overall(outcomes):
    """The verdict over several comparisons of one claim."""
    decided = [outcome for outcome in outcomes if outcome is not None]
    if not decided:
        return "open"
    return "holds" if all(decided) and len(decided) == len(outcomes) else "gone" if not any(decided) else "partly"


def compare(run, pairs, text, limit=1.0, absent="not measured"):
    """A claim that the first of each pair ((row, peer), (row, peer)) costs less than `limit` of the second."""
    outcomes, findings = [], []
    for (row, peer), (other_row, other_peer) in pairs:
        if not (run.stat(row, peer) and run.stat(other_row, other_peer)):
            continue
        found = run.ratio(row, peer, other_row, other_peer)
        first = run.title(peer) + (f" {row}" if row != other_row else "")
        second = run.title(other_peer) if peer != other_peer else other_row
        outcomes.append(below(found, limit))
        if found is None:
            findings.append(f"{first} / {second}: no ratio, the second is too small to be measured")
            continue
        findings.append(f"{first} / {second}: {times(found[0])} ({times(found[1][0])} to {times(found[1][1])})")
    return Claim(text, overall(outcomes), "\n".join(findings) or absent)


def present(run, row, peers):
    return [peer for peer in peers if run.stat(row, peer)]


def against_openmp(run, row, swap=False, other_row=None):
    """Pairs of every TBB with every OpenMP: (OpenMP, TBB), swapped (TBB, OpenMP)."""
    other_row = other_row or row
    made = [((row, tbb), (other_row, openmp)) for tbb in present(run, row, TBBS) for openmp in present(run, other_row, OPENMPS)]
    return made if swap else [(b, a) for a, b in made]


def figure_1(run):
    optimised = [(("parallel_for", f"ashlar{fast}"), ("parallel_for", f"ashlar{slow}"))
                 for fast, slow in (("", "@gcc-O0"), ("@clang-O2", "@clang-O0"))]
    return [compare(run, optimised, "“Optimization can improve performance by up to 23 % in the case of parallel_for.” Here: "
                                    "optimised code costs less."),
            same(run, [("parallel_for", "ashlar@clang-O2", "ashlar"), ("parallel_reduce", "ashlar@clang-O2", "ashlar")], 0.05,
                 "“The Intel compiler achieves better performance (up to 4 %)”: the compilers hardly differ. Here: g++ and clang at "
                 "-O2 lie within 5 %."),
            same(run, [(row, "ashlar@clang-O0", "ashlar@gcc-O0") for row in ("parallel_for", "parallel_reduce")], 0.05,
                 "“… while the Microsoft compiler achieves better performance (up to 5 %) when the optimization is disabled.” Here: at -O0 "
                 "they lie within 5 %, too.")]


def same(run, triples, tolerance, text):
    """A claim that two peers cost the same within the tolerance."""
    outcomes, findings = [], []
    for row, peer, other in triples:
        found = run.ratio(row, peer, row, other)
        if found:
            low, high = found[1]
            inside = 1 - tolerance <= low and high <= 1 + tolerance
            outside = high < 1 - tolerance or low > 1 + tolerance
            outcomes.append(True if inside else False if outside else None)
            findings.append(f"{row}, {run.title(peer)} / {run.title(other)}: {times(found[0])} ({times(low)} to {times(high)})")
    return Claim(text, overall(outcomes), "\n".join(findings) or "not measured")


def most(run, row, names):
    """The greatest ratio of a TBB to an OpenMP, in words."""
    found = [(run.ratio(row, t, row, o), t, o) for t in present(run, row, TBBS) for o in present(run, row, OPENMPS) if t in names]
    found = [entry for entry in found if entry[0]]
    return max(found, key=lambda entry: entry[0][0]) if found else None


def up_to(run, row, factor, text):
    """A claim that OpenMP is up to `factor` times better; it holds if one comparison reaches half of that factor."""
    found = most(run, row, TBBS)
    if not found:
        return Claim(text, "open", "not measured")
    (ratio, interval), tbb, openmp = found
    verdict = "holds" if interval[0] >= factor / 2 else "gone" if interval[1] < factor / 2 else "open"
    return Claim(text, verdict, f"At most {times(ratio)} times: {run.title(tbb)} beside {run.title(openmp)}.")


def figure_2(runs):
    run = runs[0]
    both = against_openmp(run, "parallel_for") + against_openmp(run, "parallel_reduce")
    found = [compare(run, both, "“OpenMP outperforms TBB for any kind of multi-core architecture.”"),
             up_to(run, "parallel_for", 8, "“OpenMP achieves an up to eight times better performance in the case of parallel_for.”"),
             up_to(run, "parallel_reduce", 3, "“… and performs up to three times better in the case of parallel_reduce.”")]
    return found + [machines(runs, "parallel_for", "“The newest architectures significantly reduce the parallel overheads.”")]


def machines(runs, row, text):
    if len(runs) < 2:
        return Claim(text, "open", "One machine was measured; give the report result files of several.")
    listing = "\n".join(f"{run.machine}: " + ", ".join(f"{run.title(p)} {run.cycles(run.stat(row, p)['mean']):.2f}"
                                                       for p in present(run, row, TBBS)) for run in runs)
    return Claim(text, "open", f"Kilo cycles of {row}\n{listing}")


def figure_3(run):
    spin = [(("spin_mutex", tbb), (row, tbb)) for tbb in TBBS for row in ("mutex", "queuing_mutex")]
    atomic = run.stat("atomic", "ashlar")
    others = [run.stat(row, "ashlar") for row in ("mutex", "queuing_mutex", "spin_mutex")]
    finding, verdict = "not measured", "open"
    if atomic and all(others):
        finding = f"{atomic['mean']:.1f} ns beside {min(o['mean'] for o in others):.0f} ns of the cheapest lock"
        finding += f"; the runs vary by {100 * atomic['cv']:.0f} %." if atomic["cv"] is not None else "."
        low = atomic["mean_interval"][1] < min(o["mean_interval"][0] for o in others)
        verdict = ("holds" if atomic["cv"] is not None and atomic["cv"] <= 0.05 else "partly") if low else "gone"
    return [compare(run, spin, "“Mutex and Queuing_Mutex incur substantial overheads in comparison to Spin_Mutex”, which is the "
                               "cheapest with two threads."),
            Claim("“The TBB Atomic operation achieves a low and very stable overhead.”", verdict, finding),
            compilers_differ(run, ["spin_mutex"], "The compilers differ “up to three times … for the optimized case of Spin_Mutex”."),
            same(run, [("atomic", "ashlar@clang-O2", "ashlar")], 0.06, "The compilers differ by “up to 6 % … for the Atomic operation”.")]


def compilers_differ(run, rows, text):
    """A claim that the choice of the compiler matters: somewhere clang's and g++'s costs lie more than half apart."""
    found = [(run.ratio(row, "ashlar@clang-O2", row, "ashlar"), row) for row in rows]
    found = [(ratio, row) for ratio, row in found if ratio]
    if not found:
        return Claim(text, "open", "not measured")
    (ratio, (low, high)), row = max(found, key=lambda entry: max(entry[0][0], 1 / entry[0][0]))
    apart, close = low > 1.5 or high < 1 / 1.5, low > 1 / 1.5 and high < 1.5
    return Claim(text, "holds" if apart else "gone" if close else "open",
                 f"clang / g++, {row}: {times(ratio)} ({times(low)} to {times(high)})" + (", where they differ most" if len(rows) > 1 else ""))


def figure_4(runs):
    return [compare(runs[0], against_openmp(runs[0], "spin_mutex", swap=True),
                    "“TBB appears to achieve less overhead than OpenMP on four of five architectures” with locks.")]


def figure_5(run):
    pairs = [(("spin_mutex", tbb), (row, tbb)) for tbb in TBBS for row in ("mutex", "queuing_mutex")]
    return [compare(run, pairs, "“These two mutexes are very expensive … as compared to Spin_Mutex”: here, spin_mutex costs less "
                                "than half of each.", limit=0.5)]


def figure_6(run):
    pairs = [(("simple", tbb), (best_chunk(run, tbb), tbb)) for tbb in TBBS if best_chunk(run, tbb) and run.stat("simple", tbb)]
    return [compare(run, pairs, "“The Simple option … outperforms any manual setting of a chunk size”: simple beside each library's best chunk."),
            compilers_differ(run, [f"chunk-{c}" for c in CHUNKS],
                             "The compilers differ by “up to 2.25 times … for a chunk size of 64”.")]


def best_chunk(run, tbb):
    rows = [f"chunk-{c}" for c in CHUNKS if run.stat(f"chunk-{c}", tbb)]
    return min(rows, key=lambda row: run.stat(row, tbb)["median"]) if rows else None


def figure_7(runs):
    run = runs[0]
    pairs = [(("simple", tbb), ("auto", tbb)) for tbb in TBBS]
    return [compare(run, pairs, "“The schedule option simple_partitioner exhibits the best performance”: simple costs less than auto."),
            machines(runs, "simple", "“The oldest architecture obtained a relatively high overhead as compared to the newest.”")]


def best_static(run, openmp):
    rows = [f"openmp-static-{c}" for c in CHUNKS if run.stat(f"openmp-static-{c}", openmp)]
    return min(rows, key=lambda row: run.stat(row, openmp)["median"]) if rows else None


def figure_8(run):
    equal = [((f"chunk-{c}", tbb), (f"openmp-static-{c}", openmp)) for tbb in TBBS for openmp in OPENMPS for c in (1, 64)]
    best = [((row, tbb), (best_static(run, openmp), openmp)) for tbb in TBBS for openmp in OPENMPS for row in ("simple", "auto")
            if best_static(run, openmp)]
    return [compare(run, equal, "“TBB outperforms OpenMP (approximately two times better)”: the same chunk costs less with TBB "
                                "(chunks 1 and 64)."),
            compare(run, best, "“simple_partitioner and auto_partitioner … exhibit a better performance than any OpenMP manual "
                               "setting”: both cost less than OpenMP's best static chunk.")]
