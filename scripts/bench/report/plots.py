"""Draws the plots as SVG."""

import io

import matplotlib
from matplotlib import pyplot
from matplotlib.ticker import MaxNLocator

matplotlib.use("Agg")
matplotlib.rcParams.update({
    "svg.hashsalt": "tintype", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
})
COLORS = ("#1c71d8", "#c64600", "#26a269", "#813d9c", "#986a44", "#5e5c64", "#a51d2d", "#2190a4")
MET, MISSED = "#26a269", "#a51d2d"


def draw(report):
    """Returns the text of each plot by its name."""
    drawn = {}
    if any("interval" in row for rows in report["topics"].values() for row in rows):
        drawn["ratios"] = ratios(report)
    curves = report["curves"]
    if "entries" in curves:
        drawn["entries"] = lines(curves["entries"], "entries", "nanoseconds of processor time", log="xy")
    if "megapixels" in curves:
        drawn["megapixels"] = lines(curves["megapixels"], "megapixels", "milliseconds of processor time", log="xy")
    if "threads" in curves:
        drawn["threads"] = lines(curves["threads"], "threads, or cores", "times the work of one", ideal=True)
    if "stages" in curves:
        drawn["stages"] = waterfall(curves["stages"])
    if "memory" in curves:
        drawn["memory"] = lines(curves["memory"], "seconds", "resident MB", marker="")
    return drawn


def text_of(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def ratios(report):
    """Every ratio on one logarithmic axis, from top to bottom as in the tables."""
    rows = [row for rows in report["topics"].values() for row in rows if row.get("kind") == "ratio"]
    figure, axes = pyplot.subplots(figsize=(8, 0.19 * len(rows) + 0.8))
    for place, row in enumerate(reversed(rows)):
        interval, target = row["interval"], row["target"]
        color = "#5e5c64" if target is None else MET if interval["median"] <= target else MISSED
        axes.plot([interval["low"], interval["high"]], [place, place], color=color, linewidth=2)
        axes.plot(interval["median"], place, "o", color=color, markersize=4)
        if target is not None:
            axes.plot(target, place, "|", color="#241f31", markersize=8)
    axes.set_xscale("log")
    axes.axvline(1, color="#241f31", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [f"{row['id']} / {row['peer_name']}"[:60] for row in reversed(rows)], fontsize=7)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel("Tintype / peer: time, or memory; less is better")
    ticks = [tick for tick in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
             if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    return text_of(figure)


def lines(curves, x_label, y_label, log="", marker="o", ideal=False):
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for place, (name, points) in enumerate(curves.items()):
        is_peer = "," in name and "pixels" not in name.split(",")[-1] and name.split(",")[-1].strip() != "by cores"
        axes.plot(*zip(*points), marker=marker, markersize=3, label=name, color=COLORS[place % len(COLORS)],
                  linestyle="--" if is_peer else "-", linewidth=1.5)
    if ideal:
        most = max(point[0] for points in curves.values() for point in points)
        axes.plot([1, most], [1, most], color="#9a9996", linewidth=0.8, linestyle=":",
                  label="ideal, given as many cores")
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if "x" in log:
        axes.set_xscale("log")
    if "y" in log:
        axes.set_yscale("log")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return text_of(figure)


def waterfall(stages):
    figure, axes = pyplot.subplots(figsize=(7, 0.35 * len(stages) + 0.8))
    for place, stage in enumerate(stages):
        length = stage["ended"] - stage["began"]
        axes.barh(place, length, left=stage["began"], color=COLORS[place % len(COLORS)], height=0.6)
        axes.text(stage["ended"], place, f" {length:.2f} ms", va="center", fontsize=8)
    axes.set_yticks(range(len(stages)), [stage["stage"] for stage in stages])
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("milliseconds since the request")
    return text_of(figure)
