#!/bin/bash
# Pillow makes an APNG more transparent where frames are blended
#
# "Over" is one of the two ways in which a frame of an APNG is put on the canvas,
# and the PNG specification gives the formula: the usual one, for straight alpha.
# A half-transparent frame over an opaque one therefore leaves opaque pixels, and
# over an empty canvas it is itself. FFmpeg does that. Pillow pastes the frame with
# its own alpha as the mask, alpha included: over an opaque canvas the result gets
# holes that show the page behind it, and over an empty canvas the colour is
# multiplied by alpha and alpha by itself, so that soft edges and shadows almost
# disappear and turn dark. A good guess is that only viewers without support for
# APNG differ; here a widely used reader with full support changes the picture
# that every later step (thumbnails, conversion) gets.
#
# Seen with Pillow 13.0.0 and PyAV 18.1.0 (libavcodec 62.28.102), CPython 3.11 on
# x86-64, for blue at alpha 128 over opaque red, and over an empty canvas:
#   over red    by the formula (127, 0, 128, 255)  FFmpeg (127, 0, 128, 255)  Pillow (127, 0, 128, 191)
#   over empty  by the formula (0, 0, 255, 128)    FFmpeg (0, 0, 255, 128)    Pillow (0, 0, 128, 64)
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 av==18.1.0
"$work/venv/bin/python" - <<'PY'
import io, struct, sys, zlib
import av, PIL
from PIL import Image

versions = PIL.__version__, av.__version__, av.library_versions["libavcodec"]
print("versions", *versions)
if versions != ("13.0.0", "18.1.0", (62, 28, 102)):
    sys.exit(2)

SIDE, SOURCE, OVER = 8, 0, 1

def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

def samples(colour):
    return zlib.compress((b"\0" + bytes(colour) * SIDE) * SIDE)

def control(number, blend):
    return chunk(b"fcTL", struct.pack(">5I2H2B", number, SIDE, SIDE, 0, 0, 1, 10, 0, blend))

def animation(first, second):
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">2I5B", SIDE, SIDE, 8, 6, 0, 0, 0))
            + chunk(b"acTL", struct.pack(">2I", 2, 0))
            + control(0, SOURCE) + chunk(b"IDAT", samples(first))
            + control(1, OVER) + chunk(b"fdAT", struct.pack(">I", 2) + samples(second))
            + chunk(b"IEND", b""))

def formula(below, above):
    a, b = above[3] / 255, below[3] / 255
    alpha = a + b * (1 - a)
    return tuple(round((f * a + g * b * (1 - a)) / alpha) for f, g in zip(above[:3], below[:3])) + (round(alpha * 255),)

def by_ffmpeg(data):
    with av.open(io.BytesIO(data)) as file:
        planes = [frame.reformat(format="rgba").planes[0] for frame in file.decode(video=0)]
        return [tuple(bytes(plane)[4 * plane.line_size + 4 * 4:][:4]) for plane in planes]

def by_pillow(data):
    image, pixels = Image.open(io.BytesIO(data)), []
    for number in range(image.n_frames):
        image.seek(number)
        pixels.append(image.convert("RGBA").getpixel((4, 4)))
    return pixels

blue = (0, 0, 255, 128)
wrong = {"red": (127, 0, 128, 191), "empty": (0, 0, 128, 64)}
as_described = True
for name, below in (("red", (255, 0, 0, 255)), ("empty", (0, 0, 0, 0))):
    data = animation(below, blue)
    ffmpeg, pillow, right = by_ffmpeg(data), by_pillow(data), formula(below, blue)
    print(f"over {name:6} formula {right}  FFmpeg {ffmpeg[1]}  Pillow {pillow[1]}")
    near = all(abs(a - b) <= 1 for a, b in zip(ffmpeg[1], right))
    as_described &= near and len(ffmpeg) == len(pillow) == 2 and pillow[1] == wrong[name]
    as_described &= ffmpeg[0] == pillow[0] == below
sys.exit(0 if as_described else 1)
PY
