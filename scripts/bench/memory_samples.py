"""Writes images that Pillow cannot, for scripts/bench/measure-decoder-memory. Levels rise from left to right."""

import io
import struct
import zlib


def ramp(count):
    """Returns `count` levels of 16 bits that rise from left to right."""
    return [x * 0xFFFF // max(count - 1, 1) for x in range(count)]


# PNG

# The offset and the distance of the pixels of each pass, across and down (W3C Portable Network Graphics, 8.1).
ADAM7 = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2))


def wide_png(path, side, *, chunks=()):
    """Writes an interlaced PNG with 16 bits per channel. `chunks` are pairs of a type and contents."""
    width, height = side
    levels = ramp(width)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    deflate, pixels = zlib.compressobj(1), []
    for left, across, top, down in ADAM7:
        # Filter 0, and equal rows.
        row = b"\0" + b"".join(struct.pack(">3H", level, level, level) for level in levels[left::across])
        pixels += [deflate.compress(row) for _ in range(top, height, down)]
    pixels.append(deflate.flush())
    header = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 1)
    before = b"".join(chunk(kind, data) for kind, data in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", b"".join(pixels))
                     + chunk(b"IEND", b""))


# BMP and ICO

def bitmap_header(width, height, depth, compression, size, colours=0):
    return struct.pack("<IiiHHIIiiII", 40, width, height, 1, depth, compression, size, 0, 0, colours, 0)


def run_length_bmp(path, side):
    """Writes a grey BMP of 8 bits whose runs have two pixels each."""
    width, height = side
    row = b"".join(bytes((2, level >> 8)) for level in ramp(width // 2)) + b"\0\0"
    pixels = row * height + b"\0\1"
    palette = b"".join(bytes((level, level, level, 0)) for level in range(256))
    start = 14 + 40 + len(palette)
    path.write_bytes(b"BM" + struct.pack("<IHHI", start + len(pixels), 0, 0, start)
                     + bitmap_header(width, height, 8, 1, len(pixels), 256) + palette + pixels)


def icon(path, side):
    """Writes an ICO with one bitmap of 32 bits. Its directory states 256 pixels a side, the most that it can."""
    width, height = side
    row = b"".join(struct.pack("BBBB", level >> 8, level >> 8, level >> 8, 255) for level in ramp(width))
    mask = bytes((width + 31) // 32 * 4 * height)
    # The height is that of the pixels and the mask.
    image = bitmap_header(width, 2 * height, 32, 0, 0) + row * height + mask
    path.write_bytes(struct.pack("<3H", 0, 1, 1) + struct.pack("<4BHHII", 0, 0, 0, 0, 1, 32, len(image), 22) + image)


# TIFF

def wide_tiff(path, side):
    """Writes an RGB TIFF with 16 bits per channel in strips of 16 rows."""
    width, height = side
    rows = 16
    row = b"".join(struct.pack("<3H", level, level, level) for level in ramp(width))
    heights = [min(rows, height - top) for top in range(0, height, rows)]
    count, end = len(heights), 8 + len(row) * height
    # Behind the pixels: the bits of each channel, the offsets and the lengths of the strips, the directory.
    bits, offsets, lengths = end, end + 8, end + 8 + 4 * count
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, bits), (259, 3, 1, 1), (262, 3, 1, 2),
               (273, 4, count, offsets), (277, 3, 1, 3), (278, 4, 1, rows), (279, 4, count, lengths), (284, 3, 1, 1)]
    directory = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries) + bytes(4)
    tables = struct.pack("<4H", 16, 16, 16, 0)
    tables += struct.pack(f"<{count}I", *(8 + len(row) * rows * index for index in range(count)))
    tables += struct.pack(f"<{count}I", *(len(row) * rows for rows in heights))
    path.write_bytes(b"II*\0" + struct.pack("<I", end + len(tables)) + row * height + tables + directory)


# JPEG with a gain map

def segment(marker, body):
    return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body


def image_index(size, offset):
    """Returns the index of an image and another one behind it (CIPA DC-007)."""
    return b"MPF\0MM\0*" + struct.pack(">IHHHIII", 8, 1, 0xB002, 7, 32, 26, 0) + struct.pack(
        ">IIII", 0x30000, 0, 0, 0) + struct.pack(">IIII", 0, size, offset, 0)


def gain_mapped_jpeg(path, photo, map_side):
    """Writes a JPEG with a gain map of `map_side` pixels (ISO 21496-1)."""

    def encoded(image):
        file = io.BytesIO()
        image.save(file, "jpeg", quality=90)
        return file.getvalue()

    def inserting(part, jpeg):
        return jpeg[:2] + part + jpeg[2:]

    # One channel: a headroom of 2² in the bright rendition, gains from 0 to 2, a gamma of 1, no offsets.
    numbers = (0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 0, 1, 0, 1)
    parameters = b"urn:iso:std:iso:ts:21496:-1\0" + bytes(5) + struct.pack(f">{len(numbers)}I", *numbers)
    gains = inserting(segment(0xE2, parameters), encoded(photo.convert("L").resize(map_side)))
    base = encoded(photo)
    # Offsets count from eight bytes after the marker of the index, which is the first segment.
    length = len(segment(0xE2, image_index(0, 0)))
    path.write_bytes(inserting(segment(0xE2, image_index(len(gains), len(base) + length - 2 - 8)), base) + gains)
