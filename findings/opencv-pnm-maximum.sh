#!/bin/bash
# OpenCV scales a PGM that is text to its maximum, and leaves a binary one dark
#
# The header of a PGM or PPM states the sample that stands for white. It need not be
# 255, and the numbers are the same whether they follow as text (P2, P3) or as bytes
# (P5, P6). Pillow, FFmpeg and ImageMagick scale to that maximum in both kinds. OpenCV
# does so for 8-bit text only. From a binary file, and from 16-bit text, it takes the
# samples as they are: of a maximum of 100, white comes out as 100 of 255, and 10-bit
# images of a maximum of 1023, which scientific cameras produce, are nearly black. A
# good guess is that a format without compression, with a header of three numbers, has
# one meaning in each reader, and that converting a file from binary to text changes
# nothing. An image loader whose PNM decoder is compared with OpenCV looks wrong, or is
# made wrong.
#
# Seen with opencv-python-headless 5.0.0.93, Pillow 13.0.0 and PyAV 18.1.0 (libavcodec
# 62.28.102), CPython 3.11 on x86-64, for the samples 0, half and all of the maximum:
#   P2 text,   maximum  100  OpenCV [0, 127, 255]     Pillow [0, 128, 255]     FFmpeg [0, 128, 255]
#   P5 binary, maximum  100  OpenCV [0, 50, 100]      Pillow [0, 128, 255]     FFmpeg [0, 127, 255]
#   P2 text,   maximum 1023  OpenCV [0, 512, 1023]    Pillow [0, 32800, 65535] FFmpeg [0, 32800, 65535]
#   P5 binary, maximum 1023  OpenCV [0, 512, 1023]    Pillow [0, 32800, 65535] FFmpeg [0, 32800, 65535]
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 opencv-python-headless==5.0.0.93 av==18.1.0
cd "$work"
venv/bin/python - <<'PY'
import sys
import av, cv2, numpy, PIL
from PIL import Image

versions = cv2.__version__, PIL.__version__, av.__version__, av.library_versions["libavcodec"]
print("versions", *versions)
if versions != ("5.0.0", "13.0.0", "18.1.0", (62, 28, 102)):
    sys.exit(2)

def pgm(kind, maximum, samples):
    header = f"{kind}\n{len(samples)} 1\n{maximum}\n".encode()
    if kind == "P2":
        return header + " ".join(map(str, samples)).encode() + b"\n"
    return header + b"".join(sample.to_bytes(1 if maximum < 256 else 2, "big") for sample in samples)

def readings(data):
    with open("a.pgm", "wb") as file:
        file.write(data)
    with av.open("a.pgm") as file:
        ffmpeg = next(file.decode(video=0)).to_ndarray()
    return {"OpenCV": cv2.imread("a.pgm", cv2.IMREAD_UNCHANGED), "Pillow": numpy.asarray(Image.open("a.pgm")),
            "FFmpeg": ffmpeg}

as_described = True
for maximum, white in ((100, 255), (1023, 65535)):
    samples = [0, (maximum + 1) // 2, maximum]
    for kind, name in ("P2", "text"), ("P5", "binary"):
        found = readings(pgm(kind, maximum, samples))
        found = {reader: pixels.ravel().tolist() for reader, pixels in found.items()}
        print(f"{kind} {name + ',':7} maximum {maximum:4} ",
              *(f"{reader} {pixels!s:17}" for reader, pixels in found.items()))
        scaled = [round(sample * white / maximum) for sample in samples]
        for reader, pixels in found.items():
            wanted = scaled if reader != "OpenCV" or (kind, maximum) == ("P2", 100) else samples
            as_described &= len(pixels) == 3 and all(abs(a - b) <= 1 for a, b in zip(pixels, wanted))
sys.exit(0 if as_described else 1)
PY
