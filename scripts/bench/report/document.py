"""Writes the report in Markdown, and renews the part of docs/performance.md that comes from it."""

BEGIN, END = "<!-- The part up to the next mark is written by make bench-report. -->", "<!-- End of that part. -->"

TITLES = {
    "ratios": "Ratios with their 95 % intervals; the mark is the target.",
    "entries": "Cost of an operation by the number of entries.",
    "megapixels": "Cost by the size of a photograph.",
    "threads": "Work done in the same time, compared with one thread.",
    "stages": "The stages of the first load of a 12-megapixel JPEG to 256 pixels over HTTP.",
    "memory": "Resident memory while 40 JPEGs of 12 megapixels become thumbnails.",
}
SCALES = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def quantity(value, part):
    """Returns a time in seconds or a size in bytes with its unit."""
    if part == "memory":
        return f"{value / 1e6:.1f} MB"
    for scale, unit in SCALES:
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value * 1e9:.2g} ns"


def verdict(row):
    """Returns whether a row meets its target, or by how much it misses it."""
    median, target = row["interval"]["median"], row["target"]
    if target is None:
        return "", ""
    goal = f"≤ {target:.3g}"
    if median <= target:
        return goal, "met"
    return goal, "missed" if target == 0 else f"missed, {median / target:.2f} times the target"


def line(row):
    """Returns the cells of a row."""
    first = f"| {row['id']} | {row['what']} | {row['peer_name']} |"
    if "missing" in row:
        return f"{first} | | | | not measured: {', '.join(row['missing'])} missing |"
    if "wrong" in row:
        return f"{first} | | | | **wrong**: {row['wrong']} |"
    interval, (goal, met) = row["interval"], verdict(row)
    spread = f"{interval['median']:.3g} ({interval['low']:.3g}–{interval['high']:.3g})"
    if row["kind"] == "value":
        return f"{first} {interval['median']:.4g} {row['unit']} | | {spread} | {goal} | {met} |"
    ours, peer = (quantity(row[side], row["part"]) for side in ("ours", "peer"))
    return f"{first} {ours} | {peer} | {spread} | {goal} | {met} |"


def summary(report):
    rows = [row for rows in report["topics"].values() for row in rows if row["target"] is not None]
    measured = [row for row in rows if "interval" in row]
    met = [row for row in measured if row["interval"]["median"] <= row["target"]]
    wrong = sum("wrong" in row for row in rows)
    missing = sum("missing" in row for row in rows)
    return (f"{len(met)} of {len(measured)} rows meet their target; {wrong} have a wrong result, and {missing} were not "
            "measured because something is not installed.")


def versions(report):
    installed = ", ".join(f"{name} {version}" for name, version in report["versions"].items() if version)
    missing = [name for name, version in report["versions"].items() if not version]
    text = [
        f"{report['date']}, commit {report['commit']}, Swift {report['swift']}, {report['machine']}.",
        f"Peers: {installed}.",
        "Libraries: " + ", ".join(f"{name} {version}" for name, version in report["libraries"].items()) + ".",
    ]
    return text + ([f"Missing: {', '.join(missing)}."] if missing else [])


def markdown(report, drawn, images):
    """Returns the report, whose plots are in the folder `images`."""
    parts = ["\n".join(versions(report)), summary(report)]
    for title, rows in report["topics"].items():
        if rows:
            parts.append("\n".join([
                f"### {title}", "",
                "| row | what | compared with | Tintype | the peer | ratio, or value (95 % interval) | target | |",
                "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |", *map(line, rows)]))
    parts += [f"![{title}]({images}/{name}.svg)" for name, title in TITLES.items() if name in drawn]
    return "\n\n".join(parts) + "\n"


def renew(docs, report, drawn):
    """Replaces the part of docs/performance.md between the two marks, and the plots in docs/images."""
    path = docs / "performance.md"
    before, rest = path.read_text().split(BEGIN)
    names = {name: f"performance-{name}" for name in drawn}
    text = markdown(report, drawn, "images")
    for name, file in names.items():
        text = text.replace(f"images/{name}.svg", f"images/{file}.svg")
        (docs / "images" / f"{file}.svg").write_text(drawn[name])
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}")
