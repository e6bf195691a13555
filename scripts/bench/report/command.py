"""Rows of the command: whole processes, with their start and end."""

import functools
import os

from .network import ORIGIN
from .rows import Row, Value, Whole

COUNT = 40
FETCHED = 500
MANY = 5_000
WEBPS = 16


@functools.cache
def thumbnails(parts, tool):
    """40 JPEGs of 12 megapixels by one or two processes."""
    def commands(bench, folder):
        files = bench.photos
        if tool == "tintype":
            return [[bench.tintype, "convert", "--quiet", "--no-cache", "--thumbnail", "256x256", "--quality", 75, "-o",
                     folder, *files]]
        return [["vipsthumbnail", "--size", "256x256", "-o", f"{folder}/%s.jpg[Q=75]", *files[part::parts]]
                for part in range(parts)]
    return Whole(commands, COUNT, COUNT)


@functools.cache
def many(tool):
    """5,000 JPEGs of 58 KB by tintype, or by as many vipsthumbnail as there are cores."""
    def commands(bench, folder):
        many = bench.folder / "many"
        if not many.exists():
            many.mkdir()
            for number in range(MANY):
                os.link(bench.folder / f"photos/{number % FETCHED:04}.jpg", many / f"{number:04}.jpg")
        files = sorted(many.iterdir())
        if tool == "tintype":
            return [[bench.tintype, "convert", "--quiet", "--no-cache", "--thumbnail", "200x200", "--quality", 75, "-o",
                     folder, *files]]
        cores = len(os.sched_getaffinity(0))
        return [["vipsthumbnail", "--size", "200x200", "-o", f"{folder}/%s.jpg[Q=75]", *files[part::cores]]
                for part in range(cores)]
    return Whole(commands, MANY, MANY)


def one(command):
    """A JPEG of 100 megapixels to 256 pixels."""
    return Whole(lambda bench, folder: [[
        str(word).format(tintype=bench.tintype, source=bench.folder / "100.jpg", python=bench.python, out=folder / "x.jpg")
        for word in command]], 1, 1)


def fetch(kind):
    def commands(bench, folder):
        bench.write_once("urls.txt", "".join(
            f"{ORIGIN}/photos/{number:04}.jpg\n" for number in range(FETCHED)))
        bench.write_once("curl.txt", "".join(
            f'url = "{ORIGIN}/photos/{number:04}.jpg"\noutput = "{number:04}.jpg"\n' for number in range(FETCHED)))
        return [{
            "curl": ["curl", "-s", "--parallel", "--parallel-max", 32, "--parallel-immediate", "-K",
                     bench.folder / "curl.txt"],
            "aria2c": ["aria2c", "-q", "-j", 32, "-x", 1, "--file-allocation=none", "--allow-overwrite=true", "-i",
                       bench.folder / "urls.txt"],
            "tintype": [bench.tintype, "fetch", "--quiet", "--no-cache", "--concurrency", 32, "--from",
                        bench.folder / "urls.txt", "--output", folder],
            "unverified": [bench.tintype, "fetch", "--quiet", "--no-cache", "--no-verify", "--concurrency", 32, "--from",
                           bench.folder / "urls.txt", "--output", folder],
        }[kind]]
    return Whole(commands, FETCHED, FETCHED)


PILLOW = "import sys; from PIL import Image; Image.MAX_IMAGE_PIXELS = None; i = Image.open(sys.argv[1]); " \
    "{}i.thumbnail((256, 256)); i.save(sys.argv[2])"
OURS = one(["{tintype}", "convert", "--quiet", "--no-cache", "--thumbnail", "256x256", "{source}", "{out}"])
VIPS = one(["vipsthumbnail", "--size", "256x256", "-o", "{out}", "{source}"])
LOADED = one(["{python}", "-c", PILLOW.format("i.load(); "), "{source}", "{out}"])




def info(count, each=False):
    """Returns what reads the processor time of `info` in milliseconds, or in microseconds for each file after the first."""
    def read(bench):
        files = sorted((bench.folder / "photos").iterdir())[:count]
        used = Whole(lambda bench, _: [[bench.tintype, "info", *files]]).run(bench, 1).processor
        return (used * 1e6 - info(1)(bench) * 1e3) / (count - 1) if each else used * 1e3
    return read


def webp(kind):
    def commands(bench, folder):
        files = [bench.folder / f"pngs/{number:03}.png" for number in range(WEBPS)]
        return [{
            "tintype": [bench.tintype, "convert", "--quiet", "--no-cache", "--format", "webp", "--quality", 80, "-o",
                        folder, *files],
            "ffmpeg": ["ffmpeg", "-v", "error", "-i", bench.folder / "pngs/%03d.png", "-c:v", "libwebp", "-quality", 80,
                       "-compression_level", 4, folder / "%03d.webp"],
        }[kind]]
    return Whole(commands, WEBPS, WEBPS)


ROWS = [
    Row("K1", "40 JPEGs of 12 megapixels to 256 pixels", thumbnails(1, "tintype"), thumbnails(2, "vips"),
        "two vipsthumbnail at once", 0.67, part="wall", needs=("vipsthumbnail",)),
    Row("K1 processor", "processor time of that", thumbnails(1, "tintype"), thumbnails(2, "vips"),
        "two vipsthumbnail at once", 0.67, needs=("vipsthumbnail",)),
    Row("K1 memory", "peak memory of that", thumbnails(1, "tintype"), thumbnails(2, "vips"),
        "two vipsthumbnail at once", 1.0, part="memory", needs=("vipsthumbnail",)),
    Row("K5", "5,000 JPEGs of 58 KB to 200 pixels", many("tintype"), many("vips"), "vipsthumbnail on all cores", 1.0,
        part="wall", needs=("vipsthumbnail",)),
    Row("K5 processor", "processor time of that", many("tintype"), many("vips"), "vipsthumbnail on all cores", 1.0,
        needs=("vipsthumbnail",)),
    Row("C3", "peak memory, JPEG of 99 megapixels to 256 pixels", OURS, VIPS, "vipsthumbnail", 0.5, part="memory",
        needs=("vipsthumbnail",)),
    Row("C3 Pillow", "the same", OURS, LOADED, "Pillow without draft", 0.05, part="memory"),
    Row("C3 time", "processor time of that", OURS, VIPS, "vipsthumbnail", 1 / 1.5, needs=("vipsthumbnail",)),
    Row("K2", "fetch of 500 JPEGs of 58 KB, verified", fetch("tintype"), fetch("aria2c"), "aria2c", 1.0, part="wall",
        needs=("nginx", "aria2c")),
    Row("K2 unverified", "the same, not verified", fetch("unverified"), fetch("curl"), "curl, 32 at once", 1.5,
        part="wall", needs=("nginx", "curl")),
    Value("K3", "processor time of info of one file", info(1), "ms", 30),
    Value("K3 each", "info, for each of 500 files", info(500, each=True), "µs", 40),
    Row("K4", "16 PNGs of 1 megapixel to WebP, quality 80, effort 4", webp("tintype"), webp("ffmpeg"), "ffmpeg", 1.0,
        part="wall", needs=("ffmpeg",)),
]
