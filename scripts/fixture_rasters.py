"""BMP, ICO and TIFF fixtures for make-fixtures.py: writers for every kind, since Pillow writes few of them."""

import io
import struct
import zlib

import numpy as np
from PIL import Image


# BMP.


def bmp_header(width, height, depth, compression=0, colours=0, length=40, masks=(), pixel_bytes=0):
    if length == 12:
        return struct.pack("<IHHHH", 12, width, height, 1, depth)
    fields = struct.pack("<IiiHHIIiiII", length, width, height, 1, depth, compression, pixel_bytes, 2835, 2835,
                         colours, 0)
    fields += b"".join(struct.pack("<I", mask) for mask in masks)
    return fields.ljust(length, b"\0")


def bmp_file(dib, palette, pixels):
    start = 14 + len(dib) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start) + dib + palette + pixels


def packed(indices, depth):
    """Rows of indices from the bottom up, each padded to four bytes."""
    out = bytearray()
    for row in indices[::-1]:
        bits = (row[:, None] >> np.arange(depth - 1, -1, -1, dtype=np.uint8)) & 1
        data = np.packbits(bits.reshape(-1)).tobytes()
        out += data + b"\0" * (-len(data) % 4)
    return bytes(out)


def rows(samples):
    """Rows of whole bytes from the bottom up, each padded to four."""
    flat = np.ascontiguousarray(samples).view(np.uint8).reshape(samples.shape[0], -1)
    return b"".join(row.tobytes() + b"\0" * (-flat.shape[1] % 4) for row in flat[::-1])


def run_lengths(indices, nibbles):
    """Runs, literals, and a hole that is passed over, which reads as index 0."""
    out = bytearray()
    height, width = indices.shape
    for stored, y in enumerate(range(height - 1, -1, -1)):
        row, x = indices[y], 0
        if stored == 3:  # five pixels to the right
            out += bytes([0, 2, 5, 0])
            x = 5
        while x < width:
            run = 1
            while x + run < width and row[x + run] == row[x] and run < 255:
                run += 1
            if run >= 3 or width - x < 3:
                out += bytes([run, row[x] * 17 if nibbles else row[x]])
                x += run
                continue
            count = min(width - x, 7)
            literal = row[x:x + count]
            out += bytes([0, count])
            if nibbles:
                padded = np.append(literal, [0] * (count % 2)).astype(np.uint8)
                data = bytes(padded[0::2] << 4 | padded[1::2])
            else:
                data = literal.tobytes()
            out += data + b"\0" * (len(data) % 2)
            x += count
        out += b"\0\0"
    return bytes(out) + b"\0\1"


def scaled(samples, top):
    """Samples of 0 to `top` as 8 bits, rounded."""
    return ((samples.astype(int) * 510 + top) // (2 * top)).astype(np.uint8)


def make_bmps(kit):
    w, h = 31, 24
    rgb, a = kit.picture(w, h), kit.alpha(w, h)

    def add(name, data, expect, note, has_alpha=False, check=0):
        kit.add(name, data, format="bmp", expect=expect, lossless=True, has_alpha=has_alpha, check=check, note=note)

    indexed = {}
    for depth in (1, 4, 8):
        count = 1 << depth
        reduced = Image.fromarray(rgb).quantize(count, dither=Image.Dither.NONE)
        table = np.zeros((count, 3), np.uint8)
        found = np.array(reduced.getpalette(), np.uint8).reshape(-1, 3)[:count]
        table[:len(found)] = found
        index = np.array(reduced)
        palette = np.dstack([table[None, :, ::-1], np.zeros((1, count, 1), np.uint8)]).tobytes()
        indexed[depth] = (index, table, palette)
        add(f"palette-{depth}.bmp", bmp_file(bmp_header(w, h, depth), palette, packed(index, depth)),
            kit.rgba(table[index]), f"palette of {count}")
    index, table, palette = indexed[8]
    add("core-8.bmp", bmp_file(bmp_header(w, h, 8, length=12), table[:, ::-1].tobytes(), packed(index, 8)),
        kit.rgba(table[index]), "OS/2's header, palette of 256")
    add("few-colours.bmp",
        bmp_file(bmp_header(w, h, 8, colours=16), indexed[4][2], packed(indexed[4][0], 8)),
        kit.rgba(indexed[4][1][indexed[4][0]]), "8 bits, a palette of 16")
    for depth, compression in ((8, 1), (4, 2)):
        index, table, palette = indexed[depth]
        shown = index.copy()
        shown[h - 1 - 3, :5] = 0
        data = run_lengths(index, depth == 4)
        add(f"runs-{depth}.bmp",
            bmp_file(bmp_header(w, h, depth, compression, pixel_bytes=len(data)), palette, data),
            kit.rgba(table[shown]), f"run lengths of {depth} bits, literals, a hole", check=None)

    add("rgb-24.bmp", bmp_file(bmp_header(w, h, 24), b"", rows(rgb[..., ::-1])), kit.rgba(rgb), "24 bits")
    add("core-24.bmp", bmp_file(bmp_header(w, h, 24, length=12), b"", rows(rgb[..., ::-1])), kit.rgba(rgb),
        "OS/2's header, 24 bits")
    add("top-down.bmp", bmp_file(bmp_header(w, -h, 24), b"", rows(rgb[::-1, :, ::-1])), kit.rgba(rgb),
        "24 bits, the upmost row first")
    bgrx = np.dstack([rgb[..., ::-1], np.full((h, w, 1), 7, np.uint8)])
    add("rgb-32.bmp", bmp_file(bmp_header(w, h, 32), b"", rows(bgrx)), kit.rgba(rgb), "32 bits, the fourth byte unused")
    fives = rgb >> 3
    stored = (fives[..., 0].astype(np.uint16) << 10 | fives[..., 1].astype(np.uint16) << 5 | fives[..., 2])
    add("rgb-555.bmp", bmp_file(bmp_header(w, h, 16), b"", rows(stored.astype("<u2")[..., None])),
        kit.rgba(scaled(fives, 31)), "16 bits, five a channel", check=1)
    sixes = rgb[..., 1] >> 2
    stored = (fives[..., 0].astype(np.uint16) << 11 | sixes.astype(np.uint16) << 5 | fives[..., 2])
    masks = struct.pack("<III", 0xF800, 0x7E0, 0x1F)
    add("rgb-565.bmp",
        bmp_file(bmp_header(w, h, 16, 3), masks, rows(stored.astype("<u2")[..., None])),
        kit.rgba(np.dstack([scaled(fives[..., 0], 31), scaled(sixes, 63), scaled(fives[..., 2], 31)])),
        "16 bits, masks after the header", check=1)
    full = np.dstack([rgb, a])
    masks = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    add("rgba-v4.bmp",
        bmp_file(bmp_header(w, h, 32, 3, length=108, masks=masks), b"", rows(full[..., [2, 1, 0, 3]])), full,
        "32 bits with alpha, a header of version 4", has_alpha=True)
    masks = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)
    add("rgba-order.bmp", bmp_file(bmp_header(w, h, 32, 3, length=56, masks=masks), b"", rows(full)), full,
        "32 bits with alpha, red first", has_alpha=True)

    whole = bmp_file(bmp_header(w, h, 24), b"", rows(rgb[..., ::-1]))
    kit.add("truncated.bmp", whole[:len(whole) * 6 // 10], format="bmp", size=(w, h), valid=False,
            note="ends in the middle of the pixels")
    kit.add("bad-depth.bmp", bmp_file(bmp_header(w, h, 5), b"", b"\0" * 4000), format="bmp", valid=False,
            note="5 bits a pixel")


# ICO.


def ico(pictures, kind=1):
    """Pictures are (width, height, bits a pixel, bytes)."""
    out, place = struct.pack("<HHH", 0, kind, len(pictures)), 6 + 16 * len(pictures)
    for width, height, depth, data in pictures:
        out += struct.pack("<BBBBHHII", width & 255, height & 255, 0, 0, 1, depth, len(data), place)
        place += len(data)
    return out + b"".join(data for _, _, _, data in pictures)


def icon_bitmap(pixels, depth, hidden):
    height, width = pixels.shape[:2]
    return bmp_header(width, height * 2, depth) + rows(pixels) + packed(hidden.astype(np.uint8), 1)


def make_icos(kit):
    def add(name, data, expect, note, check=0):
        kit.add(name, data, format="ico", expect=expect, lossless=True, has_alpha=True, check=check, note=note)

    def full(side):
        return np.dstack([kit.picture(side, side), kit.alpha(side, side)])

    def bgra(side, keep_alpha=True):
        a = full(side)[..., [2, 1, 0, 3]].copy()
        if not keep_alpha:
            a[..., 3] = 0
        return a

    y, x = np.mgrid[0:24, 0:24]
    hidden = (x + y) % 5 == 0
    none = np.zeros((24, 24), bool)
    small = icon_bitmap(bgra(16), 32, np.zeros((16, 16), bool))
    large = kit.png(full(48), 8, kit.RGBA)
    add("several.ico", ico([(16, 16, 32, small), (48, 48, 32, large), (24, 24, 32, icon_bitmap(bgra(24), 32, none))]),
        full(48), "16, 24 and 48 pixels, the largest a PNG")
    add("alpha-32.ico", ico([(24, 24, 32, icon_bitmap(bgra(24), 32, hidden))]), full(24),
        "32 bits: alpha counts, the mask does not")
    masked = full(24).copy()
    masked[..., 3] = np.where(hidden, 0, 255)
    add("mask-32.ico", ico([(24, 24, 32, icon_bitmap(bgra(24, False), 32, hidden))]), masked,
        "32 bits without any alpha: the mask counts", check=None)
    add("mask-24.ico", ico([(24, 24, 24, icon_bitmap(bgra(24)[..., :3], 24, hidden))]), masked, "24 bits and a mask")
    add("cursor.ico", ico([(24, 24, 3, icon_bitmap(bgra(24)[..., :3], 24, hidden))], kind=2), masked,
        "a cursor", check=None)
    whole = ico([(24, 24, 24, icon_bitmap(bgra(24)[..., :3], 24, hidden))])
    kit.add("truncated.ico", whole[:len(whole) * 6 // 10], format="ico", size=(24, 24), valid=False,
            note="ends in the middle of the pixels")
    kit.add("beyond.ico", ico([(24, 24, 24, b"")])[:22], format="ico", valid=False, note="its picture is not there")


# TIFF.

SHORT, LONG, UNDEFINED, LONG8 = 3, 4, 7, 16
SIZES = {SHORT: 2, LONG: 4, LONG8: 8}


def tiff(strips, width, height, photometric, bits, order="<", big=False, rows_per_strip=None, tile=None, extra=None,
         compression=1, planar=1, palette=None, orientation=None, predictor=None, profile=None):
    """Strips or tiles, each compressed already; the directory stands after them."""
    head = 16 if big else 8
    places, place = [], head
    for strip in strips:
        places.append(place)
        place += len(strip) + len(strip) % 2
    entries = {256: (LONG, [width]), 257: (LONG, [height]), 258: (SHORT, bits), 259: (SHORT, [compression]),
               262: (SHORT, [photometric]), 277: (SHORT, [len(bits)]), 284: (SHORT, [planar])}
    where = LONG8 if big else LONG
    if tile:
        entries |= {322: (SHORT, [tile]), 323: (SHORT, [tile]), 324: (where, places),
                    325: (where, [len(s) for s in strips])}
    else:
        entries |= {273: (where, places), 278: (LONG, [rows_per_strip or height]),
                    279: (where, [len(s) for s in strips])}
    if extra is not None:
        entries[338] = (SHORT, [extra])
    if palette is not None:
        entries[320] = (SHORT, palette)
    if orientation:
        entries[274] = (SHORT, [orientation])
    if predictor:
        entries[317] = (SHORT, [predictor])
    if profile:
        entries[34675] = (UNDEFINED, profile)
    word, count = ("Q", "Q") if big else ("I", "H")
    room = 8 if big else 4
    directory = struct.pack(order + count, len(entries))
    tail_place = place + len(directory) + len(entries) * (12 + 8 * big) + room
    tail = b""
    for tag, (kind, values) in sorted(entries.items()):
        data = b"".join(struct.pack(order + {SHORT: "H", LONG: "I", UNDEFINED: "B", LONG8: "Q"}[kind], v) for v in values)
        directory += struct.pack(order + "HH" + word, tag, kind, len(values))
        if len(data) <= room:
            directory += data.ljust(room, b"\0")
        else:
            directory += struct.pack(order + word, tail_place + len(tail))
            tail += data + b"\0" * (len(data) % 2)
    mark = b"II" if order == "<" else b"MM"
    start = mark + (struct.pack(order + "HHHQ", 43, 8, 0, place) if big else struct.pack(order + "HI", 42, place))
    body = b"".join(s + b"\0" * (len(s) % 2) for s in strips)
    return start + body + directory + struct.pack(order + word, 0) + tail


def strips(samples, rows_per_strip, depth=8, order="<"):
    out = []
    for y in range(0, samples.shape[0], rows_per_strip):
        part = samples[y:y + rows_per_strip]
        if depth == 16:
            out.append(part.astype(order + "u2").tobytes())
        elif depth == 8:
            out.append(part.astype(np.uint8).tobytes())
        else:
            bits = (part[..., None].astype(np.uint8) >> np.arange(depth - 1, -1, -1, dtype=np.uint8)) & 1
            out.append(np.packbits(bits.reshape(part.shape[0], -1), axis=1).tobytes())
    return out


def tiles(samples, side):
    height, width = samples.shape[:2]
    across, down = -(-width // side) * side, -(-height // side) * side
    padded = np.zeros((down, across) + samples.shape[2:], samples.dtype)
    padded[:height, :width] = samples
    return [padded[y:y + side, x:x + side].tobytes() for y in range(0, down, side) for x in range(0, across, side)]


def saved(image, compression, **options):
    out = io.BytesIO()
    image.save(out, "TIFF", compression=compression, **options)
    return out.getvalue()


def make_tiffs(kit):
    w, h = 37, 26
    rgb, a = kit.picture(w, h), kit.alpha(w, h)
    g, full = kit.grey(rgb), np.dstack([rgb, a])

    def add(name, data, expect, note, check=0, lossless=True, **more):
        kit.add(name, data, format="tiff", expect=expect, lossless=lossless, check=check, note=note, **more)

    add("rgb.tiff", tiff(strips(rgb, 5), w, h, 2, [8] * 3, rows_per_strip=5), kit.rgba(rgb), "RGB, strips of 5 rows")
    add("big-endian.tiff", tiff(strips(rgb, 26), w, h, 2, [8] * 3, order=">"), kit.rgba(rgb), "RGB, big-endian")
    add("big.tiff", tiff(strips(rgb, 7), w, h, 2, [8] * 3, rows_per_strip=7, big=True), kit.rgba(rgb), "BigTIFF")
    add("tiled.tiff", tiff(tiles(rgb, 16), w, h, 2, [8] * 3, tile=16), kit.rgba(rgb), "RGB, tiles of 16")
    planes = [s for c in range(3) for s in strips(rgb[..., c], 9)]
    add("planes.tiff", tiff(planes, w, h, 2, [8] * 3, rows_per_strip=9, planar=2), kit.rgba(rgb), "a plane a channel")
    for order, name in (("<", "rgb-16"), (">", "rgb-16-big-endian")):
        wide = kit.sixteen(rgb, 5)
        add(f"{name}.tiff", tiff(strips(wide, 8, 16, order), w, h, 2, [16] * 3, order=order, rows_per_strip=8),
            kit.rgba(kit.eight(wide)), f"RGB, 16 bits, {'little' if order == '<' else 'big'}-endian", check=1)
    add("rgba.tiff", tiff(strips(full, 6), w, h, 2, [8] * 4, rows_per_strip=6, extra=2), full,
        "RGB and alpha that is not associated", has_alpha=True)
    multiplied = full.copy()
    multiplied[..., :3] = (full[..., :3].astype(int) * a[..., None] * 2 + 255) // 510
    add("associated.tiff", tiff(strips(multiplied, 6), w, h, 2, [8] * 4, rows_per_strip=6, extra=1), full,
        "RGB multiplied by alpha", check=None, has_alpha=True)
    for depth in (1, 4, 8):
        top = (1 << depth) - 1
        samples = np.round(g / 255 * top).astype(np.uint8)
        shown = (samples.astype(int) * 255 // top).astype(np.uint8)
        add(f"grey-{depth}.tiff", tiff(strips(samples, 10, depth), w, h, 1, [depth], rows_per_strip=10),
            kit.rgba(shown), f"grey, {depth} bits", check=1)
    add("white-is-zero.tiff", tiff(strips(255 - g, 10), w, h, 0, [8], rows_per_strip=10), kit.rgba(g),
        "grey, 0 is white")
    wide = kit.sixteen(g, 6)
    add("grey-16.tiff", tiff(strips(wide, 10, 16), w, h, 1, [16], rows_per_strip=10), kit.rgba(kit.eight(wide)),
        "grey, 16 bits", check=None)
    add("grey-alpha.tiff", tiff(strips(np.dstack([g, a]), 10), w, h, 1, [8, 8], rows_per_strip=10, extra=2),
        kit.rgba(g, a), "grey and alpha that is not associated", has_alpha=True)
    reduced = Image.fromarray(rgb).quantize(16, dither=Image.Dither.NONE)
    table = np.zeros((256, 3), np.uint8)
    found = np.array(reduced.getpalette(), np.uint8).reshape(-1, 3)
    table[:len(found)] = found
    entries = [int(v) * 257 for channel in range(3) for v in table[:, channel]]
    add("palette.tiff", tiff(strips(np.array(reduced), 26), w, h, 3, [8], palette=entries),
        kit.rgba(table[np.array(reduced)]), "a palette of 16-bit colours")
    inks = np.dstack([255 - rgb, np.full((h, w), 40, np.uint8)])
    shown = (rgb.astype(int) * (255 - 40) // 255).astype(np.uint8)
    add("cmyk.tiff", tiff(strips(inks, 26), w, h, 5, [8] * 4), kit.rgba(shown), "four inks", check=1)
    turned = np.rot90(rgb)
    add("orientation-6.tiff", tiff(strips(turned, 5), h, w, 2, [8] * 3, rows_per_strip=5, orientation=6),
        kit.rgba(rgb), "orientation 6", orientation=6)
    deflated = [zlib.compress(s, 9) for s in strips(rgb, 5)]
    add("deflate.tiff", tiff(deflated, w, h, 2, [8] * 3, rows_per_strip=5, compression=8), kit.rgba(rgb), "Deflate")
    for name in ("tiff_lzw", "packbits"):
        short = name.removeprefix("tiff_")
        add(f"{short}.tiff", saved(Image.fromarray(full), name), full, short, has_alpha=True)
    bits = Image.fromarray(np.where(g > 128, 255, 0).astype(np.uint8)).convert("1")
    add("group4.tiff", saved(bits, "group4"), kit.rgba(np.where(g > 128, 255, 0).astype(np.uint8)),
        "a facsimile of group 4")
    data = saved(Image.fromarray(rgb), "jpeg", quality=90)
    add("jpeg.tiff", data, kit.judge(data), "JPEG within TIFF", lossless=False)

    whole = tiff(deflated, w, h, 2, [8] * 3, rows_per_strip=5, compression=8)
    kit.add("truncated.tiff", whole[:len(whole) * 6 // 10], format="tiff", valid=False,
            note="ends before its directory")
    damaged = bytearray(whole)
    damaged[60] ^= 0x55
    kit.add("corrupt.tiff", bytes(damaged), format="tiff", size=(w, h), valid=False, note="a byte of Deflate flipped")
    beyond = tiff([b"\0" * 40], w, h, 2, [8] * 3)
    kit.add("short-strip.tiff", beyond, format="tiff", size=(w, h), valid=False, note="a strip of too few bytes")
    floats = tiff([rgb.astype("<f4").tobytes()], w, h, 2, [32] * 3)
    kit.add("float.tiff", floats, format="tiff", size=(w, h), valid=False, note="32 bits a channel: not decoded yet")
