"""The measuring of scripts/compare-decoders, which calls it: DecodeTimings' path and the number of rounds."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pyvips
from PIL import Image

SAMPLE = pathlib.Path(__file__).parent.parent / "Sources/CTintypeSamples/Samples/mountains.jpg"
LARGE, SMALL = (4000, 3000), (1600, 1200)
SIDE = 256

VIPS = """
import sys, pyvips
pyvips.Image.thumbnail_buffer(open(sys.argv[2], "rb").read(), int(sys.argv[1])).write_to_memory()
"""
# The same without decoding: the memory that starting up and reading the file take is not the decoder's.
VIPS_IDLE = """
import sys, pyvips
pyvips.version(0), open(sys.argv[2], "rb").read()
"""


def samples(folder, program):
    """A photograph in every format; the slow ones are smaller."""
    photo = Image.open(SAMPLE).convert("RGB")
    large, small = (photo.resize(size, Image.BICUBIC) for size in (LARGE, SMALL))
    files = {}

    def save(image, name, **options):
        files[name] = folder / f"sample.{name}"
        image.save(files[name], **options)

    save(large, "jpg", quality=90)
    save(large, "png", compress_level=6)
    save(large, "tiff", compression="tiff_lzw")
    save(large, "webp", quality=85, method=2)
    save(small, "gif")
    save(small, "avif", quality=70, speed=8)
    for name, form in (("jxl", "jxl"), ("heic", "heic")):
        save(small, "source.png", compress_level=1)
        files[name] = folder / f"sample.{name}"
        subprocess.run([program, "encode", files["source.png"], form, files[name]], check=True)
    files.pop("source.png")
    return files


class Timings:
    """Tintype, one decode at a time."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def time(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def timed(work):
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def in_turns(rounds, contestants):
    """The least time of each, after one round that does not count: what else the machine does only adds to it."""
    times = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, work in contestants.items():
            taken = work()
            if turn:
                times[name].append(taken)
    return {name: min(taken) for name, taken in times.items()}


def peak(command):
    """The most memory that a process has, in megabytes."""
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);" \
             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    out = subprocess.run([sys.executable, "-c", script, *map(str, command)], check=True, capture_output=True, text=True)
    return int(out.stdout) / 1024


def main(program, rounds):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = samples(folder, program)
        timings = Timings(program)
        jpeg = files["jpg"].read_bytes()
        times = in_turns(rounds, {
            **{(who, form): lambda who=who, file=file: timings.time(who, file)
               for form, file in files.items() for who in ("tintype", "control")},
            "tintype thumbnail": lambda: timings.time("thumbnail", SIDE, files["jpg"]),
            "vips thumbnail": lambda: timed(lambda: pyvips.Image.thumbnail_buffer(jpeg, SIDE).write_to_memory()),
        })
        print(f"the best of {rounds} rounds; libvips {pyvips.version(0)}.{pyvips.version(1)}")
        print("format     tintype       bare library   tintype/bare")
        goals = {}
        for form in files:
            mine, bare = times["tintype", form], times["control", form]
            print(f"{form:<8} {mine:8.2f} ms {bare:12.2f} ms {mine / bare:14.3f}")
            goals[f"{form}: our time / the bare library's, at most 1.05"] = (mine / bare, 1.05)
        ours, theirs = times["tintype thumbnail"], times["vips thumbnail"]
        print(f"JPEG of 12 megapixels to {SIDE} pixels: {ours:.2f} ms, pyvips {theirs:.2f} ms")
        goals["thumbnail: our time / pyvips's, at most 1"] = (ours / theirs, 1)
        memory, idle = peak([program, "once", SIDE, files["jpg"]]), peak([program, "idle", files["jpg"]])
        vips, vips_idle = (peak([sys.executable, "-c", script, SIDE, files["jpg"]]) for script in (VIPS, VIPS_IDLE))
        print(f"memory: ours {memory:.1f} MB, {idle:.1f} MB of it before it begins; "
              f"pyvips in Python {vips:.1f} MB, {vips_idle:.1f} MB of it before")
        goals["thumbnail: memory that our decode adds / that pyvips's adds, at most 1"] = (
            (memory - idle) / (vips - vips_idle), 1)
        if tool := shutil.which("vipsthumbnail"):
            whole = peak([tool, "--size", SIDE, "-o", folder / "small.v", files["jpg"]])
            print(f"vipsthumbnail: {whole:.1f} MB")
            goals["thumbnail: our process's memory / vipsthumbnail's, at most 1"] = (memory / whole, 1)
        timings.process.stdin.close()
        print(subprocess.run([program, "bombs"], check=True, capture_output=True, text=True).stdout, end="")
        for goal, (ratio, most) in goals.items():
            print(f"{'met   ' if ratio <= most else 'MISSED'} {ratio:6.3f}   {goal}")
        return all(ratio <= most for ratio, most in goals.values())


sys.exit(0 if main(sys.argv[1], int(sys.argv[2])) else 1)
