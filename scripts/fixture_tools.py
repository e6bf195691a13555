"""AVIF, HEIC and JPEG XL fixtures for make-fixtures.py: encoded and judged by the tools of Debian's own libraries, which
are those that the tests run with (libavif-bin, libheif-examples, libjxl-tools)."""

import io
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageSequence

import fixture_boxes


class Workshop:
    """A folder for the tools' files."""

    def __init__(self, kit):
        self.kit = kit
        self.folder = Path(tempfile.mkdtemp())

    def png(self, pixels, name="in.png"):
        colour = {2: self.kit.GREY, 3: {3: self.kit.RGB, 4: self.kit.RGBA}.get(pixels.shape[-1])}[pixels.ndim]
        (self.folder / name).write_bytes(self.kit.png(pixels, 8, colour))
        return name

    def run(self, *command):
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)

    def made(self, *command, name):
        self.run(*command)
        return (self.folder / name).read_bytes()

    def judged(self, data, suffix, *command):
        (self.folder / f"judge{suffix}").write_bytes(data)
        self.run(command[0], *command[1:], f"judge{suffix}", "judged.png")
        return np.array(Image.open(self.folder / "judged.png").convert("RGBA"))

    def played(self, data, suffix, *command):
        (self.folder / f"judge{suffix}").write_bytes(data)
        self.run(command[0], *command[1:], f"judge{suffix}", "judged.apng")
        return [np.array(frame.convert("RGBA")) for frame in ImageSequence.Iterator(Image.open(self.folder / "judged.apng"))]


def png_words(data):
    """The samples of a PNG of 16-bit RGB, which Pillow would cut to 8."""
    place, body = 8, b""
    while place < len(data):
        size, kind = struct.unpack_from(">I4s", data, place)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", data, place + 8)
            assert (depth, colour) == (16, 2)
        body += data[place + 8:place + 8 + size] if kind == b"IDAT" else b""
        place += 12 + size
    rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, -1)
    out, above = [], np.zeros(width * 6, int)
    for row in rows:
        line = row[1:].astype(int)
        for x in range(len(line)):
            left, up, corner = line[x - 6] if x > 5 else 0, above[x], above[x - 6] if x > 5 else 0
            near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))
            line[x] = line[x] + (0, left, up, (left + up) // 2, near[2])[row[0]] & 255
        out.append(line)
        above = line
    return np.stack(out).astype(np.uint8).view(">u2").reshape(height, width, 3).astype(int)


def make_avifs(kit):
    shop, (w, h) = Workshop(kit), (48, 34)
    rgb = kit.picture(w, h)
    full = np.dstack([rgb, kit.alpha(w, h)])

    def add(name, pixels, options, note, lossless=False, **more):
        data = shop.made("avifenc", "--jobs", "1", *options, shop.png(pixels), "out.avif", name="out.avif")
        expect = kit.rgba(rgb) if lossless and pixels.shape[-1] == 3 else shop.judged(data, ".avif", "avifdec")
        kit.add(name, data, format="avif", expect=expect, lossless=lossless, note=note, **more)
        return data

    lossy = ["--min", "10", "--max", "10"]
    whole = add("lossy-420.avif", rgb, [*lossy, "--yuv", "420"], "4:2:0")
    add("lossy-444.avif", rgb, [*lossy, "--yuv", "444"], "4:4:4")
    add("limited.avif", rgb, [*lossy, "--yuv", "422", "--range", "limited"], "4:2:2, limited range")
    add("ten-bit.avif", rgb, [*lossy, "--depth", "10", "--yuv", "444"], "10 bits")
    add("grey.avif", kit.grey(rgb), [*lossy, "--yuv", "400"], "luma alone")
    add("lossless.avif", rgb, ["--lossless"], "lossless", lossless=True)
    add("alpha.avif", full, [*lossy, "--yuv", "444"], "with alpha", has_alpha=True)
    # Anticlockwise, so the picture is stored as clockwise turned; then mirrored.
    turned = np.ascontiguousarray(np.rot90(rgb, -1))
    for name, options, stored, orientation in (("turned", ["--irot", "1"], turned, 8),
                                               ("mirrored", ["--imir", "1"], rgb[:, ::-1], 2),
                                               ("both", ["--irot", "1", "--imir", "0"], rgb.swapaxes(0, 1), 5)):
        data = shop.made("avifenc", "--jobs", "1", "--lossless", *options, shop.png(np.ascontiguousarray(stored)),
                         "out.avif", name="out.avif")
        kit.add(f"{name}.avif", data, format="avif", expect=kit.rgba(rgb), orientation=orientation, lossless=True,
                note=f"{' '.join(options)}: as orientation {orientation}")
    frames = [np.roll(rgb, 5 * i, axis=1) for i in range(5)]
    names = [shop.png(frame, f"frame-{i}.png") for i, frame in enumerate(frames)]
    data = shop.made("avifenc", "--jobs", "1", "--lossless", "--timescale", "10", "--keyframe", "3", *names, "out.avif",
                     name="out.avif")
    kit.add("sequence.avif", data, format="avif", expect=[kit.rgba(f) for f in frames], frames=5, loops=0,
            durations=[0.1] * 5, lossless=True, has_alpha=True, note="a lossless image sequence of 5 frames, a key frame each third")
    kit.add("truncated.avif", whole[:len(whole) * 6 // 10], format="avif", valid=False, note="ends in the pixels")


def make_jxls(kit):
    shop, (w, h) = Workshop(kit), (48, 34)
    rgb = kit.picture(w, h)
    full = np.dstack([rgb, kit.alpha(w, h)])

    def made(source, *options):
        return shop.made("cjxl", source, "out.jxl", "--num_threads=0", *options, name="out.jxl")

    def add(name, pixels, options, note, lossless=False, **more):
        data = made(shop.png(pixels), *options)
        exact = kit.rgba(pixels) if pixels.shape[-1] != 4 else pixels
        expect = exact if lossless else shop.judged(data, ".jxl", "djxl")
        kit.add(name, data, format="jxl", expect=expect, lossless=lossless, note=note, **more)
        return data

    whole = add("lossless.jxl", rgb, ["-q", "100"], "lossless", lossless=True)
    add("lossless-alpha.jxl", full, ["-q", "100"], "lossless, with alpha", lossless=True, has_alpha=True)
    add("grey.jxl", kit.grey(rgb), ["-q", "100"], "lossless, grey", lossless=True)
    add("lossy.jxl", rgb, ["-q", "85"], "lossy, in XYB")
    add("container.jxl", rgb, ["-q", "85", "--container=1"], "lossy, in a container")
    frames = kit.script()
    for frame in frames:  # of frames that last no time libjxl shows only what they leave behind
        frame["ms"] = max(10, frame["ms"] // 10 * 10)
    (shop.folder / "in.gif").write_bytes(kit.gif(frames, repeats=0))
    data = made("in.gif", "-q", "100")
    shown = shop.played(data, ".jxl", "djxl")
    kit.add("rects.jxl", data, format="jxl", expect=shown, lossless=True, has_alpha=True, frames=len(shown), loops=0,
            durations=kit.seconds(frames), note="the frames of rects.gif, as cjxl stores and djxl shows them")
    kit.add("truncated.jxl", whole[:len(whole) * 6 // 10], format="jxl", size=(w, h), valid=False,
            note="ends in the pixels")


def make_orientations(kit):
    """All eight, where a tool or a box says them; JPEG, PNG, WebP and TIFF have them by a number that tests change."""
    shop, (w, h) = Workshop(kit), (48, 32)
    rgb = kit.picture(w, h)
    turn = {1: (0, None), 2: (0, 1), 3: (2, None), 4: (0, 0), 5: (3, 1), 6: (3, None), 7: (1, 1), 8: (1, None)}
    for orientation in range(1, 9):
        (shop.folder / "in.jpg").write_bytes((kit.FOLDER / f"orientation-{orientation}.jpg").read_bytes())
        data = shop.made("cjxl", "in.jpg", "out.jxl", "--num_threads=0", name="out.jxl")
        kit.add(f"orientation-{orientation}.jxl", data, format="jxl", lossless=False, expect=shop.judged(data, ".jxl", "djxl"),
                orientation=orientation, note=f"a JPEG packed anew, orientation {orientation}")
    data = shop.made("heif-enc", "-q", "90", shop.png(rgb), "-o", "out.heic", name="out.heic")
    upright = shop.judged(data, ".heic", "heif-convert")
    # The first item is a whole block; the second, the picture, is cut out of it.
    for orientation, (quarters, axis) in turn.items():
        turned, shown = data, np.rot90(upright, quarters)
        if quarters:
            turned = fixture_boxes.with_property(turned, 2, fixture_boxes.box(b"irot", bytes([quarters])))
        if axis is not None:
            turned = fixture_boxes.with_property(turned, 2, fixture_boxes.box(b"imir", bytes([axis])))
            shown = shown[::-1] if axis == 0 else shown[:, ::-1]
        kit.add(f"orientation-{orientation}.heic", turned, format="heic", lossless=False, expect=shown,
                orientation=orientation,
                note=f"turned by {quarters} quarters, mirrored: {axis}")


def make_heics(kit):
    shop, (w, h) = Workshop(kit), (64, 64)
    rgb = kit.picture(w, h)
    full = np.dstack([rgb, kit.alpha(w, h)])

    def add(name, pixels, options, note, **more):
        data = shop.made("heif-enc", *options, shop.png(pixels), "-o", "out.heic", name="out.heic")
        expect = shop.judged(data, ".heic", "heif-convert")
        kit.add(name, data, format="heic", expect=expect, lossless=False, note=note, **more)
        return data

    whole = add("lossy.heic", rgb, ["-q", "80"], "4:2:0")
    add("alpha.heic", full, ["-q", "80"], "with alpha", has_alpha=True)
    kit.add("truncated.heic", whole[:len(whole) * 6 // 10], format="heic", valid=False, note="ends in the pixels")
