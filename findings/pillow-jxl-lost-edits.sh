#!/bin/bash
# pillow-jxl-plugin saves the JPEG file instead of the image that was made from it
#
# JPEG XL can store a JPEG without loss, and pillow-jxl-plugin does so when an image
# that Pillow opened from a JPEG is saved as JPEG XL. For that it reads the file again,
# by the name that the image still has, and does not look at the pixels. Methods that
# change an image in place keep the name: thumbnail(), paste() and all that ImageDraw
# draws. So a thumbnail is saved in full size, and a face or number that was painted
# over is in the JPEG XL as before, while PNG and WebP files of the same object are
# right. A quality or lossless=True makes no difference. There is a warning, but it is
# about the lossless reconstruction, not about the edits. An image that was opened from
# bytes in memory has no name and is right, so a test with BytesIO sees nothing. A good
# guess is that save() writes what the object shows, whatever the format. An image
# loader that transcodes JPEGs has to use the original bytes only if no transformation
# has been applied.
#
# Seen with pillow-jxl-plugin 1.3.8 and Pillow 13.0.0, CPython 3.11 on x86-64, for a white
# JPEG of 64x64 pixels; size and first pixel:
#   painted over                          PNG ((64, 64), (0, 0, 0))  JPEG XL ((64, 64), (255, 255, 255))
#   painted over {'quality': 80}          PNG ((64, 64), (0, 0, 0))  JPEG XL ((64, 64), (255, 255, 255))
#   painted over {'lossless_jpeg': False} PNG ((64, 64), (0, 0, 0))  JPEG XL ((64, 64), (0, 0, 0))
#   painted over from memory              PNG ((64, 64), (0, 0, 0))  JPEG XL ((64, 64), (0, 0, 0))
#   thumbnail                             PNG ((16, 16), (255, 255, 255))  JPEG XL ((64, 64), (255, 255, 255))
#   (the thumbnail is right in the last two ways as well)
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 pillow-jxl-plugin==1.3.8
cd "$work"
venv/bin/python -W ignore - <<'PY'
import io, sys
from importlib.metadata import version
import PIL, pillow_jxl  # noqa: F401
from PIL import Image, ImageDraw

versions = version("pillow-jxl-plugin"), PIL.__version__
print("versions", *versions)
if versions != ("1.3.8", "13.0.0"):
    sys.exit(2)

def painted_over(image):
    ImageDraw.Draw(image).rectangle((0, 0, 63, 63), fill=(0, 0, 0))

def thumbnail(image):
    image.thumbnail((16, 16))

def look(file):
    with Image.open(file) as image:
        return image.size, image.getpixel((5, 5))

Image.new("RGB", (64, 64), (255, 255, 255)).save("a.jpg", quality=95)
with open("a.jpg", "rb") as file:
    data = file.read()
white, black = (255, 255, 255), (0, 0, 0)
original = (64, 64), white
edits = ("painted over", painted_over, ((64, 64), black)), ("thumbnail", thumbnail, ((16, 16), white))
as_described = True
for name, edit, right in edits:
    for source, options in (("a.jpg", {}), ("a.jpg", {"quality": 80}), ("a.jpg", {"lossless_jpeg": False}),
                            (io.BytesIO(data), {})):
        image = Image.open(source)
        edit(image)
        png, jxl = io.BytesIO(), io.BytesIO()
        image.save(png, "PNG")
        image.save(jxl, "JXL", **options)
        found = look(png), look(jxl)
        named = "from memory" if source != "a.jpg" else f"{options or ''}"
        print(f"{name:12} {named:24} PNG {found[0]}  JPEG XL {found[1]}")
        lost = source == "a.jpg" and "lossless_jpeg" not in options
        as_described &= found == (right, original if lost else right)
sys.exit(0 if as_described else 1)
PY
