"""Draws what happened as one SVG: requests by tier, latency, errors and the state of each part over time."""

import math

WIDTH, LEFT, RIGHT = 1600, 120, 40
COLORS = {"memory": "#1b9e8a", "disk": "#3f7fd1", "shared": "#8b5bd6", "joined": "#c9a227", "made": "#e8743b"}
NAMES = {"memory": "memory", "disk": "disk", "shared": "Redis or S3", "joined": "joined another request",
         "made": "made"}
STATES = {"dead": "#d63c4a", "stopped": "#f0b429", "starting": "#b9c3cf"}
INK, FAINT, GRID, GOOD = "#1d2733", "#66758a", "#e4e9ef", "#a9dcc9"


def text_width(text, size=16):
    """Returns the approximate width of a text in DejaVu Sans."""
    return size * sum(0.93 if letter in "mwMW" else 0.36 if letter in "ijlrtf I()" else 0.63 for letter in text)


class Drawing:
    def __init__(self, height, seconds):
        self.height, self.seconds, self.elements = height, seconds, []

    def x(self, second):
        return LEFT + (WIDTH - LEFT - RIGHT) * second / self.seconds

    def add(self, element):
        self.elements.append(element)

    def rectangle(self, x, y, width, height, fill, extra=""):
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}" fill="{fill}" {extra}/>')

    def line(self, x1, y1, x2, y2, stroke, extra=""):
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" {extra}/>')

    def text(self, x, y, text, size=17, fill=INK, anchor="start", extra=""):
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" {extra}>{text}</text>')

    def title(self, y, text, detail=""):
        self.add(f'<text x="{LEFT}" y="{y}" font-size="21" font-weight="bold" fill="{INK}">{text}'
                 f'<tspan dx="14" font-size="17" font-weight="normal" fill="{FAINT}">{detail}</tspan></text>')

    @property
    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}" '
                f'viewBox="0 0 {WIDTH} {self.height}" font-family="DejaVu Sans, sans-serif">'
                f'<rect width="{WIDTH}" height="{self.height}" fill="#fbfcfd"/>{"".join(self.elements)}</svg>')


def draw(samples, spans, events, parts, herd_at, herd_made, seconds):
    """Returns the picture.

    samples: begin, latency, tier and success of each request; spans: part, state, begin and end."""
    seconds = math.ceil(seconds)
    drawing = Drawing(1330, seconds)
    failed = sum(not ok for _, _, _, ok in samples)
    drawing.text(LEFT, 58, "Three image servers while parts of their cluster fail", 32, extra='font-weight="bold"')
    drawing.text(LEFT, 92, f"nginx with consistent hashing · Redis · SeaweedFS (S3) · {len(samples):,} requests · "
                 f"{failed} failed · an image that all were asked for at once was made {'once' if herd_made == 1 else f'{herd_made} times'}",
                 19, FAINT)
    shade(drawing, spans, 160, 1290)
    draw_parts(drawing, parts, spans, events, 160)
    draw_tiers(drawing, samples, 520, 300)
    draw_latencies(drawing, samples, 890, 270, herd_at)
    draw_errors(drawing, samples, 1228, 40)
    drawing.line(drawing.x(herd_at), 160, drawing.x(herd_at), 1268, INK, 'stroke-dasharray="3 5" opacity="0.6"')
    drawing.text(drawing.x(herd_at) - 8, 446, "herd", 16, INK, "end")
    for second in range(0, seconds + 1, 10):
        drawing.text(drawing.x(second), 1298, f"{second} s", 16, FAINT, "middle")
    return drawing.svg


def shade(drawing, spans, top, bottom):
    for part, state, since, until in spans:
        if part != "nginx":
            drawing.rectangle(drawing.x(since), top, drawing.x(until) - drawing.x(since), bottom - top - 22,
                              STATES[state], 'opacity="0.10"')


def draw_parts(drawing, parts, spans, events, top):
    """Draws a bar for each part."""
    drawing.title(top - 24, "Parts")
    x = WIDTH - RIGHT + 24
    for label, color in [("starting", STATES["starting"]), ("killed", STATES["dead"]),
                         ("stopped (SIGSTOP)", STATES["stopped"]), ("up", GOOD)]:
        x -= text_width(label) + 46
        drawing.rectangle(x, top - 38, 15, 15, color, 'rx="3"')
        drawing.text(x + 22, top - 25, label, 16, FAINT)
    for row, part in enumerate(parts):
        y = top + 38 * row
        drawing.text(LEFT - 14, y + 19, part, 16, INK, "end")
        drawing.rectangle(LEFT, y, WIDTH - LEFT - RIGHT, 26, GOOD, 'rx="5"')
        for name, state, since, until in spans:
            if name == part:
                drawing.rectangle(drawing.x(since), y, drawing.x(until) - drawing.x(since), 26, STATES[state])


def axis(drawing, top, height, marks, position):
    for value, label in marks:
        y = position(value)
        drawing.line(LEFT, y, WIDTH - RIGHT, y, GRID)
        drawing.text(LEFT - 14, y + 6, label, 16, FAINT, "end")


def draw_tiers(drawing, samples, top, height):
    """Draws the answers of each second, by where they came from."""
    drawing.title(top - 34, "Answers a second", "by where the image came from")
    counts = {}
    for begin, latency, tier, ok in samples:
        if ok and latency is not None:
            second = int(begin + latency)
            counts.setdefault(second, {}).setdefault(tier, 0)
            counts[second][tier] += 1
    ordinary = sorted(sum(tiers.values()) for tiers in counts.values())
    # The herd is one instant, which would dwarf the rest: its bar is cut off, and has its number.
    highest = max(10, ordinary[int(len(ordinary) * 0.97)] * 1.15) if ordinary else 10
    step = next(step for step in (5, 10, 20, 25, 50, 100, 200, 500, 1000, 5000) if highest / step <= 6)

    def position(value):
        return top + height - height * min(value, highest) / highest

    axis(drawing, top, height, [(value, str(value)) for value in range(0, int(highest) + 1, step)], position)
    for second, tiers in counts.items():
        base, scale = 0, min(1, highest / sum(tiers.values()))
        for tier, color in COLORS.items():
            count = tiers.get(tier, 0) * scale
            if count:
                drawing.rectangle(drawing.x(second) + 1, position(base + count), drawing.x(1) - LEFT - 2,
                                  position(base) - position(base + count), color)
            base += count
        if scale < 1:
            drawing.text(drawing.x(second + 0.5), top - 6, f"{sum(tiers.values())}", 15, INK, "middle")
    x = WIDTH - RIGHT + 24
    for tier in reversed(COLORS):
        x -= text_width(NAMES[tier]) + 46
        drawing.rectangle(x, top - 48, 15, 15, COLORS[tier], 'rx="3"')
        drawing.text(x + 22, top - 35, NAMES[tier], 16, FAINT)


def draw_latencies(drawing, samples, top, height, herd_at):
    """Draws each request as a dot, and the median of each second as a line."""
    drawing.title(top - 18, "Latency", "a dot for each request, the median and the 99th percentile of each second")
    low, high = math.log10(0.001), math.log10(10)

    def position(value):
        return top + height - height * (min(max(math.log10(value), low), high) - low) / (high - low)

    axis(drawing, top, height, [(0.001, "1 ms"), (0.01, "10 ms"), (0.1, "100 ms"), (1, "1 s"), (10, "10 s")], position)
    seconds = {}
    for begin, latency, tier, ok in samples:
        if latency is None:
            continue
        if begin < herd_at:
            seconds.setdefault(int(begin), []).append(latency)
        color = COLORS.get(tier, FAINT) if ok else STATES["dead"]
        drawing.add(f'<circle cx="{drawing.x(begin):.1f}" cy="{position(latency):.1f}" r="2.4" fill="{color}" '
                    f'opacity="0.5"/>')
    for share, width in [(0.5, 3), (0.99, 1.6)]:
        points = []
        for second in sorted(seconds):
            times = sorted(seconds[second])
            points.append(f"{drawing.x(second + 0.5):.1f},{position(times[min(len(times) - 1, int(len(times) * share))]):.1f}")
        drawing.add(f'<polyline points="{" ".join(points)}" fill="none" stroke="#fbfcfd" stroke-width="{width + 3}"/>')
        drawing.add(f'<polyline points="{" ".join(points)}" fill="none" stroke="{INK}" stroke-width="{width}" '
                    f'stroke-linejoin="round"/>')


def draw_errors(drawing, samples, top, height):
    """Draws the failures of each second."""
    counts = {}
    for begin, latency, _, ok in samples:
        if not ok:
            counts[int(begin)] = counts.get(int(begin), 0) + 1
    drawing.title(top - 16, "Failed requests a second", f"at most {max(counts.values())}" if counts else "none")
    highest = max([*counts.values(), 1])
    drawing.line(LEFT, top + height, WIDTH - RIGHT, top + height, INK)
    drawing.text(LEFT - 14, top + height + 5, "0", 16, FAINT, "end")
    for second, count in counts.items():
        drawing.rectangle(drawing.x(second) + 1, top + height - height * count / highest, drawing.x(1) - LEFT - 2,
                          height * count / highest, STATES["dead"])
