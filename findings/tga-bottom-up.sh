#!/bin/bash
# ImageMagick 6 turns most TGAs upside down
#
# A TGA without the bit for a top origin begins with its bottom row, and that is the
# default of the format: most programs write it so. Readers put the rows in order
# (Pillow, FFmpeg, GIMP, stb_image). ImageMagick 6.9.11 keeps the order of the file,
# notes the orientation "BottomLeft", and shows nothing of it: `convert a.tga a.png`
# writes the image upside down, into a PNG that states no orientation. Only with
# -auto-orient is it upright. A good guess is that an orientation is Exif's business,
# and that a program with twenty years of TGA reads the default of the format, so a
# test that takes ImageMagick for its judge of TGA would turn the right decoder over.
#
# Seen with ImageMagick 6.9.11-60 (8:6.9.11.60+dfsg-1.6+deb12u15) and Pillow 13.0.0,
# for a file with a blue bottom row (stored first) and a red top row:
#   Pillow on the TGA         top red, bottom blue
#   convert                   top blue, bottom red; orientation of the TGA: BottomLeft
#   convert -auto-orient      top red, bottom blue
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
version=$(dpkg-query -W -f '${Version}' imagemagick-6.q16)
echo "imagemagick-6.q16 $version"
[[ $version == 8:6.9.11.60+dfsg-1.6+deb12u* ]] || exit 2
python3 -m venv --without-pip venv
python3 -m pip --python venv/bin/python install --quiet --no-compile --disable-pip-version-check pillow==13.0.0
venv/bin/python - <<'PY'
import struct
header = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, 1, 2, 24, 0)
footer = bytes(8) + b"TRUEVISION-XFILE.\0"
# Blue, green, red.
open("a.tga", "wb").write(header + bytes([255, 0, 0]) + bytes([0, 0, 255]) + footer)
PY
convert a.tga plain.png
convert a.tga -auto-orient turned.png
identify -format 'orientation %[orientation]\n' a.tga
venv/bin/python - <<'PY'
import sys
from PIL import Image

RED, BLUE = (255, 0, 0), (0, 0, 255)
seen = {}
for name in ("a.tga", "plain.png", "turned.png"):
    image = Image.open(name).convert("RGB")
    seen[name] = image.getpixel((0, 0)), image.getpixel((0, 1))
    print(f"{name:10}  top {seen[name][0]}  bottom {seen[name][1]}")
expected = {"a.tga": (RED, BLUE), "plain.png": (BLUE, RED), "turned.png": (RED, BLUE)}
sys.exit(0 if seen == expected else 1)
PY
