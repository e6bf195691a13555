#!/usr/bin/env python3
"""Makes the picture fixtures of the codec tests, and what each must decode to.

    python3 -m venv .venv && .venv/bin/pip install -r scripts/requirements-fixtures.txt
    .venv/bin/python scripts/make-fixtures.py [FOLDER]

Pillow writes the JPEGs and judges every decodable file. PNG variants it cannot
write (low bit depths, tRNS, Adam7, 16 bits), and animations with chosen
rectangles, disposal and blending, come from the writers below. Everything is deterministic for the pinned versions.
"""

import io
import json
import shutil
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import PIL
from PIL import Image, ImageDraw, ImageFile, ImageOps, features

import fixture_colors
import fixture_rasters
import fixture_samplings
import fixture_sequences
import fixture_tools

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "Tests/TintypeCodecTests/Fixtures"
EXPECTED = FOLDER / "expected"

manifest = []


# Pictures.


def picture(width, height):
    """RGB: gradients in red and green, a blue diagonal, hard corners, a letter F."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    u, v = x / max(width - 1, 1), y / max(height - 1, 1)
    rgb = np.stack([40 + 200 * u, 30 + 190 * v, 220 - 170 * (u + v) / 2], -1)
    rgb[np.abs(u - v) < 0.06] = (20, 40, 230)
    a = np.clip(np.round(rgb), 0, 255).astype(np.uint8)
    if width >= 16 and height >= 16:
        w, h = width // 6, height // 6
        a[:h, -w:] = (255, 0, 0)
        a[-h:, :w] = (0, 200, 0)
        image = Image.fromarray(a)
        draw = ImageDraw.Draw(image)
        left, top, tall = round(width * 0.3), round(height * 0.15), round(height * 0.7)
        bar = max(2, tall // 6)
        draw.rectangle((left, top, left + bar, top + tall), fill=(255, 255, 255))
        draw.rectangle((left, top, left + 4 * bar, top + bar), fill=(255, 255, 255))
        draw.rectangle((left, top + tall // 2 - bar // 2, left + 3 * bar, top + tall // 2 + bar // 2),
                       fill=(255, 240, 0))
        a = np.array(image)
    return a


def alpha(width, height):
    """A ramp to the right, clear in the bottom right corner, opaque in the top left one."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    a = np.round(255 * x / max(width - 1, 1)).astype(np.uint8)
    a[: height // 4, : width // 4] = 255
    a[-(height // 4):, -(width // 4):] = 0
    return a


def grey(rgb):
    return np.round(rgb @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)


def sixteen(a, seed):
    """8 bits to 16, with low bytes that distinguish rounding from truncation."""
    low = np.random.default_rng(seed).integers(0, 256, a.shape)
    return (a.astype(np.uint16) << 8) | low.astype(np.uint16)


def eight(a):
    """16 bits to 8 as png_set_scale_16 does: round(v * 255 / 65535)."""
    return ((a.astype(np.uint32) * 255 + 32895) >> 16).astype(np.uint8)


def rgba(rgb, a=None):
    if rgb.ndim == 2:
        rgb = np.repeat(rgb[..., None], 3, -1)
    if a is None:
        a = np.full(rgb.shape[:2], 255, np.uint8)
    return np.dstack([rgb, a]).astype(np.uint8)


# The PNG writer.

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width, height, depth, colour, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))


def scanlines(a, depth, colour):
    """Packs samples, and filters each row by another of the five filters in turn."""
    height, width = a.shape[:2]
    if width == 0 or height == 0:
        return b""
    flat = a.reshape(height, -1)
    if depth == 16:
        rows = flat.astype(">u2").view(np.uint8).reshape(height, -1)
    elif depth == 8:
        rows = flat.astype(np.uint8)
    else:
        bits = (flat[..., None].astype(np.uint8) >> np.arange(depth - 1, -1, -1, dtype=np.uint8)) & 1
        rows = np.packbits(bits.reshape(height, -1), axis=1)
    step = max(1, CHANNELS[colour] * depth // 8)
    prior, out = np.zeros(rows.shape[1], int), bytearray()
    for y, row in enumerate(rows.astype(int)):
        left, corner = np.zeros_like(row), np.zeros_like(row)
        left[step:], corner[step:] = row[:-step], prior[:-step]
        if y % 5 == 4:
            p = left + prior - corner
            pa, pb, pc = abs(p - left), abs(p - prior), abs(p - corner)
            guess = np.where((pa <= pb) & (pa <= pc), left, np.where(pb <= pc, prior, corner))
        else:
            guess = (np.zeros_like(row), left, prior, (left + prior) // 2)[y % 5]
        out.append(y % 5)
        out += ((row - guess) & 255).astype(np.uint8).tobytes()
        prior = row
    return bytes(out)


def compressed(a, depth, colour, interlaced=False):
    if not interlaced:
        return zlib.compress(scanlines(a, depth, colour), 9)
    return zlib.compress(b"".join(scanlines(a[y::dy, x::dx], depth, colour) for x, y, dx, dy in PASSES), 9)


def png(a, depth, colour, before=b"", interlaced=False):
    height, width = a.shape[:2]
    data = compressed(a, depth, colour, interlaced)
    half = len(data) // 2  # two IDATs: the stream goes on over the seam
    return (SIGNATURE + header(width, height, depth, colour, int(interlaced)) + before
            + chunk(b"IDAT", data[:half]) + chunk(b"IDAT", data[half:]) + chunk(b"IEND"))


# Writing and judging.


def judge(data):
    """Straight RGBA8 as displayed, by Pillow."""
    image = Image.open(io.BytesIO(data))
    image = ImageOps.exif_transpose(image)
    return np.array(image.convert("RGBA"))


def add(name, data, *, format, size=None, expect=None, orientation=None, frames=1, loops=None, durations=(),
        has_alpha=False, valid=True, lossless=None, near=None, check=None, note=""):
    (FOLDER / name).write_bytes(data)
    entry = {
        "name": name, "format": format, "width": None, "height": None, "orientation": orientation,
        "frameCount": frames if size or expect is not None else None, "loopCount": loops,
        "durations": list(durations), "near": near, "hasAlpha": has_alpha, "valid": valid,
        "lossless": format in ("png", "gif") if lossless is None else lossless, "expected": [], "expectedWidth": None, "expectedHeight": None, "note": note,
    }
    if expect is not None:
        pictures = expect if isinstance(expect, list) else [expect]
        size = size or (pictures[0].shape[1], pictures[0].shape[0])
        stem = name.rsplit(".", 1)[0] + "-" + format
        for index, pixels in enumerate(pictures):
            target = f"{stem}.rgba" if index == 0 else f"{stem}.frame-{index}.rgba"
            (EXPECTED / target).write_bytes(np.ascontiguousarray(pixels, np.uint8).tobytes())
            entry["expected"].append("expected/" + target)
        entry["expectedHeight"], entry["expectedWidth"] = pictures[0].shape[:2]
    if size:
        entry["width"], entry["height"] = size
    manifest.append(entry)
    if check is not None:  # Pillow agrees with what the chunk writer meant
        difference = np.abs(judge(data).astype(int) - (expect if not isinstance(expect, list) else expect[0])).max()
        assert difference <= check, f"{name}: Pillow differs by {difference}"


def jpeg(a, mode=None, **options):
    out = io.BytesIO()
    image = a if isinstance(a, Image.Image) else Image.fromarray(a)
    image.save(out, "JPEG", **{"quality": 90, "optimize": True, **options})
    return out.getvalue()


def exif(orientation, order):
    """A TIFF with a single entry: orientation, in either byte order."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return (mark + struct.pack(order + "IH", 8, 1) + struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0)
            + struct.pack(order + "I", 0))


def make_jpegs():
    small = picture(32, 24)
    variants = {
        "baseline-420": (small, {"subsampling": "4:2:0"}, "baseline, 4:2:0"),
        "baseline-422": (small, {"subsampling": "4:2:2"}, "baseline, 4:2:2"),
        "baseline-444": (small, {"subsampling": "4:4:4"}, "baseline, 4:4:4"),
        "progressive": (small, {"subsampling": "4:2:0", "progressive": True}, "progressive, 4:2:0"),
        "restart": (picture(48, 32), {"subsampling": "4:2:0", "restart_marker_blocks": 2}, "restart markers"),
        "grey": (grey(small), {}, "one component"),
        "odd-1x1": (np.full((1, 1, 3), (200, 90, 30), np.uint8), {"subsampling": "4:2:0"}, "one pixel"),
        "odd-1x17": (picture(1, 17), {"subsampling": "4:2:0"}, "one pixel wide"),
        "odd-33x7": (picture(33, 7), {"subsampling": "4:2:0"}, "no multiple of a block"),
    }
    for name, (a, options, note) in variants.items():
        data = jpeg(a, **options)
        add(f"{name}.jpg", data, format="jpeg", expect=judge(data), note=note)

    # Pillow writes CMYK as Adobe does: an APP14 marker, and the inks inverted.
    c = 255 - small.astype(int)
    k = c.min(-1) // 2
    inks = np.dstack([np.clip((c - k[..., None]) * 255 // (255 - k[..., None]), 0, 255), k]).astype(np.uint8)
    data = jpeg(Image.frombytes("CMYK", (32, 24), inks.tobytes()))
    assert b"Adobe" in data
    add("cmyk.jpg", data, format="jpeg", expect=judge(data), note="four components, Adobe APP14, inverted inks")

    upright = Image.fromarray(picture(48, 32))
    undo = {1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
            4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90,
            7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270}
    for orientation, method in undo.items():
        stored = upright if method is None else upright.transpose(method)
        order = "<" if orientation % 2 else ">"
        data = jpeg(stored, quality=95, subsampling="4:4:4", exif=b"Exif\0\0" + exif(orientation, order))
        expect = judge(data)
        assert expect.shape == (32, 48, 4)
        off = np.abs(expect[..., :3].astype(int) - np.array(upright)).mean()
        assert off < 4, f"orientation {orientation} is off by {off}"
        add(f"orientation-{orientation}.jpg", data, format="jpeg", expect=expect, orientation=orientation,
            note=f"EXIF orientation {orientation}, {'little' if order == '<' else 'big'} endian")

    whole = jpeg(small, subsampling="4:2:0")
    add("no-eoi.jpg", whole[:-2], format="jpeg", expect=judge(whole), note="the last two bytes, EOI, are missing")
    add("truncated.jpg", jpeg(picture(48, 32))[: len(jpeg(picture(48, 32))) * 6 // 10], format="jpeg", size=(48, 32),
        valid=False, note="ends in the middle of the entropy-coded data")

    large = picture(640, 480).astype(float)
    y, x = np.mgrid[0:480, 0:640]
    large += (14 * np.sin(x / 9.0) * np.cos(y / 13.0))[..., None]
    large += np.random.default_rng(7).normal(0, 2.0, (480, 640, 1))
    large = np.clip(np.round(large), 0, 255).astype(np.uint8)
    for name, progressive in (("large-baseline", False), ("large-progressive", True)):
        data = jpeg(large, quality=80, subsampling="4:2:0", progressive=progressive)
        assert len(data) < 60_000, len(data)
        blocks = judge(data).reshape(12, 40, 16, 40, 4).mean((1, 3))
        add(f"{name}.jpg", data, format="jpeg", size=(640, 480), expect=np.round(blocks),
            note="expected: the mean of each block of 40x40 pixels, as a picture of 16x12")


def make_pngs():
    w, h = 32, 24
    rgb, a = picture(w, h), alpha(w, h)
    g = grey(rgb)

    for depth in (1, 2, 4, 8):
        top = (1 << depth) - 1
        samples = np.round(g / 255 * top).astype(np.uint8)
        shown = (samples.astype(int) * 255 // top).astype(np.uint8)
        add(f"grey-{depth}.png", png(samples, depth, GREY), format="png", expect=rgba(shown), check=0,
            note=f"grey, {depth} bits")
    # Pillow cuts 16 bits to 8 in its own ways: a difference of one is no quarrel, where it looks at all.
    wide = sixteen(g, 1)
    add("grey-16.png", png(wide, 16, GREY), format="png", expect=rgba(eight(wide)), note="grey, 16 bits")
    add("grey-alpha-8.png", png(np.dstack([g, a]), 8, GREY_ALPHA), format="png", expect=rgba(g, a), has_alpha=True,
        check=0, note="grey and alpha, 8 bits")
    wide = sixteen(np.dstack([g, a]), 2)
    add("grey-alpha-16.png", png(wide, 16, GREY_ALPHA), format="png",
        expect=rgba(eight(wide[..., 0]), eight(wide[..., 1])), has_alpha=True, check=1,
        note="grey and alpha, 16 bits")
    add("rgb-8.png", png(rgb, 8, RGB), format="png", expect=rgba(rgb), check=0, note="RGB, 8 bits")
    wide = sixteen(rgb, 3)
    add("rgb-16.png", png(wide, 16, RGB), format="png", expect=rgba(eight(wide)), check=1, note="RGB, 16 bits")
    full = np.dstack([rgb, a])
    add("rgba-8.png", png(full, 8, RGBA), format="png", expect=full, has_alpha=True, check=0, note="RGBA, 8 bits")
    wide = sixteen(full, 4)
    add("rgba-16.png", png(wide, 16, RGBA), format="png", expect=eight(wide), has_alpha=True, check=1,
        note="RGBA, 16 bits")

    for depth in (1, 2, 4, 8):
        colours = 1 << depth
        reduced = Image.fromarray(rgb).quantize(colours, dither=Image.Dither.NONE)
        index = np.array(reduced)
        table = np.zeros((colours, 3), np.uint8)
        found = np.array(reduced.getpalette(), np.uint8).reshape(-1, 3)[:colours]
        table[: len(found)] = found
        add(f"palette-{depth}.png", png(index, depth, PALETTE, chunk(b"PLTE", table.tobytes())), format="png",
            expect=rgba(table[index]), check=0, note=f"palette of {colours}")
        if depth == 4:
            opacity = np.array([0, 64, 128, 200], np.uint8)  # shorter than the palette: the rest is opaque
            alphas = np.full(colours, 255, np.uint8)
            alphas[: len(opacity)] = opacity
            add("palette-trns.png",
                png(index, depth, PALETTE, chunk(b"PLTE", table.tobytes()) + chunk(b"tRNS", opacity.tobytes())),
                format="png", expect=rgba(table[index], alphas[index]), has_alpha=True, check=0,
                note="palette of 16, tRNS of 4 entries")

    key = int(g[0, 0])
    add("grey-trns.png", png(g, 8, GREY, chunk(b"tRNS", struct.pack(">H", key))), format="png",
        expect=rgba(g, np.where(g == key, 0, 255)), has_alpha=True, check=0, note="grey, tRNS colour key")
    small = np.round(g / 255 * 3).astype(np.uint8)
    add("grey-2-trns.png", png(small, 2, GREY, chunk(b"tRNS", struct.pack(">H", 1))), format="png",
        expect=rgba(small * 85, np.where(small == 1, 0, 255)), has_alpha=True,
        note="grey of 2 bits, tRNS colour key (in samples of 2 bits)")
    key = (255, 255, 255)
    clear = (rgb == np.array(key)).all(-1)
    assert clear.any()
    add("rgb-trns.png", png(rgb, 8, RGB, chunk(b"tRNS", struct.pack(">HHH", *key))), format="png",
        expect=rgba(rgb, np.where(clear, 0, 255)), has_alpha=True, check=0, note="RGB, tRNS colour key")
    wide = rgb.astype(np.uint16) * 257
    wide[::2] = np.where(wide[::2] == 65535, 65534, wide[::2])  # white in 8 bits, yet not the key
    clear = (wide == 65535).all(-1)
    add("rgb-16-trns.png", png(wide, 16, RGB, chunk(b"tRNS", struct.pack(">HHH", *[65535] * 3))), format="png",
        expect=rgba(eight(wide), np.where(clear, 0, 255)), has_alpha=True,
        note="RGB of 16 bits, tRNS colour key compared before reducing to 8 bits")

    add("adam7-rgba.png", png(full, 8, RGBA, interlaced=True), format="png", expect=full, has_alpha=True, check=0,
        note="RGBA, Adam7")
    tiny = np.dstack([picture(3, 2), np.full((2, 3), 255)]).astype(np.uint8)
    add("adam7-3x2.png", png(tiny[..., :3], 8, RGB, interlaced=True), format="png", expect=tiny, check=0,
        note="RGB, Adam7, some passes empty")
    dot = np.array([[[10, 200, 60, 128]]], np.uint8)
    add("one-1x1.png", png(dot, 8, RGBA), format="png", expect=dot, has_alpha=True, check=0, note="one pixel")

    turned = np.rot90(rgb)  # counter-clockwise; orientation 6 turns it clockwise
    data = png(turned, 8, RGB, chunk(b"eXIf", exif(6, ">")))
    add("exif-6.png", data, format="png", expect=rgba(rgb), orientation=6, check=0, note="eXIf, orientation 6")

    out = io.BytesIO()
    Image.fromarray(full).save(out, "PNG", optimize=True)
    add("pillow-rgba.png", out.getvalue(), format="png", expect=full, has_alpha=True, check=0,
        note="RGBA, written by Pillow")

    make_apng(rgb)

    whole = png(rgb, 8, RGB)
    damaged = bytearray(whole)
    damaged[whole.index(b"IDAT") + 4 + 200] ^= 0x55
    add("corrupt-idat.png", bytes(damaged), format="png", size=(w, h), valid=False,
        note="a byte of IDAT flipped, the checksum left as it was")
    add("truncated.png", whole[: len(whole) * 6 // 10], format="png", size=(w, h), valid=False,
        note="ends in the middle of IDAT")
    bad = SIGNATURE + header(w, h, 5, RGB) + whole[whole.index(b"IDAT") - 4:]
    add("bad-header.png", bad, format="png", valid=False, note="IHDR says 5 bits a sample")


def make_apng(rgb):
    """Three frames: a whole one, a blended patch that is disposed of, a source patch."""
    h, w = rgb.shape[:2]
    first = rgba(rgb)
    patch = np.zeros((12, 16, 4), np.uint8)
    patch[..., 0], patch[..., 3] = 255, 128
    patch[:4, :4] = (0, 0, 255, 255)
    source = np.zeros((8, 10, 4), np.uint8)
    source[..., 1] = 220
    source[..., 3] = np.linspace(0, 255, 10).astype(np.uint8)
    # Width, height, x, y, delay (numerator, denominator), dispose (0 none, 1 background), blend (0 source, 1 over).
    frames = [(first, (w, h, 0, 0, 1, 10, 0, 0)), (patch, (16, 12, 8, 6, 25, 100, 1, 1)),
              (source, (10, 8, 2, 3, 500, 1000, 0, 0))]
    out, sequence = [SIGNATURE, header(w, h, 8, RGBA), chunk(b"acTL", struct.pack(">II", 3, 5))], 0
    for index, (a, control) in enumerate(frames):
        out.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", sequence, *control)))
        sequence += 1
        data = compressed(a, 8, RGBA)
        if index == 0:
            out.append(chunk(b"IDAT", data))
        else:
            out.append(chunk(b"fdAT", struct.pack(">I", sequence) + data))
            sequence += 1
    data = b"".join(out + [chunk(b"IEND")])

    shown = [first, first.copy(), first.copy()]
    under = first[6:18, 8:24].astype(float)
    over = patch.astype(float)
    share = over[..., 3:] / 255
    shown[1][6:18, 8:24, :3] = np.round(over[..., :3] * share + under[..., :3] * (1 - share))
    shown[2][6:18, 8:24] = 0
    shown[2][3:11, 2:12] = source
    with Image.open(io.BytesIO(data)) as image:
        assert image.n_frames == 3 and image.info["loop"] == 5
        for index, expect in enumerate(shown):
            image.seek(index)
            got = np.array(image.convert("RGBA")).astype(int)
            if index == 1:  # Pillow pastes, which wears the canvas's alpha down; the specification says "over"
                got[..., 3] = 255
            assert np.abs(got - expect).max() <= 1, f"frame {index}: Pillow differs by {np.abs(got - expect).max()}"
    add("animated.png", data, format="png", expect=shown, frames=3, loops=5, durations=(0.1, 0.25, 0.5),
        has_alpha=True, note="APNG of 3 frames, 5 plays; expected: each frame as composed on the canvas")
    forever = data.replace(chunk(b"acTL", struct.pack(">II", 3, 5)), chunk(b"acTL", struct.pack(">II", 3, 0)))
    add("animated-forever.png", forever, format="png", expect=shown, frames=3, loops=0, durations=(0.1, 0.25, 0.5),
        has_alpha=True, note="the same, for ever (num_plays 0)")


# Animations. Each is a list of frames as the formats have them; `played` composes them by the specifications.

KEEP, CLEAR, UNDO = "keep", "clear", "undo"
SIDES = (24, 17)  # odd, so that no row ends where a machine word does
COLOURS = np.array([[16 * i, 255 - 12 * i, (97 * i) % 256] for i in range(15)], np.uint8)
HOLE = 15  # the index of the transparent colour


def art(width, height, seed, holes=False):
    """Indices of COLOURS, some of them HOLE."""
    a = np.random.default_rng(seed).integers(0, 15, (height, width)).astype(np.uint8)
    if holes:
        y, x = np.mgrid[0:height, 0:width]
        a[(x + 2 * y + seed) % 3 == 0] = HOLE
    return a


def coloured(indices):
    table = np.vstack([np.dstack([COLOURS[None], np.full((1, 15, 1), 255)])[0], [[0, 0, 0, 0]]])
    return table.astype(np.uint8)[indices]


def script(can_undo=True, step=1):
    """Whole frames, single pixels, single rows and columns, corners; every disposal after every other."""
    undo = UNDO if can_undo else KEEP
    frames = [  # width, height, x, y, milliseconds, disposal, holes
        (24, 17, 0, 0, 100, KEEP, False), (1, 1, 5, 3, 10, KEEP, False), (7, 5, 11, 9, 20, CLEAR, False),
        (3, 11, 1, 2, 50, undo, True), (24, 17, 0, 0, 40, KEEP, True), (5, 3, 19, 14, 0, undo, False),
        (5, 3, 18, 14, 30, undo, True), (1, 17, 23, 0, 70, CLEAR, False), (24, 1, 0, 16, 80, KEEP, True),
        (24, 17, 0, 0, 90, CLEAR, False), (9, 9, 2, 4, 120, CLEAR, True), (2, 2, 0, 0, 60, KEEP, False),
        (24, 17, 0, 0, 110, undo, False), (4, 4, 10, 6, 30, KEEP, True),
    ]
    return [
        dict(indices=art(min(w, 24 - x // step * step), min(h, 17 - y // step * step), seed, holes),
             x=x // step * step, y=y // step * step, ms=ms, disposal=disposal, source=seed % 4 == 2)
        for seed, (w, h, x, y, ms, disposal, holes) in enumerate(frames)]


def played(frames, blends):
    """What the canvas shows during each frame. `blends` says whether frames may replace instead of cover."""
    canvas, shown = np.zeros((SIDES[1], SIDES[0], 4), np.uint8), []
    for frame in frames:
        before = canvas.copy()
        pixels = coloured(frame["indices"])
        place = np.s_[frame["y"]:frame["y"] + pixels.shape[0], frame["x"]:frame["x"] + pixels.shape[1]]
        replaces = blends and frame["source"]
        canvas[place] = np.where(replaces | (pixels[..., 3:] == 255), pixels, canvas[place])
        shown.append(canvas.copy())
        if frame["disposal"] == CLEAR:
            canvas[place] = 0
        elif frame["disposal"] == UNDO:
            canvas = before
    return shown


def check_animation(name, data, shown, first=0, except_for=()):
    """Every frame but those named is exactly what Pillow shows."""
    for index, expect in enumerate(shown):
        # Opened anew, since Pillow cannot undo a frame of an APNG that it has shown.
        with Image.open(io.BytesIO(data)) as image:
            assert image.n_frames == len(shown) + first, f"{name}: {image.n_frames} frames"
            image.seek(index + first)
            got = np.array(image.convert("RGBA"))
        got[got[..., 3] == 0] = 0
        if index not in except_for:
            assert (got == expect).all(), f"{name}: Pillow shows another frame {index}"


def apng(frames, colour, plays, default=None):
    """`default` is an image that is no frame. With PALETTE, one tRNS entry hides HOLE."""
    numbers = iter(range(1 << 16))
    pixels = (lambda a: a) if colour == PALETTE else coloured
    out = [SIGNATURE, header(*SIDES, 8, colour), chunk(b"acTL", struct.pack(">II", len(frames), plays))]
    if colour == PALETTE:
        out += [chunk(b"PLTE", np.vstack([COLOURS, [[9, 9, 9]]]).astype(np.uint8).tobytes()),
                chunk(b"tRNS", b"\xff" * 15 + b"\0")]
    if default is not None:
        out.append(chunk(b"IDAT", compressed(pixels(default), 8, colour)))
    for index, frame in enumerate(frames):
        h, w = frame["indices"].shape
        control = (w, h, frame["x"], frame["y"], frame["ms"], 1000,
                   {KEEP: 0, CLEAR: 1, UNDO: 2}[frame["disposal"]], 0 if frame["source"] else 1)
        out.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", next(numbers), *control)))
        data = compressed(pixels(frame["indices"]), 8, colour)
        if index == 0 and default is None:
            out.append(chunk(b"IDAT", data))
        else:  # in two chunks: the stream goes on over the seam
            out += [chunk(b"fdAT", struct.pack(">I", next(numbers)) + part)
                    for part in (data[:len(data) // 2], data[len(data) // 2:])]
    return b"".join(out + [chunk(b"IEND")])


def lzw(indices):
    """Codes of five bits and a clear code before they would need six: what every decoder reads."""
    bits, count, packed = 0, 0, bytearray()
    codes = []
    for place, index in enumerate(indices.reshape(-1)):
        if place % 14 == 0:
            codes.append(16)
        codes.append(int(index))
    for code in codes + [17]:
        bits |= code << count
        count += 5
        while count >= 8:
            packed.append(bits & 255)
            bits, count = bits >> 8, count - 8
    if count:
        packed.append(bits & 255)
    blocks = [bytes(packed[i:i + 255]) for i in range(0, len(packed), 255)]
    return b"\x04" + b"".join(bytes([len(b)]) + b for b in blocks) + b"\0"


def gif(frames, repeats=None, local=False, interlaced=False, version=b"GIF89a"):
    palette = np.vstack([COLOURS, [[9, 9, 9]]]).astype(np.uint8).tobytes()
    out = [version, struct.pack("<HHBBB", *SIDES, 0 if local else 0xB3, 3, 0), b"" if local else palette]
    if repeats is not None:
        out.append(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", repeats) + b"\0")
    for frame in frames:
        h, w = frame["indices"].shape
        if version == b"GIF89a":
            disposal = {KEEP: 1, CLEAR: 2, UNDO: 3}[frame["disposal"]]
            out.append(b"!\xf9\x04" + struct.pack("<BHB", disposal << 2 | 1, frame["ms"] // 10, HOLE) + b"\0")
        rows = frame["indices"]
        if interlaced:
            rows = np.vstack([rows[0::8], rows[4::8], rows[2::4], rows[1::2]])
        flags = (0x83 if local else 0) | (0x40 if interlaced else 0)
        out += [b",", struct.pack("<HHHHB", frame["x"], frame["y"], w, h, flags), palette if local else b"",
                lzw(rows)]
    return b"".join(out) + b";"


def riff(kind, body):
    return kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) & 1)


def webp(frames, plays):
    def stored24(n):
        return struct.pack("<I", n)[:3]

    out = riff(b"VP8X", b"\x12\0\0\0" + stored24(SIDES[0] - 1) + stored24(SIDES[1] - 1))
    out += riff(b"ANIM", b"\xff\xff\xff\xff" + struct.pack("<H", plays))
    for frame in frames:
        h, w = frame["indices"].shape
        still = io.BytesIO()
        Image.fromarray(coloured(frame["indices"])).save(still, "WEBP", lossless=True, exact=True)
        bitstream = still.getvalue()[12:]
        assert bitstream[:4] == b"VP8L"
        flags = (2 if frame["source"] else 0) | (1 if frame["disposal"] == CLEAR else 0)
        out += riff(b"ANMF", stored24(frame["x"] // 2) + stored24(frame["y"] // 2) + stored24(w - 1)
                    + stored24(h - 1) + stored24(frame["ms"]) + bytes([flags]) + bitstream)
    return riff(b"RIFF", b"WEBP" + out)


def seconds(frames):
    return [frame["ms"] / 1000 for frame in frames]


def make_animations():
    frames = script()
    shown = played(frames, blends=True)
    moving = dict(frames=len(frames), durations=seconds(frames), has_alpha=True)
    default = art(*SIDES, 99)

    data = apng(frames, RGBA, 4)
    check_animation("rects.png", data, shown)
    add("rects.png", data, format="png", expect=shown, loops=4, **moving,
        note="APNG, RGBA: single pixels, rows, columns, corners; every disposal and blend")
    data = apng(frames, PALETTE, 0)
    # Pillow composes the indices and clears to the first of them: it can judge until the first such frame.
    check_animation("palette-rects.png", data, shown, except_for=range(3, len(shown)))
    add("palette-rects.png", data, format="png", expect=shown, loops=0, **moving, note="the same, with a palette")
    data = apng(frames, RGBA, 1, default)
    check_animation("hidden-default.png", data, shown, first=1)
    add("hidden-default.png", data, format="png", expect=shown, loops=1, **moving,
        note="the same, with a default image that is no frame")
    add("truncated-rects.png", data[:len(data) * 7 // 10], format="png", size=SIDES, valid=False,
        note="ends in the middle of a frame, the default image is whole")

    frames = script()
    shown = played(frames, blends=False)
    for frame in frames:
        frame["ms"] = frame["ms"] // 10 * 10
    data = gif(frames, repeats=2)
    check_animation("rects.gif", data, shown)
    add("rects.gif", data, format="gif", expect=shown, loops=3, **moving,
        note="GIF: as rects.png; the Netscape block repeats twice: 3 plays")
    add("no-trailer.gif", data[:-1], format="gif", size=SIDES, valid=False, note="the same, the trailer is missing")
    data = gif(frames, local=True, interlaced=True)
    check_animation("interlaced.gif", data, shown)
    add("interlaced.gif", data, format="gif", expect=shown, loops=1, **moving,
        note="the same, interlaced, a palette a frame, no Netscape block: 1 play")
    data = gif(frames[:2], repeats=0)
    add("forever.gif", data, format="gif", expect=shown[:2], frames=2, durations=seconds(frames[:2]), loops=0,
        has_alpha=True, note="two frames for ever")
    data = gif(frames[:1], version=b"GIF87a", interlaced=True)
    add("still-87a.gif", data, format="gif", expect=shown[0], check=0, note="GIF87a, one image, interlaced")
    data = gif(frames[2:3])
    add("small-image.gif", data, format="gif", expect=shown_alone(frames[2]), has_alpha=True,
        note="one image, smaller than the canvas, which is transparent around it")
    whole = gif(frames, repeats=2)
    add("truncated.gif", whole[:len(whole) * 6 // 10], format="gif", size=SIDES, valid=False,
        note="ends in the middle of an image")
    first = whole.index(b",") + 10
    damaged = whole[:first] + b"\x04\x05" + b"\xff" * 5 + b"\0;"
    add("corrupt.gif", damaged, format="gif", size=SIDES, valid=False, note="codes that mean nothing")

    frames = script(can_undo=False, step=2)
    frames[1]["ms"] = 1
    shown = played(frames, blends=True)
    data = webp(frames, 5)
    check_animation("rects.webp", data, shown)
    add("rects.webp", data, format="webp", lossless=True, expect=shown, loops=5,
        **{**moving, "durations": seconds(frames)}, note="WebP: as rects.png at even places, a frame of 1 ms")
    add("truncated.webp", data[:len(data) * 6 // 10], format="webp", size=SIDES, valid=False,
        note="an animation that ends in the middle of a frame")


def shown_alone(frame):
    return played([frame], blends=False)[0]


def make_webps():
    w, h = 32, 24
    full = np.dstack([picture(w, h), alpha(w, h)])
    for name, a, options, note in (
            ("lossless", full, {"lossless": True, "exact": True}, "lossless, with alpha"),
            ("lossy", full[..., :3], {"quality": 80}, "lossy"),
            ("lossy-alpha", full, {"quality": 80}, "lossy, with alpha"),
            ("exif-6", np.rot90(full[..., :3]), {"lossless": True, "exif": exif(6, ">")}, "Exif, orientation 6")):
        out = io.BytesIO()
        Image.fromarray(np.ascontiguousarray(a)).save(out, "WEBP", **options)
        data = out.getvalue()
        add(f"{name}.webp", data, format="webp", lossless="lossless" in options, expect=judge(data),
            orientation=6 if "exif" in options else None, has_alpha=a.shape[2] == 4, check=0, note=note)
    add("truncated-still.webp", data[:len(data) * 6 // 10], format="webp", size=(w, h), valid=False,
        note="ends in the middle of the pixels")


def make_others():
    page = b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not the picture you asked for.</body></html>\n"
    add("html.png", page, format=None, valid=False, note="a page named as a picture")
    add("empty.jpg", b"", format=None, valid=False, note="no bytes at all")


def main():
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    if FOLDER.exists():
        if any(FOLDER.iterdir()) and not (FOLDER / "manifest.json").exists():
            sys.exit(f"{FOLDER} holds something else: not replacing it")
        shutil.rmtree(FOLDER)
    EXPECTED.mkdir(parents=True)
    make_jpegs()
    make_pngs()
    make_animations()
    make_webps()
    kit = sys.modules[__name__]
    fixture_samplings.make_samplings(kit)
    fixture_rasters.make_bmps(kit)
    fixture_rasters.make_icos(kit)
    fixture_rasters.make_tiffs(kit)
    fixture_tools.make_avifs(kit)
    fixture_tools.make_jxls(kit)
    fixture_tools.make_heics(kit)
    fixture_tools.make_orientations(kit)
    fixture_sequences.make_sequences(kit)
    fixture_colors.make_colors(kit)
    make_others()
    (FOLDER / "manifest.json").write_text(json.dumps({"fixtures": manifest}, indent=2) + "\n")
    versions = (f"Python {sys.version.split()[0]}, Pillow {PIL.__version__} (libjpeg-turbo "
                f"{features.version('libjpeg_turbo')}), numpy {np.__version__}, zlib {zlib.ZLIB_RUNTIME_VERSION}")
    rows = "\n".join(
        f"| `{e['name']}` | {'' if e['width'] is None else str(e['width']) + '×' + str(e['height'])} "
        f"| {'yes' if e['valid'] else 'no'} | {e['note']} |" for e in manifest)
    (FOLDER / "PROVENANCE.md").write_text(f"""# Where these fixtures come from

`scripts/make-fixtures.py` drew, encoded and judged every file here; nothing comes from elsewhere. They are
dedicated to the public domain under [CC0 1.0](https://creativecommons.org/publicdomain/zero/1.0/).

Made with {versions}.

- Pillow encoded the JPEGs, the still WebPs, the pixels of each frame of the animated one, and `pillow-rgba.png`; the script's own writers made the other PNGs, each row by
  another of the five filters in turn and the stream split over two IDATs, and the animations.
- `scripts/fixture_rasters.py` wrote the BMPs, icons and most TIFFs; Pillow agrees with each where it can read it.
- cjpeg of libjpeg-turbo encoded the JPEGs of other samplings, by `scripts/fixture_samplings.py`.
- Debian 12's own tools encoded and judged the AVIFs (avifenc, avifdec), JPEG XLs (cjxl, djxl) and HEICs (heif-enc,
  heif-convert), by `scripts/fixture_tools.py`: they are built on the very libraries that decode here. What is lossless
  is compared with what was encoded.
- `scripts/fixture_colors.py` made the colour profiles, number by number. Pillow's lcms2 judges what becomes of them;
  what bright light becomes is computed by numpy from the same recommendations. `near` in the manifest is the most that
  a channel may be off where that is not exact.
- `expected/*.rgba` are the pixels as displayed: rows from the top, 4 bytes a pixel, R, G, B and straight alpha, with
  the EXIF orientation applied. For JPEGs they are what Pillow decodes; another version of libjpeg may differ by a
  step or two. For PNGs they are exact: what was written, checked against Pillow where Pillow can show it.
- 16 bits become 8 by `round(v * 255 / 65535)`, as `png_set_scale_16` does.
- CMYK becomes RGB by `(255 - ink) * (255 - black) / 255`, with no colour profile.
- `manifest.json` says what a reader must find; `null` means there is nothing to find. `valid` is false where a
  picture must be refused or is incomplete. An animation's `expected` lists each frame as composed on the canvas,
  though the first alone is its still picture. Pillow judges them but for the alpha of the blended frame of
  `animated.png`, where it lets an opaque canvas become translucent and the specification's "over" does not, and but
  for `palette-rects.png`, whose indices it composes. The loops of a GIF are its plays, one more than its Netscape
  block says, as in WebKit, Blink and Gecko.

| File | As displayed | Valid | What it is |
| --- | --- | --- | --- |
{rows}
""")
    total = sum(p.stat().st_size for p in FOLDER.rglob("*") if p.is_file())
    print(f"{len(manifest)} fixtures, {total:,} bytes in {FOLDER}")
    assert total < 2_500_000


main()
