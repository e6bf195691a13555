#!/bin/bash
# Pillow makes a GIF that plays once a WebP that never stops, FFmpeg does the opposite
#
# GIF, APNG and WebP each store a number of loops. That of a GIF counts repetitions, so
# an animation plays once more than that, and once if there is no number; that of APNG
# and WebP counts plays. 0 is "for ever" in all three. Pillow reads the number of a GIF
# into `info` and takes `loop` for each of the writers, so one expects the number to get
# through, wrong by one at most. Its WebP writer ignores it and writes "for ever": a GIF
# that plays once, or three times, never stops. Its PNG writer does the same for a GIF
# without a number, and copies other numbers, so that one play is lost. FFmpeg errs in
# the other direction: a GIF that plays for ever plays once as WebP or APNG. libvips
# translates all of them. A good guess is that the two programs agree at least on "for
# ever", which nearly all GIFs have, and that a GIF without a number, which banners
# often are, comes out as it was. An image loader has to translate the number for each
# pair of formats.
#
# Seen with Pillow 13.0.0, FFmpeg 7.0.2 (imageio-ffmpeg 0.6.0) and pyvips-binary 8.18.7,
# CPython 3.11 on x86-64, in plays (0 is for ever):
#   GIF 1: libvips WebP 1, Pillow WebP 0, Pillow APNG 0, FFmpeg WebP 1, FFmpeg APNG 1
#   GIF 0: libvips WebP 0, Pillow WebP 0, Pillow APNG 0, FFmpeg WebP 1, FFmpeg APNG 1
#   GIF 3: libvips WebP 3, Pillow WebP 0, Pillow APNG 2, FFmpeg WebP 1, FFmpeg APNG 1
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 imageio-ffmpeg==0.6.0
cd "$work"
venv/bin/python - <<'PY'
import struct, subprocess, sys
import imageio_ffmpeg, PIL, pyvips
from PIL import Image

versions = PIL.__version__, imageio_ffmpeg.get_ffmpeg_version(), [pyvips.version(part) for part in range(3)]
print("versions", *versions)
if (versions[0], versions[1][:5], versions[2]) != ("13.0.0", "7.0.2", [8, 18, 7]):
    sys.exit(2)
pyvips.cache_set_max(0)

def read(path):
    with open(path, "rb") as file:
        return file.read()

def plays_of_webp(path):
    data = read(path)
    return struct.unpack_from("<H", data, data.index(b"ANIM") + 12)[0]

def plays_of_png(path):
    data = read(path)
    return struct.unpack_from(">I", data, data.index(b"acTL") + 8)[0]

def plays_of_gif(path):
    data = read(path)
    found = data.find(b"NETSCAPE2.0")
    if found < 0:
        return 1
    repeats = struct.unpack_from("<H", data, found + 13)[0]
    return repeats + 1 if repeats else 0

def by_pillow(name):
    Image.open("a.gif").save(name, save_all=True)

def by_ffmpeg(name):
    subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-i", "a.gif", name], check=True)

frames = [Image.new("RGB", (16, 16), colour) for colour in ("red", "blue", "lime")]
table = {}
for repeats in None, 0, 2:
    options = {} if repeats is None else {"loop": repeats}
    frames[0].save("a.gif", save_all=True, append_images=frames[1:], duration=100, **options)
    by_pillow("pillow.webp"), by_pillow("pillow.png"), by_ffmpeg("ffmpeg.webp"), by_ffmpeg("ffmpeg.apng")
    pyvips.Image.new_from_file("a.gif", n=-1).webpsave("vips.webp")
    plays = (plays_of_gif("a.gif"), plays_of_webp("vips.webp"), plays_of_webp("pillow.webp"),
             plays_of_png("pillow.png"), plays_of_webp("ffmpeg.webp"), plays_of_png("ffmpeg.apng"))
    print("GIF {}: libvips WebP {}, Pillow WebP {}, Pillow APNG {}, FFmpeg WebP {}, FFmpeg APNG {}".format(*plays))
    table[repeats] = plays
sys.exit(0 if table == {None: (1, 1, 0, 0, 1, 1), 0: (0, 0, 0, 0, 1, 1), 2: (3, 3, 0, 2, 1, 1)} else 1)
PY
