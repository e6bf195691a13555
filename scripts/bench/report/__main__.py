"""Measures all rows and curves, and writes the report in three forms.

    python -m report --program BENCHMARK_PROGRAM --tintype TINTYPE [--only REGEX] [--pairs N] [--quick] [--docs] OUT

Writes report.json, report.md and report.html to OUT. Exits with 1 if a row has a wrong result; a missed target is part
of the report. `--from FILE` renders an earlier report.json again.
"""

import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from . import caches, codecs, command, document, network, page, plots, series, transforms, versions
from .bench import ROOT, Bench
from .checks import Wrong
from .programs import Failure

TOPICS = {
    "Memory and disk caches": caches, "Decoders, encoders and animations": codecs, "Transforms": transforms,
    "Transfers and loads": network, "The command": command,
}
CURVES = {
    "megapixels": series.by_megapixels, "threads": series.by_threads, "stages": series.waterfall,
    "memory": series.memory_of_a_batch, "entries": series.by_entries,
}


def measured(row, bench, has_origin, pairs):
    """Returns what became of a row: a result, what is missing, or what was wrong."""
    told = {"id": row.id, "what": row.what, "peer_name": row.peer_name, "target": row.target}
    if missing := bench.missing(row, has_origin):
        return told | {"missing": missing}
    try:
        told["check"] = row.check(bench)
        return told | row.measure(bench, pairs)
    except (Wrong, Failure, OSError) as error:
        return told | {"wrong": str(error)}


def say(result):
    if "interval" in result:
        interval = result["interval"]
        met = "" if result["target"] is None else "met" if interval["median"] <= result["target"] else "MISSED"
        text = f"{interval['median']:9.3g} [{interval['low']:.3g}, {interval['high']:.3g}] {met}"
    else:
        text = f"missing: {result['missing']}" if "missing" in result else f"WRONG: {result['wrong']}"
    print(f"  {result['id']:18} {text}", flush=True)


def measure(arguments):
    wanted = re.compile(arguments.only)
    with tempfile.TemporaryDirectory(dir=arguments.temporary) as name:
        bench = Bench(arguments.program, arguments.tintype, pathlib.Path(name), arguments.simd_python,
                      not arguments.quick)
        print("making samples", flush=True)
        bench.prepare()
        report = {"topics": {}, "curves": {}, "wrong_curves": []} | about(bench, arguments)
        with network.origin(bench.folder) as has_origin:
            for title, topic in TOPICS.items():
                rows = [row for row in topic.ROWS if wanted.search(row.id)]
                if rows:
                    print(title, flush=True)
                results = report["topics"][title] = []
                for row in rows:
                    results.append(measured(row, bench, has_origin, arguments.pairs))
                    say(results[-1])
                    save(report, arguments)
                bench.renew()
            for name, curve in CURVES.items():
                if wanted.search(f"curve {name}"):
                    print(f"curve {name}", flush=True)
                    try:
                        report["curves"][name] = curve(bench)
                    except (Failure, OSError) as error:
                        print(f"  {name}: {error}", flush=True)
                        report["wrong_curves"].append(name)
                    save(report, arguments)
        bench.renew()
        bench.clear_temporary()
    return report


def save(report, arguments):
    """Writes what is measured so far, so that a run that is stopped can be rendered with `--from`."""
    (arguments.out / "report.json").write_text(json.dumps(report, indent=1))


def about(bench, arguments):
    commit = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return {
        "date": datetime.date.today().isoformat(), "commit": commit.stdout.strip(), "machine": versions.machine(),
        "swift": versions.swift(), "pairs": arguments.pairs, "versions": versions.installed(bench.simd_python),
        "libraries": versions.libraries(),
    }


def main():
    parser = argparse.ArgumentParser(prog="report")
    parser.add_argument("--program")
    parser.add_argument("--tintype")
    parser.add_argument("--simd-python", help="the Python that has Pillow-SIMD instead of Pillow")
    parser.add_argument("--only", default="", help="rows, and curves as `curve NAME`, whose names match")
    parser.add_argument("--pairs", type=int, default=16)
    parser.add_argument("--quick", action="store_true", help="no caches of a million entries")
    parser.add_argument("--temporary", help="where temporary files are created")
    parser.add_argument("--from", dest="earlier", type=pathlib.Path, help="renders an earlier report.json")
    parser.add_argument("--docs", action="store_true", help="also renew docs/performance.md and its plots")
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    report = json.loads(arguments.earlier.read_text()) if arguments.earlier else measure(arguments)
    save(report, arguments)
    drawn = plots.draw(report)
    (arguments.out / "report.md").write_text(document.markdown(report, drawn, "."))
    for name, text in drawn.items():
        (arguments.out / f"{name}.svg").write_text(text)
    (arguments.out / "report.html").write_text(page.html(report, drawn))
    if arguments.docs:
        document.renew(ROOT / "docs", report, drawn)
    wrong = [row["id"] for rows in report["topics"].values() for row in rows if "wrong" in row] + report["wrong_curves"]
    if wrong:
        sys.exit(f"report: wrong results: {', '.join(wrong)}")


main()
