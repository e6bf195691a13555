#!/bin/bash
# libtiff shears grey with alpha in the last column of tiles
#
# `TIFFReadRGBAImage` is the short way to the pixels of any TIFF: strips or tiles, any
# photometric interpretation, one call. Tiles at the right edge are wider than what is
# left of the image, and the rest of each row is skipped. For grey with alpha, libtiff
# skips as many samples as there are pixels to skip, although each pixel has two. So
# from the second row on, the last column of tiles is read from the wrong place, and
# grey and alpha come from other pixels, or swap their roles where an odd number is
# skipped. There is no error and no warning. The same pixels in strips are right, and so
# are RGB with alpha and grey alone in tiles, as a program's tests have them. A good
# guess is that the layout does not matter to that call. ImageMagick and Pillow show
# such files, because they read the tiles themselves.
#
# Seen with libtiff-tools 4.5.0-6+deb12u4 of Debian 12 on x86-64, an image of 20 pixels
# across in tiles of 16, at (18, 1), which has grey 118 and alpha 200:
#   strips 118 200
#   tiles 0 0
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
version=$(dpkg-query -W -f '${Version}' libtiff-tools 2>/dev/null || true)
printf 'libtiff-tools %s\n' "${version:-is not installed: apt-get install libtiff-tools}"
[[ $version == 4.5.0-6* ]] || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 - <<'PY'
import struct, subprocess, sys

WIDTH, HEIGHT, SIDE = 20, 16, 16

def pixel(x, y):
    return bytes((100 + x, 200)) if x < WIDTH else bytes(2)

def tiff(fields, pieces):
    """Returns a file of grey with straight alpha; `fields` say how `pieces` divide the image."""
    position = 8
    offsets = []
    for piece in pieces:
        offsets.append(position)
        position += len(piece)
    entries = {256: WIDTH, 257: HEIGHT, 258: 8 | 8 << 16, 259: 1, 262: 1, 277: 2, 338: 2, **fields}
    lists = b""
    table = b""
    start = position + 2 + 12 * (len(entries) + 2) + 4
    places, counts = (324, 325) if 322 in fields else (273, 279)
    entries[places], entries[counts] = offsets, [len(piece) for piece in pieces]
    for tag in sorted(entries):
        value = entries[tag]
        if isinstance(value, list):
            number, count = (value[0], 1) if len(value) == 1 else (start + len(lists), len(value))
            lists += struct.pack("<%dI" % len(value), *value) if len(value) > 1 else b""
            table += struct.pack("<HHII", tag, 4, count, number)
        else:
            table += struct.pack("<HHII", tag, 3, 2 if tag == 258 else 1, value)
    body = struct.pack("<2sHI", b"II", 42, position) + b"".join(pieces)
    return body + struct.pack("<H", len(entries)) + table + bytes(4) + lists

def rows(first, last):
    return b"".join(pixel(x, y) for y in range(HEIGHT) for x in range(first, last))

def shown(name, data):
    """Returns grey and alpha of the pixel at (18, 1) as tiff2rgba has them."""
    open(name, "wb").write(data)
    subprocess.run(["tiff2rgba", "-c", "none", name, "out.tif"], check=True)
    out = open("out.tif", "rb").read()
    directory, = struct.unpack_from("<I", out, 4)
    entries = {}
    for index in range(struct.unpack_from("<H", out, directory)[0]):
        tag, kind, count, value = struct.unpack_from("<HHII", out, directory + 2 + 12 * index)
        entries[tag] = struct.unpack_from("<I", out, value)[0] if count > 1 and kind == 4 else value
    start = entries[273] + 4 * (1 * WIDTH + 18)
    return out[start + 1], out[start + 3]

strips = shown("strips.tif", tiff({278: HEIGHT}, [rows(0, WIDTH)]))
tiles = shown("tiles.tif", tiff({322: SIDE, 323: SIDE}, [rows(0, SIDE), rows(SIDE, 2 * SIDE)]))
print("strips", *strips)
print("tiles", *tiles)
sys.exit(0 if (strips, tiles) == ((118, 200), (0, 0)) else 1)
PY
