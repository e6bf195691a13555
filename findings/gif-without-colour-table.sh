#!/bin/bash
# A GIF without a colour table is grey, black or refused
#
# Both colour tables of a GIF are optional. GIF89a (section 18) leaves a decoder free
# to keep the table of the image before, or to use one of its own, so one expects some
# default colours, or a ramp from black to white over the values that a pixel can have.
# Nobody does that. Pillow and OpenCV take the value of a pixel for its grey level, of
# 255 whatever the number of bits: an image of 16 values is nearly black. libvips
# (libnsgif) shows all pixels black. ffmpeg refuses the picture. For 256 values, the
# first two are what the ramp would be, so that a test with such a file shows nothing.
#
# Seen with Pillow 12.0.0, OpenCV 5.0.0, libvips 8.18.7 (pyvips-binary) and ffmpeg 7.0.2
# (imageio-ffmpeg 0.6.0), for the values 0, 5, 10 and 15 of 16:
#   Pillow: 0 5 10 15
#   OpenCV: 0 5 10 15
#   libvips: 0 0 0 0
#   ffmpeg: no picture
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==12.0.0 opencv-python-headless==5.0.0.93 pyvips==3.2.0 pyvips-binary==8.18.7 imageio-ffmpeg==0.6.0
cd "$work"
"$work/venv/bin/python" - <<'PY'
import io, struct, subprocess, sys
import cv2, imageio_ffmpeg, numpy, PIL, pyvips
from PIL import Image

vips = ".".join(str(pyvips.version(part)) for part in range(3))
ffmpeg = imageio_ffmpeg.get_ffmpeg_version()
print("Pillow", PIL.__version__, "OpenCV", cv2.__version__, "libvips", vips, "ffmpeg", ffmpeg)
if (PIL.__version__, cv2.__version__, vips, ffmpeg.split("-")[0]) != ("12.0.0", "5.0.0", "8.18.7", "7.0.2"):
    sys.exit(2)

def gif(bits, values):
    """One row of pixels, few enough that codes keep bits + 1 bits: a clear code, the values, an end code."""
    text, count, data = 0, 0, bytearray()
    for code in [1 << bits, *values, (1 << bits) + 1]:
        text |= code << count
        count += bits + 1
    while count > 0:
        data.append(text & 255)
        text, count = text >> 8, count - 8
    size = struct.pack("<2H", len(values), 1)
    image = b"," + struct.pack("<2H", 0, 0) + size + b"\0" + bytes([bits, len(data)]) + bytes(data) + b"\0"
    return b"GIF89a" + size + bytes([bits - 1, 0, 0]) + image + b";"

def shown(data):
    with open("grey.gif", "wb") as file:
        file.write(data)
    picture = cv2.imread("grey.gif", cv2.IMREAD_GRAYSCALE)
    pixels = numpy.frombuffer(pyvips.Image.new_from_file("grey.gif").write_to_memory(), numpy.uint8)
    decoded = subprocess.run(
        [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "quiet", "-i", "grey.gif", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
        capture_output=True).stdout
    return {
        "Pillow": list(Image.open(io.BytesIO(data)).convert("L").getdata()),
        "OpenCV": picture.ravel().tolist(),
        "libvips": pixels.reshape(len(picture[0]), -1)[:, 0].tolist(),
        "ffmpeg": list(decoded) or "no picture",
    }

result = shown(gif(4, [0, 5, 10, 15]))
for name, levels in result.items():
    print(f"{name}: {levels if isinstance(levels, str) else ' '.join(map(str, levels))}")
levels = [0, 5, 10, 15]
expected = {"Pillow": levels, "OpenCV": levels, "libvips": [0] * 4, "ffmpeg": "no picture"}
sys.exit(0 if result == expected else 1)
PY
