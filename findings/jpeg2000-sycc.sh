#!/bin/bash
# Half of the readers of JPEG 2000 get the colours of an sYCC file wrong
#
# A JP2 file names its colour space by a number: 16 is sRGB, 17 is grey, and 18 is sYCC,
# luminance and colour differences from 0 to 255 by the matrix of JFIF. Pillow writes 18
# for an image in YCbCr, which is how the colours of a JPEG stay as they are. Pillow and
# imagecodecs read such a file by that matrix. FFmpeg takes the samples for those of
# video, in which black is 16 and white is 235, so dark parts get darker and bright ones
# are clipped. OpenCV, which decodes with OpenJPEG as Pillow does, takes the colour
# differences for the U and V of analogue television, which are scaled otherwise: grey
# is right, red is too weak and blue too strong. The errors are small enough to pass
# until two readers are compared. The same image in sRGB is right in all four. A good
# guess is that readers with the same decoding library differ by rounding at most. The
# colours are left to the program that calls the library, so an image loader has to know
# this matrix, and needs a second reader as judge.
#
# Seen with Pillow 13.0.0, imagecodecs 2026.3.6, opencv-python-headless 5.0.0.93 and PyAV
# 18.1.0 (libavcodec 62.28.102), CPython 3.11 on x86-64, written without loss:
#   sRGB [40, 40, 40]    Pillow [40, 40, 40]    imagecodecs [40, 40, 40]    OpenCV [40, 40, 40]    FFmpeg [40, 40, 40]
#   sYCC [40, 40, 40]    Pillow [40, 40, 40]    imagecodecs [40, 40, 40]    OpenCV [40, 40, 40]    FFmpeg [28, 28, 28]
#   sRGB [200, 100, 50]  Pillow [200, 100, 50]  imagecodecs [200, 100, 50]  OpenCV [200, 100, 50]  FFmpeg [200, 100, 50]
#   sYCC [200, 100, 50]  Pillow [199, 99, 49]   imagecodecs [199, 100, 50]  OpenCV [186, 109, 39]  FFmpeg [212, 98, 41]
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 opencv-python-headless==5.0.0.93 av==18.1.0 imagecodecs==2026.3.6
cd "$work"
venv/bin/python - <<'PY'
import struct, sys
import av, cv2, imagecodecs, PIL
from PIL import Image

versions = (PIL.__version__, imagecodecs.__version__, cv2.__version__, av.__version__,
            av.library_versions["libavcodec"])
print("versions", *versions)
if versions != ("13.0.0", "2026.3.6", "5.0.0", "18.1.0", (62, 28, 102)):
    sys.exit(2)

def colour_space(data):
    start = data.index(b"colr") + 4
    method, _, _, number = struct.unpack(">BBBI", data[start:start + 7])
    return number if method == 1 else None

def readings(path):
    with open(path, "rb") as file:
        data = file.read()
    with av.open(path) as file:
        ffmpeg = next(file.decode(video=0)).to_ndarray(format="rgb24")[8, 8]
    return colour_space(data), {
        "Pillow": list(Image.open(path).convert("RGB").getpixel((8, 8))),
        "imagecodecs": imagecodecs.jpeg2k_decode(data)[8, 8].tolist(),
        "OpenCV": cv2.imread(path, cv2.IMREAD_COLOR)[8, 8, ::-1].tolist(),
        "FFmpeg": ffmpeg.tolist()}

def near(pixel, wanted):
    return all(abs(a - b) <= 1 for a, b in zip(pixel, wanted))

wrong = {(40, "OpenCV"): (40, 40, 40), (40, "FFmpeg"): (28, 28, 28),
         (200, "OpenCV"): (186, 109, 39), (200, "FFmpeg"): (212, 98, 41)}
as_described = True
for colour in ((40, 40, 40), (200, 100, 50)):
    for mode, name, number in ("RGB", "sRGB", 16), ("YCbCr", "sYCC", 18):
        Image.new("RGB", (32, 32), colour).convert(mode).save("a.jp2", irreversible=False)
        space, found = readings("a.jp2")
        print(f"{name} {list(colour)!s:15}", *(f"{reader} {pixel!s:15}" for reader, pixel in found.items()))
        as_described &= space == number
        for reader, pixel in found.items():
            as_described &= near(pixel, wrong.get((colour[0], reader), colour) if name == "sYCC" else colour)
sys.exit(0 if as_described else 1)
PY
