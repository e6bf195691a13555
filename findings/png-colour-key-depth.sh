#!/bin/bash
# PNG's transparent colour is lost at most depths but 8 bits
#
# A grey or RGB PNG can name one sample value as transparent (chunk tRNS). The value
# has the depth of the image. libpng knows that, and so does libvips, which uses it.
# It is one comparison for each pixel, in the format since its first edition, so that
# nobody expects trouble from two of the most used readers. But FFmpeg honours the
# value for grey only at 8 and 16 bits, and Pillow, asked for RGBA, only at 1 and 8
# bits: it widens 2 and 4 bits to 8 and narrows RGB of 16 bits to 8 without doing the
# same to the key, which then matches nothing. The pixels come out opaque, in a
# colour that was never meant to be seen. 16-bit grey is also clipped to white on the
# way. At no depth but 8 bits do all three agree.
#
# Seen with Pillow 13.0.0, PyAV 18.1.0 (libavcodec 62.28.102) and pyvips-binary
# 8.18.7, CPython 3.11 on x86-64; the pixel that should be transparent:
#   grey  1 bits  libvips [0, 0, 0, 0]        Pillow [0, 0, 0, 0]          FFmpeg [0, 0, 0, 255]
#   grey  2 bits  libvips [170, 170, 170, 0]  Pillow [170, 170, 170, 255]  FFmpeg [170, 170, 170, 255]
#   grey  4 bits  libvips [85, 85, 85, 0]     Pillow [85, 85, 85, 255]     FFmpeg [85, 85, 85, 255]
#   grey  8 bits  libvips [100, 100, 100, 0]  Pillow [100, 100, 100, 0]    FFmpeg [100, 100, 100, 0]
#   grey 16 bits  libvips [18, 18, 18, 0]     Pillow [255, 255, 255, 255]  FFmpeg [18, 18, 18, 0]
#   RGB   8 bits  libvips [100, 100, 100, 0]  Pillow [100, 100, 100, 0]    FFmpeg [100, 100, 100, 0]
#   RGB  16 bits  libvips [18, 18, 18, 0]     Pillow [18, 18, 18, 255]     FFmpeg [18, 18, 18, 0]
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 av==18.1.0 pyvips==3.2.0 pyvips-binary==8.18.7
"$work/venv/bin/python" - <<'PY'
import io, struct, sys, zlib
import av, numpy, PIL, pyvips
from PIL import Image

versions = PIL.__version__, av.library_versions["libavcodec"], [pyvips.version(part) for part in range(3)]
print("versions", *versions)
if versions != ("13.0.0", (62, 28, 102), [8, 18, 7]):
    sys.exit(2)

SIDE, GREY, COLOUR = 8, 0, 2

def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

def png(kind, depth, key):
    """The left half has the value of the key, the right half has the value 1 in every channel."""
    channels = 3 if kind == COLOUR else 1
    row = "".join(f"{value:0{depth}b}" for value in [key] * channels * 4 + [1] * channels * 4)
    row = b"\0" + int(row, 2).to_bytes(len(row) // 8, "big")
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", SIDE, SIDE, depth, kind, 0, 0, 0))
            + chunk(b"tRNS", struct.pack(">H", key) * channels)
            + chunk(b"IDAT", zlib.compress(row * SIDE)) + chunk(b"IEND", b""))

def by_ffmpeg(data):
    with av.open(io.BytesIO(data)) as file:
        return next(file.decode(video=0)).to_ndarray(format="rgba")

readers = {
    "libvips": lambda data: pyvips.Image.new_from_buffer(data, "").colourspace("srgb").numpy(),
    "Pillow": lambda data: numpy.asarray(Image.open(io.BytesIO(data)).convert("RGBA")),
    "FFmpeg": by_ffmpeg,
}
opaque = {"Pillow": {"grey 2", "grey 4", "grey 16", "RGB 16"},
          "FFmpeg": {"grey 1", "grey 2", "grey 4"}, "libvips": set()}
keys = {"grey 1": 0, "grey 2": 2, "grey 4": 5, "grey 8": 100, "grey 16": 0x1234, "RGB 8": 100, "RGB 16": 0x1234}
as_described = True
for name, key in keys.items():
    kind, depth = name.split()
    data = png(COLOUR if kind == "RGB" else GREY, int(depth), key)
    shown = f"{kind:4} {depth:>2} bits"
    for reader, read in readers.items():
        pixels = read(data)
        keyed, other = pixels[4, 1].tolist(), pixels[4, 6].tolist()
        shown += f"  {reader} {keyed!s:20}"
        as_described &= keyed[3] == (255 if name in opaque[reader] else 0) and other[3] == 255
        if (reader, name) == ("Pillow", "grey 16"):
            as_described &= keyed[:3] == [255, 255, 255]
    print(shown)
sys.exit(0 if as_described else 1)
PY
