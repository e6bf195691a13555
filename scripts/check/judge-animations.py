"""The comparisons of scripts/check/judge-animations, which runs this with the path of the command."""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import PIL
from PIL import Image, ImageSequence

FIXTURES = pathlib.Path(__file__).parents[2] / "Tests/TintypeCodecTests/Fixtures"
FORMATS = ["png", "gif", "webp", "avif", "jxl"]


def played(seconds):
    return seconds if seconds >= 0.011 else 0.1


def premultiplied(pixels):
    """Clears the colour of transparent pixels, which does not matter."""
    wide = pixels.astype(int)
    return np.dstack([(wide[..., :3] * wide[..., 3:] * 2 + 255) // 510, wide[..., 3:]])


def expected(fixture, kind):
    shape = (fixture["expectedHeight"], fixture["expectedWidth"], 4)
    frames = [np.frombuffer((FIXTURES / name).read_bytes(), np.uint8).reshape(shape) for name in fixture["expected"]]
    if kind != "gif":
        return [premultiplied(frame) for frame in frames]
    # A GIF has no translucent pixels.
    opaque = [np.dstack([frame[..., :3], np.where(frame[..., 3] >= 128, 255, 0).astype(np.uint8)]) for frame in frames]
    return [premultiplied(frame) for frame in opaque]


def read(path, kind):
    """Returns frames, seconds and loops as the judge reads them, with None for loops that it does not report."""
    if kind == "jxl":
        subprocess.run(["djxl", path, path.with_suffix(".apng")], check=True, capture_output=True)
        path = path.with_suffix(".apng")
    with Image.open(path) as image:
        frames, seconds = [], []
        for frame in ImageSequence.Iterator(image):
            frames.append(premultiplied(np.array(frame.convert("RGBA"))))
            seconds.append(frame.info.get("duration", 0) / 1000)
        loop = image.info.get("loop")
    if kind == "gif":
        return frames, seconds, 1 if loop is None else loop and loop + 1
    # djxl writes nothing of them.
    return frames, seconds, None if kind in ("avif", "jxl") else loop


def differences(fixture, kind, written, seconds):
    """Yields the differences of channels in the middle of each frame."""
    ends = np.cumsum(seconds)
    start = 0
    for frame, stored in zip(expected(fixture, kind), fixture["durations"]):
        middle = start + played(stored) / 2
        shown = written[min(int(np.searchsorted(ends, middle, side="right")), len(written) - 1)]
        yield np.abs(frame - shown)
        start += played(stored)


def is_close(fixture, kind, apart):
    """Whether frames are equal within the tolerance of the fixture; for a GIF with too many colours, in the mean."""
    pixels = np.concatenate([frame.reshape(-1, 4) for frame in expected(fixture, kind)])
    if kind == "gif" and len(np.unique(pixels, axis=0)) > 255:
        return max(frame.mean() for frame in apart) < 3 and not any(frame[..., 3].any() for frame in apart)
    return max(frame.max() for frame in apart) <= (1 if fixture["name"].startswith("animated") else 0)


def judge(command, fixture, kind, folder):
    path = pathlib.Path(folder) / f"out.{kind}"
    subprocess.run([command, "convert", FIXTURES / fixture["name"], path, "--quality", "100"], check=True)
    frames, seconds, loops = read(path, kind)
    apart = list(differences(fixture, kind, frames, seconds))
    off = abs(sum(seconds) - sum(map(played, fixture["durations"])))
    is_right = is_close(fixture, kind, apart) and off < 0.015 and loops in (None, fixture["loopCount"])
    told = "not reported" if loops is None else loops
    print(f"| {fixture['name']} | {kind} | {path.stat().st_size} | {len(frames)} of {len(fixture['expected'])} "
          f"| {max(frame.max() for frame in apart)} | {sum(seconds):.3f} | {told}{'' if is_right else ' WRONG'} |")
    return is_right


def main():
    command = sys.argv[1]
    fixtures = json.loads((FIXTURES / "manifest.json").read_text())["fixtures"]
    fixtures = [fixture for fixture in fixtures if fixture["valid"] and (fixture["frameCount"] or 1) > 1]
    print(f"Pillow {PIL.__version__}; djxl for JPEG XL\n")
    print("| fixture | written as | bytes | frames | largest difference | seconds | loops |")
    print("| --- | --- | ---: | --- | ---: | ---: | --- |")
    with tempfile.TemporaryDirectory() as folder:
        results = [judge(command, fixture, kind, folder) for fixture in fixtures for kind in FORMATS]
    sys.exit(0 if all(results) else "judge-animations: a result marked WRONG differs from its fixture")


main()
