// SPDX-License-Identifier: Apache-2.0
#include "report/run_page.h"

#include "program/format.h"
#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ashlar::sim {

namespace {

constexpr std::uint32_t nobody = ~0u;
constexpr std::size_t most_rows = 64;  // of the matrix: beyond it, neighbouring threads share a row
constexpr std::size_t most_path_rows = 30;

template <typename... Args>
void put(std::string& out, fmt::format_string<Args...> form, Args&&... args) {
  fmt::format_to(std::back_inserter(out), form, std::forward<Args>(args)...);
}

// A JSON text that may stand in a <script>.
std::string in_script(std::string const& text) {
  std::string out;
  for (char const c : quoted(text)) out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

// Draws the timeline: d.s are stretches (lane, begin, length, region), d.b busy shares in 1/9, d.t thefts, times in ns.
constexpr char const* script = R"(<script>
(() => {
  const d = JSON.parse(document.getElementById('run-data').textContent), c = document.getElementById('timeline');
  const tip = document.getElementById('run-tip'), g = c.getContext('2d'), end = d.end;
  const row = Math.max(2, Math.min(22, Math.floor(640 / d.lanes)));
  let from = 0, to = end, drag = null;
  const hue = r => `hsl(${r * 137.5 % 360} 55% 55%)`;
  const time = t => t >= 1e9 ? (t / 1e9).toFixed(3) + ' s' : t >= 1e6 ? (t / 1e6).toFixed(3) + ' ms' : t >= 1e3 ? (t / 1e3).toFixed(2) + ' us' : t.toFixed(0) + ' ns';
  const left = 34;
  function draw() {
    const w = c.parentElement.clientWidth, h = d.lanes * row + 20, k = window.devicePixelRatio || 1;
    c.width = w * k; c.height = h * k; c.style.width = w + 'px'; c.style.height = h + 'px';
    g.setTransform(k, 0, 0, k, 0, 0);
    const css = getComputedStyle(document.body), x = t => left + (t - from) / (to - from) * (w - left);
    g.clearRect(0, 0, w, h); g.font = '10px system-ui, sans-serif';
    const bin = end / d.bins;
    for (let l = 0; l < d.lanes; ++l) for (let b = 0; b < d.bins; ++b) {
      const share = +d.b[l][b]; if (!share || (b + 1) * bin < from || b * bin > to) continue;
      g.globalAlpha = .08 + .05 * share; g.fillStyle = css.color;
      g.fillRect(Math.max(left, x(b * bin)), l * row, x((b + 1) * bin) - Math.max(left, x(b * bin)), row - (row > 4 ? 1 : 0));
    }
    g.globalAlpha = 1;
    for (const [l, s, n, r] of d.s) {
      if (s + n < from || s > to) continue;
      const a = Math.max(left, x(s)); g.fillStyle = hue(r);
      g.fillRect(a, l * row, Math.max(.5, x(s + n) - a), row - (row > 4 ? 1 : 0));
    }
    g.strokeStyle = css.color; g.globalAlpha = .5; g.beginPath();
    let shown = 0;
    for (const [t, a, b] of d.t) if (t >= from && t <= to && ++shown < 600) {
      g.moveTo(x(t) - 3, (b + .5) * row); g.lineTo(x(t), (a + .5) * row);
    }
    g.stroke(); g.globalAlpha = 1; g.fillStyle = css.color;
    const every = Math.max(1, Math.ceil(12 / row));
    for (let l = 0; l < d.lanes; l += every) g.fillText(l, 2, l * row + Math.min(row, 12) - 1);
    g.fillText(time(from), left, h - 6); g.textAlign = 'right'; g.fillText(time(to), w - 2, h - 6); g.textAlign = 'left';
  }
  function zoom(f, at) {
    const n = Math.max(100, Math.min(end, (to - from) * f)); from = at - (at - from) / (to - from) * n;
    from = Math.max(0, Math.min(end - n, from)); to = from + n; draw();
  }
  const at = e => { const b = c.getBoundingClientRect(); return from + (e.clientX - b.left - left) / (b.width - left) * (to - from); };
  c.addEventListener('wheel', e => { if (!e.ctrlKey && !e.shiftKey) return; e.preventDefault(); zoom(e.deltaY < 0 ? .7 : 1.4, at(e)); }, { passive: false });
  c.addEventListener('pointerdown', e => { drag = at(e); c.setPointerCapture(e.pointerId); });
  c.addEventListener('pointerup', () => { drag = null; });
  c.addEventListener('pointermove', e => {
    if (drag !== null) { const n = to - from; from = Math.max(0, Math.min(end - n, from + drag - at(e))); to = from + n; draw(); return; }
    const t = at(e), l = Math.floor((e.clientY - c.getBoundingClientRect().top) / row);
    let hit = null; for (const s of d.s) if (s[0] === l && s[1] <= t && t <= s[1] + s[2]) hit = s;
    tip.textContent = hit ? `thread ${l}, ${time(t)}: ${d.names[hit[3]]}, ${time(hit[2])}` : `thread ${l}, ${time(t)}`;
  });
  c.addEventListener('keydown', e => {
    const m = (from + to) / 2, n = to - from;
    if (e.key === '+') zoom(.5, m); else if (e.key === '-') zoom(2, m);
    else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') { from = Math.max(0, Math.min(end - n, from + (e.key === 'ArrowLeft' ? -n : n) / 4)); to = from + n; draw(); e.preventDefault(); }
  });
  for (const [id, f] of [['zoom-in', .5], ['zoom-out', 2]]) document.getElementById(id).onclick = () => zoom(f, (from + to) / 2);
  document.getElementById('zoom-all').onclick = () => { from = 0; to = end; draw(); };
  window.addEventListener('resize', draw); window.addEventListener('beforeprint', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw); draw();
})();
</script>
)";

std::string run_data(run_picture const& run, std::vector<std::string> const& regions) {
  auto const ns = [&](std::uint64_t ticks) {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) / run.ticks_per_ns);
  };
  std::string out = fmt::format("{{\"lanes\":{},\"bins\":{},\"end\":{},\"s\":[", run.lanes, run.bins,
                                std::max<std::uint64_t>(1, ns(run.end)));
  char const* comma = "";
  for (auto const& s : run.stretches) {
    put(out, "{}[{},{},{},{}]", comma, s.lane, ns(s.begin), ns(s.end) - ns(s.begin), s.region);
    comma = ",";
  }
  out += "],\"t\":[";
  comma = "";
  for (auto const& t : run.thefts) {
    put(out, "{}[{},{},{}]", comma, ns(t.ticks), t.thief, t.victim);
    comma = ",";
  }
  out += "],\"b\":[";
  double const width = static_cast<double>(run.end) / static_cast<double>(run.bins);
  for (std::size_t l = 0; l < run.lanes; ++l) {
    out += l == 0 ? "\"" : ",\"";
    for (std::size_t b = 0; b < run.bins; ++b) {
      double const share = std::min(1.0, run.busy[l * run.bins + b] / width);
      out += static_cast<char>('0' + static_cast<int>(share * 9 + (share > 0 ? 0.5 : 0)));
    }
    out += '"';
  }
  out += "],\"names\":[";
  for (std::size_t i = 0; i < regions.size(); ++i) put(out, "{}{}", i == 0 ? "" : ",", in_script(regions[i]));
  return out + "]}";
}

void put_matrix(std::string& out, run_picture const& run) {
  std::size_t const group = (run.lanes + most_rows - 1) / most_rows, rows = (run.lanes + group - 1) / group;
  std::vector<std::uint64_t> cells(rows * rows);
  std::uint64_t unknown = 0;
  for (auto const& [who, count] : run.steals) {
    if (who.second == nobody) {
      unknown += count;
    } else {
      cells[who.first / group * rows + who.second / group] += count;
    }
  }
  std::uint64_t const most = std::max<std::uint64_t>(1, *std::max_element(cells.begin(), cells.end()));
  double const size = std::min(28.0, 640.0 / static_cast<double>(rows)), side = size * static_cast<double>(rows);
  put(out,
      "<h2>Who stole from whom</h2>\n<figure><svg id=\"steals\" style=\"width:{:.0f}px\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "role=\"img\" aria-label=\"Thefts by thief and victim\">\n",
      side + 40, side + 40, side + 24);
  // So that numbers of several digits side by side don't touch.
  std::size_t const digits = std::to_string(run.lanes - 1).size();
  std::size_t const every = static_cast<std::size_t>((8 + 8 * static_cast<double>(digits)) / size) + 1;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % every == 0) {
      put(out,
          "<text x=\"32\" y=\"{:.1f}\" text-anchor=\"end\">{}</text><text x=\"{:.1f}\" y=\"14\" "
          "text-anchor=\"middle\">{}</text>\n",
          20 + size * (static_cast<double>(i) + 0.7), i * group, 36 + size * (static_cast<double>(i) + 0.5), i * group);
    }
    for (std::size_t k = 0; k < rows; ++k) {
      std::uint64_t const n = cells[i * rows + k];
      if (n == 0 && rows > 24) continue;
      put(out,
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"var(--c1)\" "
          "fill-opacity=\"{:.2f}\"><title>thread {} stole {} times from thread {}</title></rect>\n",
          36 + size * static_cast<double>(k), 20 + size * static_cast<double>(i), size - 1, size - 1,
          n == 0 ? 0.04 : 0.15 + 0.85 * static_cast<double>(n) / static_cast<double>(most), i * group, n, k * group);
    }
  }
  put(out,
      "</svg><figcaption>Rows are thieves, columns victims; the darkest square is {} "
      "thefts.{}{}</figcaption></figure>\n",
      most, group > 1 ? fmt::format(" Each row and column is {} threads.", group) : "",
      unknown == 0 ? "" : fmt::format(" Of {} thefts the victim's thread is not known.", unknown));
}

void put_arenas(std::string& out, run_picture const& run) {
  auto const ms = [&](std::uint64_t ticks) {
    return time_text(static_cast<picoseconds>(static_cast<double>(ticks) * 1000 / run.ticks_per_ns));
  };
  unsigned number = 0;
  for (auto const& a : run.arenas) {
    if (a.tasks == 0 && a.worked == 0) continue;
    if (a.address == 0) {
      put(out, "<h2 class=\"arena\">Threads without a known arena</h2>\n");
    } else {
      put(out, "<h2 class=\"arena\">Arena {} ({} threads at most)</h2>\n", ++number, a.concurrency);
    }
    put(out,
        "<p>{} tasks, {} thefts, {} of work by {} threads: on average {} at a time.</p>\n<table "
        "class=\"arena\"><tr><th>thread</th><th>work</th><th>of the arena's</th></tr>\n",
        a.tasks, a.steals, ms(a.worked), a.threads.size(),
        number_text(static_cast<double>(a.worked) / static_cast<double>(run.end)));
    std::vector<std::pair<std::uint64_t, std::uint32_t>> by_work;
    for (auto const& [lane, ticks] : a.threads) by_work.emplace_back(ticks, lane);
    std::sort(by_work.rbegin(), by_work.rend());
    std::size_t const shown = std::min<std::size_t>(by_work.size(), 16);
    for (std::size_t i = 0; i < shown; ++i) {
      put(out, "<tr><td>{}</td><td>{}</td><td>{:.1f} %</td></tr>\n", by_work[i].second, ms(by_work[i].first),
          a.worked == 0 ? 0 : 100 * static_cast<double>(by_work[i].first) / static_cast<double>(a.worked));
    }
    put(out, "</table>\n");
    if (shown < by_work.size()) put(out, "<p>{} threads that did less are left out.</p>\n", by_work.size() - shown);
  }
  put(out,
      "<p>An application thread that visits another arena (task_arena::execute) is counted where it sat before.</p>\n");
}

}  // namespace

std::string run_chapters(run_picture const& run, std::vector<std::string> const& regions) {
  std::string out;
  put(out,
      "<h2>The recorded run</h2>\n<p class=\"buttons\"><button id=\"zoom-in\">zoom in</button> <button "
      "id=\"zoom-out\">zoom out</button> "
      "<button id=\"zoom-all\">all</button> <span id=\"run-tip\">Point at a thread.</span></p>\n<figure "
      "class=\"run\"><canvas id=\"timeline\" tabindex=\"0\" role=\"img\" "
      "aria-label=\"What each thread did\"></canvas><figcaption>A row for each thread, 0 is the main thread; colours "
      "are regions, grey tells how busy "
      "a thread was with what is too short to be drawn by itself; lines lead from victim to thief. {} of {} stretches "
      "of work and {} of {} thefts are in the page. "
      "Ctrl or Shift and the wheel zoom, dragging moves; + - and the arrows do the "
      "same.</figcaption></figure>\n<script type=\"application/json\" id=\"run-data\">{}</script>\n{}",
      run.stretches.size(), run.all_stretches, run.thefts.size(), run.all_thefts, run_data(run, regions), script);
  if (run.lanes != 0) put_matrix(out, run);
  put_arenas(out, run);
  return out;
}

std::string path_chapter(path_analysis const& path, std::vector<std::string> const& regions) {
  std::string out =
      "<h2>The critical path in order</h2>\n<p>What has to be done one after the other, from the first to the last; "
      "its longest pieces:</p>\n"
      "<table id=\"path\"><tr><th>region</th><th>begins after</th><th>takes</th><th>of the path</th></tr>\n";
  std::vector<path_step> longest = path.steps;
  auto const shown = std::min(longest.size(), most_path_rows);
  std::partial_sort(
      longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(shown), longest.end(),
      [](auto const& a, auto const& b) { return a.time != b.time ? a.time > b.time : a.begin < b.begin; });
  longest.resize(shown);
  std::sort(longest.begin(), longest.end(), [](auto const& a, auto const& b) { return a.begin < b.begin; });
  for (path_step const& s : longest) {
    put(out, "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.1f} %</td></tr>\n", escaped(regions[s.region]),
        time_text(s.begin), time_text(s.time),
        100 * static_cast<double>(s.time) / static_cast<double>(std::max<picoseconds>(1, path.span)));
  }
  put(out, "</table>\n");
  return out;
}

}  // namespace ashlar::sim
