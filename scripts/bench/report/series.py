"""Curves: cost by size, by threads, over time, and the stages of one load. Each returns what plots.py draws."""

import json
import os
import shutil

from . import samples
from .network import ORIGIN
from .programs import memory_over_time, run

ENTRIES = (1_000, 10_000, 100_000, 1_000_000)


def by_entries(bench):
    """Nanoseconds of an operation by the number of entries. The entries on disk have 100 bytes."""
    curves = {}

    def add(name, count, seconds):
        curves.setdefault(name, []).append((count, seconds * 1e9))

    for count in ENTRIES if bench.is_full else ENTRIES[:3]:
        program = bench.program()
        for name, side in (("memory hit", "ours"), ("dictionary behind a lock", "dictionary")):
            # The first run warms up.
            taken = min(program.measure("memory", side, 1, count).processor for _ in range(4))
            add(name, count, taken / count)
        program.close()
        program, arguments, batch = bench.program(), (count, 100, "none"), min(count, 1_000)
        for name, side in (("read from disk", "get"), ("miss on disk", "miss")):
            taken = min(program.measure("disk", side, 3, *arguments).processor for _ in range(4))
            add(name, count, taken / batch)
        add("opening the disk cache", count, min(program.measure("disk", "open", 1, *arguments).wall for _ in range(4)))
        add("trimming the disk cache, per entry", count,
            min(program.value("disk", "µs to trim an entry", *arguments) for _ in range(2)) / 1e6)
        program.close()
        bench.clear_temporary()
    return curves


def by_megapixels(bench):
    """Milliseconds by the size of a photograph, in megapixels."""
    curves = {}

    def add(name, pixels, seconds):
        curves.setdefault(name, []).append((pixels / 1e6, seconds * 1e3))

    for name, (width, height) in samples.SIZES.items():
        file = bench.folder / f"{name}."
        for kind in ("jpg", "png", "webp"):
            for title, side in ((kind, "ours"), (f"{kind}, bare library", "library")):
                count = 3 if width < 4_000 else 1
                taken = min(bench.ours.measure("decode", side, count, f"{file}{kind}").processor for _ in range(3))
                add(title, width * height, taken)
        taken = min(bench.ours.measure("thumbnail", "ours", 1, f"{file}jpg", 256).processor for _ in range(4))
        add("jpg to 256 pixels", width * height, taken)
        taken = min(bench.peer(False).measure("vips_thumbnail", "peer", 1, f"{file}jpg", 256).processor for _ in range(4))
        add("jpg to 256 pixels, pyvips", width * height, taken)
    return curves


def by_threads(bench):
    """Operations a second by the number of threads, divided by those of one thread."""
    most = max(4, 2 * len(os.sched_getaffinity(0)))
    curves = {}
    for name, side in (("memory hits", "ours"), ("hits of a dictionary behind a lock", "dictionary")):
        rates = []
        for count in range(1, most + 1):
            # Other programs on the same cores only add time.
            wall = min(bench.ours.measure("memory-threads", side, 1, count).wall for _ in range(15))
            rates.append((count, count * 100_000 / wall))
        curves[name] = [(count, rate / rates[0][1]) for count, rate in rates]
    times = []
    for count in range(1, len(os.sched_getaffinity(0)) + 1):
        cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[:count]))
        times.append((count, min(
            run(["taskset", "-c", cores, bench.tintype, "convert", "--quiet", "--no-cache", "--thumbnail", "256x256",
                 "-o", bench.empty_folder(), *bench.photos]).wall for _ in range(3))))
    curves["thumbnails of `tintype convert`, by cores"] = [(count, times[0][1] / wall) for count, wall in times]
    return curves


def waterfall(bench):
    """The stages of the first load of a JPEG of 12 megapixels to 256 pixels from nginx, with an empty disk cache."""
    path, runs = bench.folder / "stages.json", []
    for _ in range(7):
        program = bench.program()
        program.write("waterfall", "ours", path, ORIGIN + "/photo.jpg")
        program.close()
        runs.append(sorted(json.loads(path.read_text()), key=lambda stage: (stage["began"], -stage["ended"])))
    # The quietest run.
    return min(runs, key=lambda stages: stages[-1]["ended"])


def memory_of_a_batch(bench):
    """Resident megabytes over seconds, of 40 JPEGs of 12 megapixels that become thumbnails."""
    commands = {"tintype convert": lambda out: [
        bench.tintype, "convert", "--quiet", "--no-cache", "--thumbnail", "256x256", "-o", out, *bench.photos]}
    if shutil.which("vipsthumbnail"):
        commands["vipsthumbnail"] = lambda out: [
            "vipsthumbnail", "--size", "256x256", "-o", f"{out}/%s.jpg", *bench.photos]
    curves = {}
    for name, command in commands.items():
        out = bench.empty_folder()
        series = memory_over_time(command(out), out)
        curves[name] = [(seconds, memory / 1e6) for seconds, memory in series]
    return curves
