# SPDX-License-Identifier: Apache-2.0
"""A result file of TBBench, asked by row and peer."""
import statistics

import quiet
import stats

PAPER_THREADS = 2
SIGMA = 3              # as suite.toml
WHOLE = 0.95           # of the instructions per cycle that the core takes when it is not shared


class Run:
    def __init__(self, document):
        self.document = document
        counts = {s["threads"] for s in document["statistics"]}
        self.threads = PAPER_THREADS if PAPER_THREADS in counts or not counts else max(counts)
        self.statistics = document["statistics"]
        self._stats = {(s["row"], s["peer"]): s for s in self.statistics if s["threads"] == self.threads}
        self._series = {(c["row"], c["peer"]): c["series"] for c in document["cells"]
                        if c["threads"] == self.threads and not c["gap"]}
        self._reports = {(c["row"], c["threads"], c["peer"]): c["rounds"] for c in document["cells"] if not c["gap"]}
        widths = sorted(sample[3] for reports in self._reports.values() for report in reports for sample in report.get("samples", [])
                        if len(sample) > 3)
        self._whole = WHOLE * widths[99 * len(widths) // 100] if widths else 0
        # How many samples there are, and how many of them shared their core with another hardware thread.
        self.watched, self.shared = len(widths), sum(width < self._whole for width in widths)
        self._rows = {line["row"]: line["title"] for line in document["results"]}
        given = document["settings"].get("values", {}).get("mhz")
        rates = [s["mhz"] for s in self.statistics if s["mhz"]]
        self.mhz = given or (statistics.median(rates) if rates else 1000)
        self.mhz_source = "as given" if given else "measured" if rates else "unknown: 1000 assumed"
        self.machine = document["machine"].get("cpu") or document["machine"].get("name", "this machine")

    def title(self, peer):
        known = self.document["peers"].get(peer)
        return known["title"] if known else peer

    def row_title(self, row):
        return self._rows.get(row, row)

    def stat(self, row, peer):
        return self._stats.get((row, peer))

    def variation(self, row, threads, peer):
        """Coefficient of variation of T_p over the runs, in clock cycles; None for fewer than two runs. The overhead is a
        difference and may be zero, so a coefficient of its own says nothing. It is that of one state of the machine: of the
        samples that had their core to themselves, or of those that shared it if these are more than three quarters. Runs beside which
        other processes ran or of which fewer than half of the samples are in that state don't count, nor values beyond three
        standard deviations, here of all runs' samples, because of the five of a quick run none can lie so far out."""
        limit = self.document["settings"].get("max_load", 1)
        alone = [[s for s in report.get("samples", []) if len(s) > 3] for report in self._reports.get((row, threads, peer), [])
                 if not quiet.disturbs(report, limit)]
        shares = [width < self._whole for samples in alone for *_, width in samples]
        shared = 4 * sum(shares) > 3 * len(shares)
        runs = [[cycles for _, _, cycles, width in samples if (width < self._whole) == shared] for samples in alone]
        runs = [cycles for cycles, samples in zip(runs, alone) if cycles and 2 * len(cycles) >= len(samples)]
        kept = set(stats.without_outliers([x for cycles in runs for x in cycles], SIGMA)[0])
        means = [statistics.fmean(left) for cycles in runs if (left := [x for x in cycles if x in kept])]
        return statistics.stdev(means) / statistics.fmean(means) if len(means) > 1 else None

    def cycles(self, ns):
        """Kilo clock cycles."""
        return ns * self.mhz / 1e6

    def ratio(self, row, peer, other_row, other_peer):
        """(ratio, (low, high)) of the first to the second, run by run; None if one is missing or not positive."""
        first, second = self._series.get((row, peer), []), self._series.get((other_row, other_peer), [])
        value = stats.ratio(first, second)
        interval = stats.ratio_interval(first, second)
        return (value, interval) if value is not None and interval else None
