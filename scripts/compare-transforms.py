"""The measuring of scripts/compare-transforms, which calls it: TransformTimings' path, then the number of rounds."""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import PIL
import pyvips
from PIL import Image, ImageFilter

WIDTH, HEIGHT = 4000, 3000
SAMPLE = pathlib.Path(__file__).parent.parent / "Sources/CTintypeSamples/Samples/mountains.jpg"


def picture():
    """A photograph whose alpha falls from left to right."""
    image = Image.open(SAMPLE).convert("RGBA").resize((WIDTH, HEIGHT), Image.BICUBIC)
    alpha = numpy.linspace(255, 40, WIDTH).astype(numpy.uint8)
    image.putalpha(Image.fromarray(numpy.tile(alpha, (HEIGHT, 1))))
    return image


class Timings:
    """Tintype, one transform at a time."""

    def __init__(self, program, image, folder):
        raw = pathlib.Path(folder) / "picture.rgba"
        raw.write_bytes(image.tobytes())
        self.folder = folder
        self.process = subprocess.Popen(
            [program, raw, str(WIDTH), str(HEIGHT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def time(self, name):
        return float(self.ask(name)[0])

    def result(self, name):
        path = f"{self.folder}/{name}.rgba"
        size = tuple(map(int, self.ask(f"write {name} {path}")))
        return Image.frombytes("RGBA", size, pathlib.Path(path).read_bytes())


def timed(work):
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def in_turns(rounds, contestants):
    """The median time of each, after one round that does not count."""
    times = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name, work in contestants.items():
            taken = work()
            if turn:
                times[name].append(taken)
    return {name: statistics.median(taken) for name, taken in times.items()}


def distance(first, second):
    """The largest and the mean difference of premultiplied channels."""
    one, other = (numpy.asarray(image.convert("RGBa")).astype(int) for image in (first, second))
    difference = abs(one - other)
    return f"{difference.max():4d} {difference.mean():6.2f}"


def main(program, rounds):
    image = picture()
    vips = pyvips.Image.new_from_memory(image.convert("RGBa").tobytes(), WIDTH, HEIGHT, 4, "uchar")
    with tempfile.TemporaryDirectory() as folder:
        ours = Timings(program, image, folder)
        pillow = {
            "resize": lambda: image.resize((320, 240), Image.LANCZOS),
            "blur2": lambda: image.convert("RGBa").filter(ImageFilter.GaussianBlur(2)).convert("RGBA"),
            "blur64": lambda: image.convert("RGBa").filter(ImageFilter.GaussianBlur(64)).convert("RGBA"),
            "rotate30": lambda: image.rotate(30, Image.BILINEAR, expand=True),
            "rotate90": lambda: image.transpose(Image.ROTATE_90),
        }
        times = in_turns(rounds, {
            **{f"tintype {name}": lambda name=name: ours.time(name) for name in [*pillow, "premultiply", "memcpy"]},
            **{f"pillow {name}": lambda work=work: timed(work) for name, work in pillow.items()},
            "vips resize": lambda: timed(lambda: vips.resize(320 / WIDTH, kernel="lanczos3").write_to_memory()),
        })
        print(f"{WIDTH}x{HEIGHT} RGBA, medians of {rounds}; Pillow {PIL.__version__}, "
              f"libvips {pyvips.version(0)}.{pyvips.version(1)}")
        print("transform     tintype     pillow   pillow/tintype   largest and mean distance of 255")
        for name, work in pillow.items():
            mine, theirs = times[f"tintype {name}"], times[f"pillow {name}"]
            apart = distance(ours.result(name), work()) if name != "rotate30" else ""
            print(f"{name:<10} {mine:7.2f} ms {theirs:7.2f} ms {theirs / mine:16.2f}   {apart}")
        goals = {
            "resize: Pillow's time / ours, at least 4": (times["pillow resize"] / times["tintype resize"], 4),
            "resize: libvips's time / ours, at least 1": (times["vips resize"] / times["tintype resize"], 1),
            "blur, radius 2: Pillow's time / ours, at least 2": (times["pillow blur2"] / times["tintype blur2"], 2),
            "blur, radius 64: Pillow's time / ours, at least 2": (times["pillow blur64"] / times["tintype blur64"], 2),
            "blur: the faster radius / the slower, at least 0.9": (
                min(times["tintype blur2"], times["tintype blur64"])
                / max(times["tintype blur2"], times["tintype blur64"]), 0.9),
            "premultiply: memcpy's time / ours, at least 0.5": (times["tintype memcpy"] / times["tintype premultiply"], 0.5),
        }
        for goal, (ratio, least) in goals.items():
            print(f"{'met   ' if ratio >= least else 'MISSED'} {ratio:6.2f}   {goal}")
        return all(ratio >= least for ratio, least in goals.values())


sys.exit(0 if main(sys.argv[1], int(sys.argv[2])) else 1)
