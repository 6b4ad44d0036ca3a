# SPDX-License-Identifier: Apache-2.0
"""Bar and line charts as SVG, without any library. Colours are CSS variables, so that one drawing serves a light and a
dark page; themed() puts the colours of one theme into a drawing that stands alone.
"""
import dataclasses
import functools
import html
import math

WIDE, NARROW = 760, 440            # a drawing by itself, and one of several beside each other
HEIGHT = 380
LEFT, TOP, BOTTOM = 62, 24, 58      # LEFT at least: more where the numbers beside the axis are longer
DIGIT = 6.8                        # how wide such a number's characters are at most
DODGE = 0.5                        # share of a group's width over which the points of a line chart are spread
# Distinct for colour-blind readers too; the first five belong to the libraries wherever they appear.
PALETTE = {
    "light": {"ashlar": "#0b6bcb", "onetbb": "#d9730d", "tbb2020": "#a8326e", "libgomp": "#2f7d4f", "libomp": "#6b5bb3",
              "c0": "#0b6bcb", "c1": "#7fb4ea", "c2": "#d9730d", "c3": "#f0b27a", "c4": "#2f7d4f", "c5": "#8cc5a2",
              "c6": "#6b5bb3", "c7": "#b4a9dd", "c8": "#b3261e", "c9": "#12858a", "text": "#1c2530", "dim": "#5d6b7a", "grid": "#e3e8ee", "face": "#ffffff"},
    "dark": {"ashlar": "#5aa9f5", "onetbb": "#f0a04b", "tbb2020": "#e57fb0", "libgomp": "#6cc48f", "libomp": "#a99bf0",
             "c0": "#5aa9f5", "c1": "#3f7dba", "c2": "#f0a04b", "c3": "#b87a33", "c4": "#6cc48f", "c5": "#4c9a6b",
             "c6": "#a99bf0", "c7": "#7c70c8", "c8": "#f2827a", "c9": "#4cc7cb", "text": "#e8edf3", "dim": "#9aa7b4", "grid": "#2a323c", "face": "#161b22"},
}


@dataclasses.dataclass
class Series:
    """One colour of a chart. `values` has an entry per group, None where there is nothing; `low` and `high` are whiskers."""
    name: str
    values: list
    low: list | None = None
    high: list | None = None
    colour: str | None = None      # a name of PALETTE; None: by position

    def whisker(self, index):
        low = self.low[index] if self.low else None
        high = self.high[index] if self.high else None
        return None if low is None or high is None else (low, high)


@dataclasses.dataclass
class Chart:
    kind: str                      # "bars" or "lines"
    groups: list                   # names along the x axis
    series: list
    unit: str
    second: tuple | None = None    # (unit, factor) of the axis on the right
    x_title: str = ""
    log: bool = False
    detached: int = 0              # lines: so many last groups are points of their own
    width: int = WIDE

    @functools.cached_property
    def left(self):
        """Where the drawing begins: the longest number beside the axis has room."""
        axis = Axis(self)
        return max(LEFT, 14 + DIGIT * max(map(len, tick_texts(axis.ticks, axis.log))))

    @property
    def right(self):
        """Where the drawing ends; the second axis needs room for its numbers."""
        return self.width - (62 if self.second else 12)

    @property
    def span(self):
        """The width of a group."""
        return (self.right - self.left) / max(1, len(self.groups))


def nice_step(span, wanted=5):
    raw = span / wanted
    power = 10 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)


def short(value):
    """A number as people write it on a chart."""
    if value == 0:
        return "0"
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 else 3
    return f"{value:,.{digits}f}".replace(",", " ") if size >= 1e-3 else f"{value:.0e}"


def tick_texts(ticks, log):
    """All with as many decimals as the one that needs most; powers of ten each with its own."""
    if log:
        return [f"{t:,.0f}".replace(",", " ") if t >= 1 else f"{t:g}" for t in ticks]
    digits = next((d for d in range(6) if all(abs(round(t, d) - t) <= 1e-9 * max(1, abs(t)) for t in ticks)), 6)
    return [f"{t:,.{digits}f}".replace(",", " ").replace("-", "−") if t else "0" for t in ticks]


def round_ticks(low, high, log=False):
    """Round numbers between the two: powers of ten on a logarithmic axis."""
    if log:
        return [10 ** e for e in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]
    step = nice_step(high - low)
    return [i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


class Axis:
    """Maps values to y."""

    def __init__(self, chart):
        values = [v for s in chart.series for v in [*s.values, *(s.high or [])] if v is not None]
        self.log = chart.log
        top = max(values, default=1)
        if self.log:
            positive = [v for v in values if v > 0] or [1]
            self.low = 10 ** math.floor(math.log10(min(positive)))
            self.high = max(10 ** math.ceil(math.log10(max(positive))), self.low * 10)
            self.ticks = [10 ** e for e in range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)]
        else:
            bottom = min([0, *(v for s in chart.series for v in [*s.values, *(s.low or [])] if v is not None)])
            top = top if top > bottom else bottom + 1
            step = nice_step(top - bottom)
            self.low, self.high = math.floor(bottom / step) * step, math.ceil(top * 1.04 / step) * step
            self.ticks = round_ticks(self.low, self.high)

    def y(self, value):
        if self.log:
            value = min(max(value, self.low), self.high)
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return round(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM), 1)


# Neighbours in the palette are two shades of one colour, for pairs; series that have no colour of their own are not pairs.
BY_POSITION = (0, 2, 4, 6, 8, 9, 1, 3, 5, 7)


def colour_of(chart, index):
    return f"var(--{chart.series[index].colour or f'c{BY_POSITION[index % len(BY_POSITION)]}'})"


def text(x, y, content, anchor="middle", css="t", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{css}"{extra}>{html.escape(str(content))}</text>'


def frame(chart, axis):
    made = []
    for tick, label in zip(axis.ticks, tick_texts(axis.ticks, axis.log)):
        y = axis.y(tick)
        made.append(f'<line x1="{chart.left}" x2="{chart.right}" y1="{y}" y2="{y}" class="{"base" if tick == 0 else "grid"}"/>')
        made.append(text(chart.left - 8, y + 4, label, "end", "d"))
    made.append(text(chart.left, 12, chart.unit, "start", "d"))
    if chart.second:
        unit, factor = chart.second
        ticks = round_ticks(axis.low * factor, axis.high * factor, axis.log)
        for tick, label in zip(ticks, tick_texts(ticks, axis.log)):
            y = axis.y(tick / factor)
            made.append(f'<line x1="{chart.right}" x2="{chart.right + 4}" y1="{y}" y2="{y}" class="base"/>')
            made.append(text(chart.right + 8, y + 4, label, "start", "d"))
        made.append(text(chart.right, 12, unit, "end", "d"))
    for index, group in enumerate(chart.groups):
        made.append(text(chart.left + chart.span * (index + 0.5), HEIGHT - BOTTOM + 20, group))
    if chart.x_title:
        made.append(text((chart.left + chart.right) / 2, HEIGHT - BOTTOM + 42, chart.x_title, css="d"))
    return made


def hint(chart, series, group, value, whisker):
    spread = f", {short(whisker[0])} to {short(whisker[1])}" if whisker else ""
    other = f" = {short(value * chart.second[1])} {chart.second[0]}" if chart.second else ""
    return f"<title>{html.escape(f'{series.name}, {group}: {short(value)} {chart.unit}{other}{spread}')}</title>"


def whisker_line(x, whisker, axis):
    low, high = axis.y(whisker[0]), axis.y(whisker[1])
    return f'<path d="M{x - 4:.1f} {high}h8M{x:.1f} {high}V{low}M{x - 4:.1f} {low}h8" class="whisker"/>'


def bars(chart, axis):
    made = []
    span = chart.span
    width = min(64, span * 0.8 / len(chart.series))
    base = axis.low if axis.log else 0
    for group in range(len(chart.groups)):
        present = [i for i, s in enumerate(chart.series) if s.values[group] is not None]
        start = chart.left + span * (group + 0.5) - width * len(present) / 2
        for place, index in enumerate(present):
            series = chart.series[index]
            value, whisker = series.values[group], series.whisker(group)
            x, y, foot = start + width * place, axis.y(value), axis.y(base)
            made.append(f'<rect x="{x + 1:.1f}" y="{min(y, foot)}" width="{width - 2:.1f}" height="{max(1.0, abs(foot - y)):.1f}" '
                        f'rx="2.5" fill="{colour_of(chart, index)}">{hint(chart, series, chart.groups[group], value, whisker)}</rect>')
            top = y
            if whisker:
                made.append(whisker_line(x + width / 2, whisker, axis))
                top = min(y, axis.y(whisker[1]))
            if width >= 6.4 * len(short(value)):
                made.append(text(x + width / 2, top - 5, short(value), css="v"))
    return made


def lines(chart, axis):
    made = []
    span = chart.span
    joined = len(chart.groups) - chart.detached
    spread = DODGE if any(series.low for series in chart.series) else 0
    for index, series in enumerate(chart.series):
        aside = span * spread * ((index + 0.5) / len(chart.series) - 0.5)  # so that equal values and their intervals stay visible
        points = [(chart.left + span * (g + 0.5) + aside, axis.y(v), g, v) for g, v in enumerate(series.values) if v is not None]
        path = " ".join(f"{x:.1f},{y}" for x, y, g, _ in points if g < joined)
        colour = colour_of(chart, index)
        made.append(f'<polyline points="{path}" fill="none" stroke="{colour}" class="line"/>')
        for x, y, group, value in points:
            whisker = series.whisker(group)
            if whisker:
                made.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{axis.y(whisker[0])}" y2="{axis.y(whisker[1])}" stroke="{colour}" class="range"/>')
            made.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="{colour}" class="dot">'
                        f'{hint(chart, series, chart.groups[group], value, whisker)}</circle>')
    return made


def legend(chart, top):
    """Rows of swatches below the drawing, and how high they are."""
    made, x, y = [], chart.left, top
    for index, series in enumerate(chart.series):
        length = 28 + 7.4 * len(series.name)
        if x > chart.left and x + length > chart.width - 8:
            x, y = chart.left, y + 20
        made.append(f'<rect x="{x}" y="{y - 10}" width="12" height="12" rx="3" fill="{colour_of(chart, index)}"/>')
        made.append(text(x + 18, y, series.name, "start"))
        x += length + 4
    return made, y - top + 16


def svg(chart, label):
    """The drawing; its colours are the CSS variables of the page around it."""
    if not chart.series or not chart.groups:
        raise ValueError(f"a chart without values: {label}")
    axis = Axis(chart)
    draw = {"bars": bars, "lines": lines}[chart.kind]
    below, more = legend(chart, HEIGHT + 4)
    body = "".join([*frame(chart, axis), *draw(chart, axis), *below])
    return (f'<svg viewBox="0 0 {chart.width} {HEIGHT + more}" role="img" aria-label="{html.escape(label, quote=True)}" '
            f'xmlns="http://www.w3.org/2000/svg" class="chart">{body}</svg>')


CSS = (".chart{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:12.5px}"
       ".chart .t{fill:var(--text)}.chart .d{fill:var(--dim);font-size:11.5px}.chart .v{fill:var(--text);font-size:11px}"
       ".chart .grid{stroke:var(--grid)}.chart .base{stroke:var(--dim)}.chart .whisker{stroke:var(--text);opacity:.65;fill:none}"
       ".chart .line{stroke-width:2;stroke-linejoin:round;opacity:.8}.chart .range{stroke-width:2;opacity:.55}"
       ".chart .dot{stroke:var(--face);stroke-width:1.5}")


def variables(theme):
    return "".join(f"--{name}:{value};" for name, value in PALETTE[theme].items())


def themed(drawing, theme):
    """A drawing that stands alone, in one theme."""
    head, _, rest = drawing.partition(">")
    return (f"{head}>\n<style>:root{{{variables(theme)}}}{CSS}</style>"
            f'<rect width="100%" height="100%" fill="var(--face)"/>{rest}\n')
