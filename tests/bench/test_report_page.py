# SPDX-License-Identifier: Apache-2.0
"""The page: its figures and verdicts against golden files, its text against mark-up in names, and the page in a browser."""
import dataclasses
import html.parser
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import support
import charts
import page
import store
import test_study

GOLDEN = pathlib.Path(__file__).with_name("golden")
INPUT = GOLDEN / "tbbench.json"
RUN = [sys.executable, str(support.HARNESS / "run.py")]
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Structure(html.parser.HTMLParser):
    """Finds unbalanced elements and everything that would be fetched."""
    VOID = {"meta", "br", "link", "img", "input", "hr"}

    def __init__(self):
        super().__init__()
        self.open, self.fetched = [], []

    def handle_starttag(self, tag, attrs):
        self.fetched += [value for name, value in attrs if name in ("src", "srcset", "data") or (name == "href" and not value.startswith("#"))]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise AssertionError(f"</{tag}> does not close what is open")


def parts():
    return page.parts_of([page.load(INPUT)])


class Golden(unittest.TestCase):
    maxDiff = None

    def test_figures_and_claims(self):
        made = json.loads(json.dumps([dataclasses.asdict(item) for item in parts()[0].items if isinstance(item, page.Figure)]))
        expected = json.loads((GOLDEN / "tbbench-figures.json").read_text(encoding="utf-8"))
        self.assertEqual(made, expected)

    def test_the_table_has_every_cell(self):
        table = parts()[0].items[-1]
        document = page.load(INPUT)
        self.assertEqual(len(table.rows), len(document["cells"]))
        self.assertIn(["parallel_for over nthreads delays", "2", "oneTBB 2023.2", "2.000", "1000.0"], [row[:5] for row in table.rows])
        self.assertEqual({len(row) for row in table.rows}, {len(table.head)})

    def test_variation_is_that_of_the_runs_cycles(self):
        def report(*samples, foreign=0.0):
            return {"samples": [[1, 1, cycles, width] for cycles, width in samples], "values": {"mhz": 2000}, "foreign_cores": foreign}
        document = page.load(INPUT)
        cell = next(c for c in document["cells"] if (c["row"], c["peer"]) == ("parallel_for", "onetbb"))
        # A core that takes 5 instead of 8 instructions is shared; a run without samples or beside other processes doesn't count.
        cell["rounds"] = [report((170, 8), (190, 8), (900, 5)), report((220, 7.9)), report((700, 5)), report(),
                          report((700, 8), foreign=1.5)]
        table = page.parts_of([document])[0].items[-1]
        shown = {tuple(row[:3]): row[table.head.index("CV of T_p")] for row in table.rows}
        # 180 and 220: mean 200, deviation 28.3.
        self.assertEqual(shown["parallel_for over nthreads delays", "2", "oneTBB 2023.2"], "14.1 %")
        self.assertIn("2 of 6 samples shared their core", table.note)
        # Of 21 samples one lies beyond three standard deviations; of the last run most samples shared their core.
        cell["rounds"] = [report(*[(100, 8)] * 10), report(*[(110, 8)] * 10, (900, 8)), report((500, 8), (1, 5), (1, 5))]
        rows = {tuple(row[:3]): row for row in page.parts_of([document])[0].items[-1].rows}
        self.assertIn("6.7 %", rows["parallel_for over nthreads delays", "2", "oneTBB 2023.2"])
        # Where nearly all shared it, their cycles count: 300 and 500, mean 400, deviation 141.4.
        cell["rounds"] = [report((170, 8), (300, 5), (300, 5)), report((500, 5), (500, 5))]
        rows = {tuple(row[:3]): row for row in page.parts_of([document])[0].items[-1].rows}
        self.assertIn("35.4 %", rows["parallel_for over nthreads delays", "2", "oneTBB 2023.2"])

    def test_values_by_hand(self):
        """The golden input is made of constants: 1000 ns at 2000 MHz are 2 kilo cycles, whatever the golden output says."""
        figures = {item.number: item for item in parts()[0].items if isinstance(item, page.Figure)}
        self.assertEqual(sorted(figures), [str(n) for n in range(1, 9)])
        by_name = {s.name: s for s in figures["2"].chart.series}
        self.assertAlmostEqual(by_name["oneTBB 2023.2"].values[0], 2.0)
        self.assertAlmostEqual(by_name["Ashlar"].values[0], 0.8)
        verdicts = {n: [claim.verdict for claim in figure.claims] for n, figure in figures.items()}
        # Ashlar 400 ns, oneTBB 1000, TBB 2020 1200, libgomp and libomp 500: OpenMP beats two of the three.
        self.assertEqual(verdicts["2"][0], "partly")
        # 1200/500 is 2.4 times, less than half of eight times.
        self.assertEqual(verdicts["2"][1], "gone")
        # Every spin_mutex costs 200, every OpenMP lock 300.
        self.assertEqual(verdicts["4"], ["holds"])
        # spin_mutex is below half of a queuing_mutex of 450, not of a mutex of 300.
        self.assertEqual(verdicts["5"], ["partly"])


class Page(unittest.TestCase):
    def test_figures_of_one_subject_share_a_card(self):
        chart = charts.Chart("bars", ["a"], [charts.Series("one", [1.0])], "ns")
        items = [page.Figure("3a", "Time: lu", chart, "Said.", "Means."), page.Figure("3b", "Time: swaptions", chart, "", "Means."),
                 page.Figure("4a", "Time: lu", chart), page.Table("T", ["x"], [["1"]])]
        text = page.part_html(page.Part("p", "P", "", items))
        self.assertEqual(re.findall(r'<figure id="([^"]*)"', text), ["p-3", "p-4a"])
        self.assertEqual(re.findall("<h4>([^<]*)</h4>", text), ["a · lu", "b · swaptions"])
        self.assertEqual((text.count("Said."), text.count("Means.")), (1, 1))
        self.assertEqual(re.findall(r'viewBox="0 0 (\d+)', text), [str(charts.NARROW)] * 2 + [str(charts.WIDE)])

    def test_goals_stand_row_by_row(self):
        document = page.load(INPUT)
        text = page.goals_html([document])
        self.assertEqual(text.count("<h3>spin_mutex acquire-release"), 1)
        self.assertEqual(text.count("class=ratio"), sum(bool(line["goal"]) for line in document["results"]))
        self.assertNotIn("2 threads", text)
        next(line for line in document["results"] if line["goal"])["threads"] = 4
        self.assertIn("<em>4 threads</em>", page.goals_html([document]))

    def test_whole_and_self_contained(self):
        text = page.render([page.load(INPUT)])
        structure = Structure()
        structure.feed(text)
        self.assertEqual(structure.open, [])
        self.assertEqual(structure.fetched, [])
        self.assertNotRegex(text.replace("http://www.w3.org/2000/svg", ""), r"https?://|@import|url\(")
        self.assertEqual(text.count("<svg"), 8)
        for verdict in ("holds", "gone", "partly", "open"):
            self.assertIn(f'<li class="{verdict}">', text)

    def test_markup_in_names_is_text(self):
        document = page.load(INPUT)
        document["peers"]["onetbb"]["title"] = "<script>alert(1)</script>"
        document["machine"]["cpu"] = "a<b&c"
        text = page.render([document])
        self.assertNotIn("<script>alert", text)
        self.assertIn("a&lt;b&amp;c", text)

    def test_a_suite_without_sections_shows_its_lines(self):
        document = {**page.load(INPUT), "suite": "queues"}
        made = page.parts_of([document])
        self.assertEqual([type(item) for item in made[0].items], [page.Table])
        self.assertEqual(len(made[0].items[0].rows), len(document["results"]))

    def test_two_machines_stand_beside_each_other(self):
        first, second = page.load(INPUT), page.load(INPUT)
        second["machine"] = {**second["machine"], "name": "other", "cpu": "Other"}
        made = page.parts_of([first, second])
        figure = next(item for item in made[0].items if isinstance(item, page.Figure) and item.number == "2")
        self.assertEqual(figure.chart.groups, ["parallel_for, Golden CPU", "parallel_for, Other", "parallel_reduce, Golden CPU",
                                               "parallel_reduce, Other"])


    def test_results_of_one_machine_are_chapters_of_their_own(self):
        first, second = page.load(INPUT), page.load(INPUT)
        second["date"] = "2026-01-02T03:04:05Z"
        made = page.parts_of([first, second])
        self.assertEqual([(part.name, part.title) for part in made], [("tbbench", "What parallel constructs cost"),
                                                                      ("tbbench-2", "What parallel constructs cost, 2026-01-02 03:04")])
        self.assertEqual(made[1].items[1].chart.groups, ["parallel_for", "parallel_reduce"])


class Charts(unittest.TestCase):
    def bars(self, **more):
        return charts.Chart("bars", ["a", "b"], [charts.Series("one", [1.0, 4.0], [0.5, 3.0], [1.5, 5.0]),
                                                 charts.Series("two", [2.0, None])], "ns", **more)

    def test_heights_are_proportional(self):
        heights = [float(h) for h in re.findall(r'height="([\d.]+)" rx="2.5"', charts.svg(self.bars(), "x"))]
        self.assertEqual(len(heights), 3)
        self.assertAlmostEqual(heights[2] / heights[0], 4, delta=0.05)
        self.assertAlmostEqual(heights[1] / heights[0], 2, delta=0.05)

    def test_negative_values_hang_below_zero(self):
        chart = charts.Chart("bars", ["a"], [charts.Series("one", [-1.0])], "ns")
        axis = charts.Axis(chart)
        y = float(re.search(r'<rect x="[\d.]+" y="([\d.]+)"', charts.svg(chart, "x")).group(1))
        self.assertEqual(y, axis.y(0))
        self.assertLess(axis.y(0), axis.y(-1))

    def test_logarithm(self):
        axis = charts.Axis(charts.Chart("lines", ["a", "b", "c"], [charts.Series("s", [0.1, 1.0, 10.0])], "ns", log=True))
        self.assertAlmostEqual(axis.y(0.1) - axis.y(1), axis.y(1) - axis.y(10), delta=0.2)
        self.assertEqual(axis.y(-5), axis.y(0.1))

    def test_ticks_have_equal_decimals(self):
        self.assertEqual(charts.tick_texts([-2.5, 0, 2.5, 5.0], False), ["−2.5", "0", "2.5", "5.0"])
        self.assertEqual(charts.tick_texts([0, 20000, 40000], False), ["0", "20 000", "40 000"])
        self.assertEqual(charts.tick_texts([0.01, 0.1, 1, 10, 1000], True), ["0.01", "0.1", "1", "10", "1 000"])

    def test_long_numbers_beside_the_axis_have_room(self):
        for top in (1.0, 2e7, 1e9, 1e12):
            drawing = charts.svg(charts.Chart("bars", ["a"], [charts.Series("one", [top])], "ns", log=top > 2e7), "x")
            for end, label in re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="end" class="d">([^<]+)<', drawing):
                self.assertGreater(float(end), charts.DIGIT * len(label))

    def test_nothing_to_draw_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "without values: empty"):
            charts.svg(charts.Chart("bars", [], [], "ns"), "empty")

    def test_themes_stand_alone(self):
        for theme in charts.PALETTE:
            text = charts.themed(charts.svg(self.bars(), "x"), theme)
            for name in set(re.findall(r"var\(--(\w+)\)", text)):
                self.assertIn(f"--{name}:", text)


class Commands(unittest.TestCase):
    def run_command(self, *arguments):
        done = subprocess.run([*RUN, *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def test_report_and_plot(self):
        with tempfile.TemporaryDirectory() as scratch:
            target = pathlib.Path(scratch)
            self.assertEqual(self.run_command("report", INPUT, "-o", target / "sub" / "r.html").returncode, 0)
            self.assertIn("<!doctype html>", (target / "sub" / "r.html").read_text(encoding="utf-8"))
            self.assertEqual(self.run_command("plot", INPUT, "-o", target / "svg").returncode, 0)
            names = sorted(path.name for path in (target / "svg").iterdir())
        self.assertEqual(names, sorted(f"tbbench-{n}-{theme}.svg" for n in range(1, 9) for theme in ("light", "dark")))

    def test_all_stored_results_make_one_page(self):
        """Whatever suite they are of, several runs of a suite with chapters of their own."""
        stored = store.paths()
        with tempfile.TemporaryDirectory() as scratch:
            target = pathlib.Path(scratch) / "all.html"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = self.run_command("report", *stored, "-o", target)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("reading", done.stderr)
            # Three seconds are asked on a quiet machine; one that runs tests is not quiet.
            self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2 * 3)
            chapters = re.findall('<section id="([^"]*)"><h2>([^<]*)', target.read_text(encoding="utf-8"))
        for place in (0, 1):
            named = [chapter[place] for chapter in chapters]
            self.assertEqual([name for name in set(named) if named.count(name) > 1], [])
        self.assertIn("soak", dict(chapters))
        self.assertIn("sources", dict(chapters))

    def test_bad_input_gives_one_line(self):
        with tempfile.TemporaryDirectory() as scratch:
            broken = pathlib.Path(scratch) / "broken.json"
            broken.write_text("{", encoding="utf-8")
            other = pathlib.Path(scratch) / "other.json"
            other.write_text('{"suite": "x"}', encoding="utf-8")
            file = pathlib.Path(scratch) / "file"
            file.write_text("", encoding="utf-8")
            plain = pathlib.Path(scratch) / "plain.json"
            plain.write_text(json.dumps({**page.load(INPUT), "suite": "queues"}), encoding="utf-8")
            for arguments, code, message in (
                    (("report", "/nonexistent.json"), 2, "cannot read /nonexistent.json"),
                    (("report", broken), 2, "is not a result file"),
                    (("report", other), 2, "it has no 'title'"),
                    (("report", INPUT, "-o", file / "r.html"), 1, "cannot write"),
                    (("plot", INPUT, "-o", file / "svg"), 1, "cannot write"),
                    (("plot", plain, "-o", pathlib.Path(scratch) / "svg"), 2, "nothing to draw"),
                    (("compare", broken, INPUT), 2, "is not a result file"),
                    (("compare", INPUT, "/nonexistent.json"), 2, "cannot read /nonexistent.json")):
                done = self.run_command(*arguments)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
                self.assertIn(message, done.stderr)

    def test_compare(self):
        with tempfile.TemporaryDirectory() as scratch:
            slower = json.loads(INPUT.read_text(encoding="utf-8"))
            for cell in slower["cells"]:
                if cell["row"] == "atomic" and cell["peer"] == "ashlar":
                    cell["series"] = [[2 * x for x in samples] for samples in cell["series"]]
            after = pathlib.Path(scratch) / "after.json"
            after.write_text(json.dumps(slower), encoding="utf-8")
            done = self.run_command("compare", INPUT, after, "--rows", "atomic")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if line.startswith("atomic")]
        self.assertEqual([line.split()[-1] for line in lines if " ashlar " in line], ["slower"])
        self.assertEqual({line.split()[-1] for line in lines if " ashlar " not in line}, {"same"})


def study_documents():
    """A result file of each study with all programs, policies and thread counts."""
    programs, found = test_study.study_build.PROGRAMS, []
    for number, program in enumerate(programs):
        for threads in (1, 2, 4, 8, 16, 32):
            for place, policy in enumerate(test_study.policies.POLICIES):
                ms = 10 + 3 * number + place / 2 + threads / 10
                found.append(test_study.cell(program, threads, policy, [[ms, 2], [1.1 * ms, 2]], failed_steals=threads ** 3))
    cells = [test_study.cell(f"{program}/{version}", threads, "ashlar", [[2.0 + threads, 2]], spawn_ticks=4321 * (number + 1))
             for number, program in enumerate(programs) for threads in (1, 2, 4, 8) for version in ("tasks", "tasks/observed", "static")]
    common = {"date": "2026-01-01T00:00", "machine": {"cpu": "C", "cpus": 2}, "results": [], "peers": {},
              "sizes": dict.fromkeys(programs, "simlarge")}
    return [{**common, "suite": "victims", "title": "Victims", "policies": test_study.policies.rows(found), "cells": found},
            {**common, "suite": "characterisation", "title": "Programs", "operations": test_study.operations.rows(cells), "cells": cells}]


@unittest.skipUnless(BROWSER, "chromium is not installed: the page is not looked at in a browser")
class Browser(unittest.TestCase):
    def look(self, documents, width):
        with tempfile.TemporaryDirectory() as scratch:
            target = pathlib.Path(scratch) / "r.html"
            page.write(target, documents)
            done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                   f"--user-data-dir={scratch}/profile", f"--window-size={width},900", "--enable-logging=stderr",
                                   "--dump-dom", target.as_uri()], capture_output=True, text=True, check=False, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        self.assertNotIn("CONSOLE", done.stderr)
        self.assertTrue('data-fits="true"' in done.stdout, f"something is wider than {width} pixels")
        return re.search(r'data-drawn="(\d+)"', done.stdout).group(1), re.search(r'data-clashes="([\d,]*)"', done.stdout).group(1)

    def test_every_figure_is_drawn_and_its_labels_are_readable(self):
        documents = [page.load(INPUT), *study_documents()]
        # TBBench 1 to 8; victims 2a, 2b, 3a to 3c, 4a, 4b, 5a to 5c, 6a, 6b; programs 1, 2a, 2b, 3 for each that has pthreads.
        figures = 8 + 12 + 3 + len(test_study.study_build.PROGRAMS)
        for width in (520, 1280):
            self.assertEqual(self.look(documents, width), (str(figures), ",".join(["0"] * figures)))


if __name__ == "__main__":
    unittest.main()
