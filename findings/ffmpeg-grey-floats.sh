#!/bin/bash
# FFmpeg 5.1 makes black green when grey floats become colours
#
# An OpenEXR with luminance alone is read by FFmpeg exactly, as `grayf32`: 0 is 0. The
# same image in floats with three channels (`gbrpf32`, the format in which every other
# OpenEXR arrives, so the obvious one to ask for) is green: 0 becomes 0.53 in green and
# 0 in red and blue, as if the missing colour differences of a luminance image were 0
# instead of half. 8-bit and 16-bit RGB are grey as they should be. A good guess is
# that a repeated channel cannot go wrong, and that floats are at least as safe as
# bytes.
#
# Seen with FFmpeg 5.1.9 (7:5.1.9-0+deb12u1), for an image of zeros:
#   grayf32le  0
#   gbrpf32le  green 0.530, blue 0, red 0
#   rgb24      0
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
version=$(dpkg-query -W -f '${Version}' ffmpeg)
echo "ffmpeg $version"
[[ $version == 7:5.1.* ]] || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
head -c 256 /dev/zero >"$work/black"
to() {
    ffmpeg -v error -f rawvideo -pix_fmt grayf32le -video_size 8x8 -i "$work/black" -f rawvideo -pix_fmt "$1" "$work/$1" -y
}
for format in grayf32le gbrpf32le rgb24; do to "$format"; done
python3 - "$work" <<'PY'
import struct, sys
def floats(name):
    data = open(f"{sys.argv[1]}/{name}", "rb").read()
    return struct.unpack(f"<{len(data) // 4}f", data)
grey, colours = floats("grayf32le"), floats("gbrpf32le")
green, blue, red = (set(colours[plane * 64:plane * 64 + 64]) for plane in range(3))
rgb = set(open(f"{sys.argv[1]}/rgb24", "rb").read())
print("grayf32le", set(grey))
print("gbrpf32le green", green, "blue", blue, "red", red)
print("rgb24", rgb)
plain = set(grey) == {0} and rgb == {0} and blue == {0} and red == {0}
sys.exit(0 if plain and all(0.52 < value < 0.54 for value in green) else 1)
PY
