#!/bin/bash
# OpenCV 5 does not read a TIFF that lies on its side, but does from memory
#
# The rows of a TIFF may be the columns of the image (tag Orientation, 5 to 8), as
# scanners of large paper write them. A reader shows the stored rows and passes the tag
# on, or turns the image. OpenCV 5 reads an image with one of two functions, which take
# the same flags: imdecode turns it, and imread fails with an internal error if width
# and height differ, because it compares the size of the turned image with that in the
# header. So a program that decodes bytes from a cache in memory works, and one that
# decodes the same bytes from a file does not. imread accepts a square image, so a test
# with a square sees nothing. IMREAD_UNCHANGED, which for JPEG means "do not turn",
# makes no difference: it turns a TIFF as well. Images that are mirrored or upside down
# (2 to 4) are read. A good guess is that a library turns all images or none, wherever
# the bytes come from. An image loader that is compared with OpenCV over all eight
# orientations gets no judgement on half of them.
#
# Seen with opencv-python-headless 5.0.0.93, CPython 3.11 on x86-64 (width x height):
#   16x8 JPEG, orientation 6: imread 8x16, unchanged 16x8, imdecode 8x16
#   16x8 TIFF, orientation 1 to 4: imread 16x8, unchanged 16x8, imdecode 16x8
#   16x8 TIFF, orientation 5 to 8: imread nothing, unchanged nothing, imdecode 8x16
#   8x8 TIFF, orientation 6: all read and turned
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 opencv-python-headless==5.0.0.93
cd "$work"
export OPENCV_LOG_LEVEL=OFF
venv/bin/python - <<'PY'
import struct, sys
import cv2, numpy
from PIL import Image

print("opencv", cv2.__version__)
if cv2.__version__ != "5.0.0":
    sys.exit(2)

SHORT, LONG = 3, 4

def tiff(width, height, orientation):
    """A baseline RGB TIFF of one strip whose first column is red, uncompressed, little-endian."""
    strip = (bytes((255, 0, 0)) + bytes(3 * (width - 1))) * height
    tags = [(256, SHORT, width), (257, SHORT, height), (258, SHORT, None), (259, SHORT, 1), (262, SHORT, 2),
            (273, LONG, None), (274, SHORT, orientation), (277, SHORT, 3), (278, SHORT, height),
            (279, LONG, len(strip))]
    after = 8 + 2 + 12 * len(tags) + 4
    entries = b"".join(
        struct.pack("<HHII", tag, kind, 3, after) if tag == 258
        else struct.pack("<HHII", tag, kind, 1, after + 6 if tag == 273 else value) for tag, kind, value in tags)
    return (b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4)
            + struct.pack("<3H", 8, 8, 8) + strip)

def size(image):
    return None if image is None else image.shape[1::-1]

def readings(name, data):
    with open(name, "wb") as file:
        file.write(data)
    found = (cv2.imread(name), cv2.imread(name, cv2.IMREAD_UNCHANGED),
             cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_COLOR))
    print(name, "imread", size(found[0]), "unchanged", size(found[1]), "imdecode", size(found[2]))
    return found

exif = Image.Exif()
exif[274] = 6
Image.new("RGB", (16, 8)).save("a.jpeg", exif=exif.tobytes())
with open("a.jpeg", "rb") as file:
    as_described = [size(image) for image in readings("6.jpeg", file.read())] == [(8, 16), (16, 8), (8, 16)]
for orientation in range(1, 9):
    found = [size(image) for image in readings(f"{orientation}.tiff", tiff(16, 8, orientation))]
    as_described &= found == ([(16, 8)] * 3 if orientation < 5 else [None, None, (8, 16)])
square = readings("square.tiff", tiff(8, 8, 6))
# Turned by a quarter to the right, the red column becomes the top row.
as_described &= all(image is not None and image[0].tolist() == [[0, 0, 255]] * 8 for image in square)
sys.exit(0 if as_described else 1)
PY
