"""The measurements of scripts/bench/compare-transforms, which passes the path of TransformTimings, the number of rounds and
optionally a file for a contact sheet."""

import pathlib
import sys
import tempfile

import numpy
import PIL
import pyvips
from PIL import Image, ImageFilter, ImageOps

from timing_tools import Program, in_turns, timed

WIDTH, HEIGHT = 4000, 3000
SAMPLE = pathlib.Path(__file__).parents[2] / "Sources/CTintypeSamples/Samples/mountains.jpg"


def photograph():
    """Returns a photograph whose alpha decreases from left to right."""
    image = Image.open(SAMPLE).convert("RGBA").resize((WIDTH, HEIGHT), Image.BICUBIC)
    alpha = numpy.linspace(255, 40, WIDTH).astype(numpy.uint8)
    image.putalpha(Image.fromarray(numpy.tile(alpha, (HEIGHT, 1))))
    return image


class Timings(Program):
    """Runs single transforms with Tintype."""

    def __init__(self, program, image, folder):
        raw = pathlib.Path(folder) / "image.rgba"
        raw.write_bytes(image.tobytes())
        self.folder = folder
        super().__init__(program, raw, WIDTH, HEIGHT)

    def result(self, name):
        path = f"{self.folder}/{name}.rgba"
        size = tuple(map(int, self.ask("write", name, path)))
        return Image.frombytes("RGBA", size, pathlib.Path(path).read_bytes())


def distance(first, second):
    """Returns the largest and mean difference of premultiplied channels. Pillow rounds the size of rotated images differently."""
    width, height = (min(first.size[axis], second.size[axis]) for axis in (0, 1))
    first, second = (ImageOps.fit(image, (width, height)) if image.size != (width, height) else image
                     for image in (first, second))
    one, other = (numpy.asarray(image.convert("RGBa")).astype(int) for image in (first, second))
    difference = abs(one - other)
    return f"{difference.max():4d} {difference.mean():6.2f}"


def colored(image, work):
    """Applies `work` to the colours only."""
    result = work(image.convert("RGB")).convert("RGBA")
    result.putalpha(image.getchannel("A"))
    return result


def pillows(image):
    """Returns Pillow's counterpart of each transform."""
    grey = (0.213, 0.715, 0.072, 0)
    return {
        "resize": lambda: image.resize((320, 240), Image.LANCZOS),
        "blur2": lambda: image.convert("RGBa").filter(ImageFilter.GaussianBlur(2)).convert("RGBA"),
        "blur64": lambda: image.convert("RGBa").filter(ImageFilter.GaussianBlur(64)).convert("RGBA"),
        "rotate30": lambda: image.convert("RGBa").rotate(30, Image.BILINEAR, expand=True).convert("RGBA"),
        "rotate90": lambda: image.transpose(Image.ROTATE_90),
        "flip": lambda: image.transpose(Image.FLIP_LEFT_RIGHT),
        "crop": lambda: image.crop((500, 400, 2500, 1900)),
        "grey": lambda: colored(image, lambda color: color.convert("RGB", grey * 3)),
        "invert": lambda: colored(image, ImageOps.invert),
        "flatten": lambda: Image.alpha_composite(Image.new("RGBA", image.size, "white"), image),
    }


def sheet(pairs, path):
    """Draws pairs of images on grey."""
    side = 240
    board = Image.new("RGBA", (2 * side * 2, side * ((len(pairs) + 1) // 2)), "#888888")
    for place, pair in enumerate(pairs):
        for half, one in enumerate(pair):
            small = ImageOps.contain(one, (side - 8, side - 8))
            board.alpha_composite(small, ((place % 2 * 2 + half) * side + 4, place // 2 * side + 4))
    board.save(path)


def main(program, rounds, sheet_path=None):
    image = photograph()
    vips = pyvips.Image.new_from_memory(image.convert("RGBa").tobytes(), WIDTH, HEIGHT, 4, "uchar")
    with tempfile.TemporaryDirectory() as folder:
        ours = Timings(program, image, folder)
        pillow = pillows(image)
        times = in_turns(rounds, {
            **{f"tintype {name}": lambda name=name: ours.time(name) for name in [*pillow, "chain", "steps", "premultiply", "memcpy"]},
            **{f"pillow {name}": lambda work=work: timed(work) for name, work in pillow.items()},
            "vips resize": lambda: timed(lambda: vips.resize(320 / WIDTH, kernel="lanczos3").write_to_memory()),
        })
        print(f"{WIDTH}x{HEIGHT} RGBA, the best of {rounds} rounds; Pillow {PIL.__version__}, "
              f"libvips {pyvips.version(0)}.{pyvips.version(1)}")
        print("transform     tintype     pillow   pillow/tintype   largest and mean distance of 255")
        pairs = []
        for name, work in pillow.items():
            mine, theirs = times[f"tintype {name}"], times[f"pillow {name}"]
            pairs.append((work(), ours.result(name)))
            print(f"{name:<10} {mine:7.2f} ms {theirs:7.2f} ms {theirs / mine:16.2f}   {distance(*pairs[-1])}")
        print(f"tint, round and flatten: {times['tintype chain']:.2f} ms as a chain, {times['tintype steps']:.2f} ms one by one")
        if sheet_path:
            sheet(pairs, sheet_path)
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


sys.exit(0 if main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:4]) else 1)
