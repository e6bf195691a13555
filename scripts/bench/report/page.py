"""Writes the report as one HTML page that needs nothing else."""

import html as escaping

from . import document

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #241f31; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { border-bottom: 1px solid #deddda; padding: .25rem .5rem; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
.met { color: #26a269; } .missed { color: #a51d2d; } .wrong { color: #fff; background: #a51d2d; }
figure { margin: 2rem 0; } figure svg { max-width: 100%; height: auto; }
"""
HEADS = ("row", "what", "compared with", "Tintype", "the peer", "ratio or value (95 % interval)", "target", "")


def html(report, drawn):
    parts = [f"<p>{escape(text)}</p>" for text in document.versions(report)]
    parts.append(f"<p><b>{escape(document.summary(report))}</b></p>")
    for title, rows in report["topics"].items():
        if rows:
            parts.append(f"<h2>{escape(title)}</h2>{table(rows)}")
    for name, title in document.TITLES.items():
        if name in drawn:
            drawing = drawn[name][drawn[name].index("<svg"):]
            parts.append(f"<figure>{drawing}<figcaption>{escape(title)}</figcaption></figure>")
    return (f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Tintype: performance</title>'
            f"<style>{STYLE}</style><h1>Performance</h1>{''.join(parts)}</html>\n")


def table(rows):
    head = "".join(f'<th{" class=number" if 3 <= place <= 6 else ""}>{text}</th>' for place, text in enumerate(HEADS))
    return f"<table><tr>{head}</tr>{''.join(map(line, rows))}</table>"


def line(row):
    cells = [cell.strip() for cell in document.line(row).strip("| ").split("|")]
    cells += [""] * (len(HEADS) - len(cells))
    kind = "wrong" if "wrong" in row else "missed" if "missed" in cells[-1] else "met"
    tags = "".join(
        f'<td class="{"number" if 3 <= place <= 6 else kind if place == 7 else ""}" title="{escape(row.get("check", ""))}">'
        f"{escape(cell)}</td>" for place, cell in enumerate(cells))
    return f"<tr>{tags}</tr>"


def escape(text):
    return escaping.escape(str(text).replace("**", ""))
