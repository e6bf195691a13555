#!/bin/bash
# FFmpeg ignores the mask of an icon, and Pillow ignores it where alpha is empty
#
# An image in an ICO file that is not a PNG has two parts: the colours, and below them a
# mask of one bit for each pixel, which says where the icon is transparent. Up to 24
# bits the mask is all the transparency there is. With 32 bits there is alpha as well,
# and older programs left it 0 in all pixels and wrote only the mask, so that an alpha
# of nothing but zeros has to be taken for missing. FFmpeg reads the colours alone:
# icons of 4, 8 and 24 bits come out as opaque rectangles, with whatever colour the
# hidden pixels have. Of 32 bits with empty alpha it shows all pixels. Pillow applies
# the mask up to 24 bits; with empty alpha it shows nothing at all, not even the pixels
# that the mask leaves visible. A good guess is that a program which selects the right
# one of several images and reads each depth also reads the half of the data that makes
# an icon of it. An image loader has to decide by all alpha samples before it can decide
# about one, and neither of the two is a judge of that.
#
# Seen with PyAV 18.1.0 (libavcodec 62.28.102) and Pillow 13.0.0, CPython 3.11 on x86-64,
# for icons whose mask hides the left half; alpha of a pixel on the left and one on the right:
#    4 bits             FFmpeg (255, 255)  Pillow (0, 255)
#    8 bits             FFmpeg (255, 255)  Pillow (0, 255)
#   24 bits             FFmpeg (255, 255)  Pillow (0, 255)
#   32 bits, alpha 0    FFmpeg (255, 255)  Pillow (0, 0)
#   32 bits, alpha 255  FFmpeg (255, 255)  Pillow (255, 255)
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 av==18.1.0
cd "$work"
venv/bin/python - <<'PY'
import struct, sys
import av, PIL
from PIL import Image

versions = av.__version__, av.library_versions["libavcodec"], PIL.__version__
print("versions", *versions)
if versions != ("18.1.0", (62, 28, 102), "13.0.0"):
    sys.exit(2)

SIDE, BLUE_GREEN_RED = 16, bytes((10, 20, 200))

def icon(bits, alpha):
    """An icon of one colour, whose mask hides the left half."""
    palette = b""
    if bits == 32:
        row = (BLUE_GREEN_RED + bytes([alpha])) * SIDE
    elif bits == 24:
        row = BLUE_GREEN_RED * SIDE
    else:
        palette, row = BLUE_GREEN_RED.ljust(4, b"\0") * (1 << bits), bytes(SIDE * bits // 8)
    # A bit that is set is transparent, and rows have a multiple of four bytes.
    mask = b"\xff\0\0\0" * SIDE
    size = len(row) * SIDE + len(mask)
    header = struct.pack("<I2i2H6I", 40, SIDE, 2 * SIDE, 1, bits, 0, size, 0, 0, 0, 0)
    data = header + palette + row * SIDE + mask
    return struct.pack("<3H4B2H2I", 0, 1, 1, SIDE, SIDE, 0, 0, 1, bits, len(data), 22) + data

def readings(data):
    with open("a.ico", "wb") as file:
        file.write(data)
    with av.open("a.ico") as file:
        pixels = next(file.decode(video=0)).to_ndarray(format="rgba")
    pillow = Image.open("a.ico").convert("RGBA")
    left, right = (4, 8), (12, 8)
    return tuple(int(pixels[y, x, 3]) for x, y in (left, right)), tuple(pillow.getpixel(at)[3] for at in (left, right))

hidden, all_shown, nothing = (0, 255), (255, 255), (0, 0)
expected = {(4, None): (all_shown, hidden), (8, None): (all_shown, hidden), (24, None): (all_shown, hidden),
            (32, 0): (all_shown, nothing), (32, 255): (all_shown, all_shown)}
as_described = True
for (bits, alpha), wanted in expected.items():
    ffmpeg, pillow = readings(icon(bits, alpha))
    print(f"{bits:2} bits{'' if alpha is None else f', alpha {alpha}':11}  FFmpeg {ffmpeg}  Pillow {pillow}")
    as_described &= (ffmpeg, pillow) == wanted
sys.exit(0 if as_described else 1)
PY
