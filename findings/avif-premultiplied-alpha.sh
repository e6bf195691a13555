#!/bin/bash
# libvips shows a premultiplied AVIF too dark
#
# An AVIF file can say that its colours are already multiplied by alpha: an item
# reference of type "prem". Pillow writes one when asked. Who knows that the
# decoders of AVIF build on the same few libraries, and that PNG and WebP have no
# such case, expects straight colours from all of them, or premultiplied ones from
# all of them. In fact Pillow (libavif) divides by alpha and gives the
# colour that was saved. libvips (libheif) hands out the stored, premultiplied
# samples as if they were straight, leaves no field that says so, and multiplies
# them by alpha once more when it flattens the picture: half-transparent orange on
# white comes out much darker. A thumbnail made that way is wrong for good.
# The same picture without the reference is right everywhere.
#
# Seen with Pillow 13.0.0 and pyvips-binary 8.18.7, CPython 3.11 on x86-64, for (200, 100, 50) at alpha 128:
#   straight       Pillow 200 100 50   libvips 200 100 50   libvips on white 227 177 152
#   premultiplied  Pillow 200 100 50   libvips 100 50 25    libvips on white 177 152 139
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7
"$work/venv/bin/python" - <<'PY'
import io, sys
import PIL, pyvips
from PIL import Image

versions = PIL.__version__, [pyvips.version(part) for part in range(3)]
print("versions", *versions)
if versions != ("13.0.0", [8, 18, 7]):
    sys.exit(2)

colour = (200, 100, 50)
picture = Image.new("RGBA", (32, 32), colour + (128,))
seen = {}
for name in ("straight", "premultiplied"):
    file = io.BytesIO()
    picture.save(file, "AVIF", quality=100, subsampling="4:4:4",
                 alpha_premultiplied=name == "premultiplied")
    data = file.getvalue()
    if (b"prem" in data) != (name == "premultiplied"):
        print("the file that was written is not of the kind", name)
        sys.exit(1)
    vips = pyvips.Image.new_from_buffer(data, "")
    pixels = {
        "Pillow": Image.open(io.BytesIO(data)).getpixel((8, 8)),
        "libvips": vips(8, 8),
        "libvips on white": vips.flatten(background=255).cast("uchar")(8, 8),
    }
    pixels = {reader: [int(value) for value in pixel] for reader, pixel in pixels.items()}
    print(f"{name:14}", *(f"{reader} {pixel}" for reader, pixel in pixels.items()))
    told = [field for field in vips.get_fields() if "prem" in field]
    print(f"{'':14} fields of libvips that tell it:", *told or ["none"])
    if told:
        sys.exit(1)
    seen[name] = {reader: pixel[:3] for reader, pixel in pixels.items()}

def near(pixel, wanted, tolerance=4):
    return all(abs(a - b) <= tolerance for a, b in zip(pixel, wanted))

half = [value * 128 // 255 for value in colour]
mixed = [value * 128 // 255 + 127 for value in colour]
as_described = (
    all(near(seen["straight"][reader], colour) for reader in ("Pillow", "libvips"))
    and near(seen["straight"]["libvips on white"], mixed)
    and near(seen["premultiplied"]["Pillow"], colour)
    and near(seen["premultiplied"]["libvips"], half)
    and all(right - wrong > 10 for right, wrong in zip(mixed, seen["premultiplied"]["libvips on white"])))
sys.exit(0 if as_described else 1)
PY
