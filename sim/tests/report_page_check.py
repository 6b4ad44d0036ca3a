#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a trace, makes the report's page of it and looks at that in headless Chromium, in light and dark: everything is
laid out, nothing is wider than the window, nothing is loaded from elsewhere. Bad traces end with one line and status 1.
Exits with 77 where Chromium is missing.

usage: report_page_check.py UNIT_SIM ASHLAR_SIM
"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Appended to a copy of the page: what the browser made of it becomes the title.
PROBE = """<script>
const box = e => { const b = e.getBoundingClientRect(); return [b.width, b.height]; };
const all = q => [...document.querySelectorAll(q)];
document.title = JSON.stringify({
  lines: all('#speedup polyline').map(e => [e.dataset.name, ...box(e)]), bars: all('#shares rect').length,
  tables: all('table').map(e => e.rows.length), svg: all('svg').map(box),
  fits: document.documentElement.scrollWidth <= window.innerWidth,
  paper: getComputedStyle(document.body).backgroundColor, text: getComputedStyle(document.body).color,
  drawn: (() => { const c = document.getElementById('timeline'); const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    return p.filter((x, i) => i % 4 === 3 && x > 0).length; })(),
  loaded: performance.getEntriesByType('resource').length});
</script>"""


def fail(message):
    print(f"report_page_check: {message}", file=sys.stderr)
    sys.exit(1)


def expect(condition, message):
    if not condition:
        fail(message)


def look(browser, page, scheme, width, scratch):
    """What the browser tells of the page. preferredColorScheme: 0 is dark, 1 is light."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={scratch}/profile",
               f"--blink-settings=preferredColorScheme={scheme}", f"--window-size={width},900", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    title = re.search(r"<title>(\{.*?\})</title>", done.stdout, re.S)
    expect(title, f"the browser shows nothing: {done.stderr[-500:]}")
    return json.loads(html.unescape(title.group(1)))


def check_page(browser, page, scratch):
    copy = scratch / "probe.html"
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", PROBE + "</body>"), encoding="utf-8")
    papers = []
    for scheme, width in ((1, 1200), (0, 1200), (1, 700), (0, 500)):
        seen = look(browser, copy, scheme, width, scratch)
        names = [line[0] for line in seen["lines"]]
        expect(names == ["work law", "span law", "burdened span law", "simulated"], f"lines: {names}")
        expect(all(line[1] > 50 for line in seen["lines"]), f"a line has no length: {seen['lines']}")
        expect(len(seen["svg"]) == 3 and all(min(size) > 50 for size in seen["svg"]), f"pictures: {seen['svg']}")
        expect(seen["bars"] > 40, f"only {seen['bars']} bars")
        expect(len(seen["tables"]) >= 4 and min(seen["tables"]) >= 2, f"tables: {seen['tables']}")
        expect(seen["fits"], "the page is wider than the window")
        expect(seen["drawn"] > 1000, f"the timeline is empty: {seen['drawn']} points")
        expect(seen["loaded"] == 0, "the page loads something")
        expect(seen["paper"] != seen["text"], "text and paper have the same colour")
        papers.append(seen["paper"])
    expect(papers[0] != papers[1], f"light and dark have the same paper: {papers[0]}")


def check_bad_traces(tool, trace, scratch):
    good = trace.read_bytes()
    bad = scratch / "bad.trace"
    for content, message in ((good[:7000], ":7000: the file is cut off"), (b"x" * 500, ":0: not a trace"),
                             (good[:8] + b"\x09" + good[9:], ":8: version 9 is not known")):
        bad.write_bytes(content)
        for command in (["report", str(bad), "--out", str(scratch / "none")],
                        ["export", str(bad), "--chrome", str(scratch / "none")]):
            done = subprocess.run([tool, *command], capture_output=True, text=True, check=False)
            expect(done.returncode == 1, f"{command}: status {done.returncode}")
            expect(done.stderr.count("\n") == 1 and f"{bad}{message}" in done.stderr, f"{command}: {done.stderr}")
            expect(not (scratch / "none").exists(), f"{command}: a file was left")


def main():
    recorder, tool = sys.argv[1:]
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        trace, page, chrome = scratch / "run.trace", scratch / "report.html", scratch / "chrome.json"
        subprocess.run([recorder, "--no-skip", "--test-case=traced: a tree of groups"], check=True, capture_output=True,
                       env={**os.environ, "ASHLAR_TRACE": str(trace)})
        subprocess.run([tool, "report", str(trace), "--threads", "64", "--format", "html", "--out", str(page)], check=True)
        subprocess.run([tool, "export", str(trace), "--chrome", str(chrome)], check=True, capture_output=True)
        expect(len(json.loads(chrome.read_text(encoding="utf-8"))["traceEvents"]) > 255, "the export lacks tasks")
        check_bad_traces(tool, trace, scratch)
        if browser is None:
            print("skipped: chromium is missing")
            sys.exit(77)
        check_page(browser, page, scratch)


if __name__ == "__main__":
    main()
