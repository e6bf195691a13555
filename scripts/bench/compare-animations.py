"""The measurements of scripts/bench/compare-animations, which passes the path of AnimationTimings and the number of rounds."""

import pathlib
import sys
import tempfile

import PIL
from PIL import Image, ImageDraw, ImageSequence, features

from timing_tools import Program, in_turns, timed

SIZE, COUNT = (480, 270), 40
SAMPLE = pathlib.Path(__file__).parents[2] / "Sources/CTintypeSamples/Samples/mountains.jpg"

# The maximum ratios of Tintype's time to the other's.
GOAL = 1.0


def films():
    """Returns two films: a camera that pans over a photograph, so that every pixel changes, and a ball that rolls over it."""
    photo = Image.open(SAMPLE).convert("RGB").resize((SIZE[0] + 2 * COUNT, SIZE[1] + COUNT), Image.LANCZOS)
    camera = [photo.crop((2 * step, step, 2 * step + SIZE[0], step + SIZE[1])) for step in range(COUNT)]
    ball = []
    for step in range(COUNT):
        frame = camera[0].copy()
        place = 10 + 10 * step
        ImageDraw.Draw(frame).ellipse((place, 100, place + 40, 140), fill="#c01c28")
        ball.append(frame)
    return {"camera": camera, "ball": ball}


def write(folder):
    """Writes the films in every format."""
    options = {"gif": {}, "png": {}, "webp": {"quality": 80, "method": 2}}
    for name, frames in films().items():
        for kind, extra in options.items():
            path = pathlib.Path(folder) / f"{name}.{kind}"
            stored = frames
            if kind == "gif":
                palette = frames[-1].quantize(256)
                stored = [frame.quantize(palette=palette) for frame in frames]
            stored[0].save(path, save_all=True, append_images=stored[1:], duration=40, loop=0, **extra)
            yield path


def pillow(path):
    count = 0

    def play():
        nonlocal count
        with Image.open(path) as image:
            for frame in ImageSequence.Iterator(image):
                frame.convert("RGBA").load()
                count += 1

    return timed(play), count


def whole(name, taken, count):
    """Returns the time for all frames."""
    if int(count) != COUNT:
        sys.exit(f"compare-animations: {name} made {count} frames of {COUNT}")
    return float(taken)


def main(program, rounds):
    timings = Program(program)
    print(f"Pillow {PIL.__version__}, libwebp {features.version('webp')} in it; {SIZE[0]} x {SIZE[1]}, {COUNT} frames")
    print(f"{'':12} {'KB':>6} {'tintype':>9} {'library':>9} {'Pillow':>9}   ratios")
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        for path in write(folder):
            contestants = {"tintype": lambda: whole("tintype", *timings.ask("tintype", path))}
            # libpng does not support animations.
            if path.suffix != ".png":
                contestants["library"] = lambda: whole("library", *timings.ask("control", path))
            contestants["Pillow"] = lambda: whole("Pillow", *pillow(path))
            times = in_turns(rounds, contestants)
            ours = times["tintype"]
            cells = " ".join(f"{times[name]:6.1f} ms" if name in times else f"{'':9}"
                             for name in ("tintype", "library", "Pillow"))
            ratios = {name: ours / taken for name, taken in times.items() if name != "tintype"}
            said = ", ".join(f"{ratio:.2f} of {name}" for name, ratio in ratios.items())
            print(f"{path.name:12} {path.stat().st_size // 1024:6} {cells}   {said}")
            missed |= any(ratio > GOAL for ratio in ratios.values())
    if missed:
        sys.exit("compare-animations: a goal is missed")


main(sys.argv[1], int(sys.argv[2]))
