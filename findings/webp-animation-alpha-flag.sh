#!/bin/bash
# An animated WebP loses its transparent background in the program that wrote it
#
# The header of an extended WebP has a flag for alpha. libwebp's animation encoder
# stores the rectangle of each frame that changed. It sets the flag only if a pixel
# inside such a rectangle is transparent. The canvas around the rectangles is
# transparent as well, but does not count. So an opaque square that moves over a
# transparent background is stored without the flag, while a disc, whose rectangle has
# transparent corners, is stored with it. Pillow and OpenCV decide by the flag whether
# the image has alpha, and show the background of the square black; Pillow does so with
# the file that it has just written. libvips keeps it transparent. A good guess is that
# a lossless round trip through one library keeps alpha, and that one test with a
# transparent animation proves it. An image loader must not take the flag for the whole
# truth when it reads, and should set it when it writes.
#
# Seen with Pillow 13.0.0 (libwebp 1.6.0), opencv-python-headless 5.0.0.93 and
# pyvips-binary 8.18.7, CPython 3.11 on x86-64, for a background pixel of (0, 0, 0, 0) in
# all four frames:
#   square  flag no   Pillow RGB  {(0, 0, 0, 255)}  OpenCV {3} channels  libvips {(0, 0, 0, 0)}
#   disc    flag yes  Pillow RGBA {(0, 0, 0, 0)}  OpenCV {4} channels  libvips {(0, 0, 0, 0)}
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 opencv-python-headless==5.0.0.93 pyvips==3.2.0 pyvips-binary==8.18.7
"$work/venv/bin/python" - <<'PY'
import io, sys
import cv2, numpy, PIL, pyvips
from PIL import Image, ImageDraw, features

versions = PIL.__version__, features.version("webp"), cv2.__version__, [pyvips.version(part) for part in range(3)]
print("versions", *versions)
if versions != ("13.0.0", "1.6.0", "5.0.0", [8, 18, 7]):
    sys.exit(2)

SIDE, FRAMES, BACKGROUND = 32, 4, (1, 30)

def animation(draw):
    """Four frames of a red shape that moves to the right over nothing, as a lossless WebP."""
    frames = []
    for number in range(FRAMES):
        frame = Image.new("RGBA", (SIDE, SIDE))
        draw(ImageDraw.Draw(frame), (4 + 4 * number, 8, 15 + 4 * number, 19))
        frames.append(frame)
    file = io.BytesIO()
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:], duration=100, lossless=True)
    return file.getvalue()

shapes = {"square": lambda pen, box: pen.rectangle(box, (255, 0, 0, 255)),
          "disc": lambda pen, box: pen.ellipse(box, (255, 0, 0, 255))}
seen = {}
for name, draw in shapes.items():
    data = animation(draw)
    flag = data[12:16] == b"VP8X" and bool(data[20] & 0x10)
    image, pillow = Image.open(io.BytesIO(data)), set()
    for number in range(image.n_frames):
        image.seek(number)
        pillow.add(image.convert("RGBA").getpixel(BACKGROUND))
    channels = {frame.shape[2] for frame in cv2.imdecodeanimation(numpy.frombuffer(data, numpy.uint8))[1].frames}
    strip = pyvips.Image.new_from_buffer(data, "", n=-1)
    vips = {tuple(int(value) for value in strip(BACKGROUND[0], BACKGROUND[1] + SIDE * number))
            for number in range(image.n_frames)}
    print(f"{name:7} flag {'yes' if flag else 'no':3}  Pillow {image.mode:4} {pillow}  "
          f"OpenCV {channels} channels  libvips {vips}")
    seen[name] = flag, image.mode, pillow, channels, vips
nothing, black = {(0, 0, 0, 0)}, {(0, 0, 0, 255)}
sys.exit(0 if seen == {"square": (False, "RGB", black, {3}, nothing),
                       "disc": (True, "RGBA", nothing, {4}, nothing)} else 1)
PY
