#!/bin/bash
# img2sixel puts a picture of fewer than six rows six pixels too low
#
# Sixel data comes in bands of six rows; "-" moves to the next band. One would write
# a picture of four rows as one band with the two lower rows unset, and img2sixel
# does that for the last band of every higher picture (7 to 11 rows below). For 1 to
# 5 rows it writes "-" first: the only band is the second one, above it six rows of
# nothing, although the raster attributes at the front announce 4 rows. Separator
# lines, progress bars and one-line images then miss the text beside them, and who
# takes the announced height for the space that is covered draws over the picture.
# The tool's own decoder (sixel2png) shows it: 4 rows in, 10 rows out.
#
# Seen with Debian 12's libsixel-bin 1.10.3-3 (amd64), pictures 8 pixels wide:
#   1 rows: announced 1, painted rows 6 to 6, decoded by sixel2png to 7 rows
#   4 rows: announced 4, painted rows 6 to 9, decoded by sixel2png to 10 rows
#   5 rows: announced 5, painted rows 6 to 10, decoded by sixel2png to 11 rows
#   6 rows: announced 6, painted rows 0 to 5, decoded by sixel2png to 6 rows
#   7 rows: announced 7, painted rows 0 to 6, decoded by sixel2png to 7 rows
#   11 rows: announced 11, painted rows 0 to 10, decoded by sixel2png to 11 rows
#
# Exit status: 0 as described, 1 other behaviour, 2 other version. It unpacks the
# packages in a temporary folder and installs nothing.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"
apt-get download -qq libsixel-bin libsixel1 2>download.log ||
    { apt-get update -qq && apt-get download -qq libsixel-bin libsixel1; } || { cat download.log; exit 1; }
version=$(dpkg-deb --field libsixel-bin_*.deb Version)
echo "libsixel-bin $version"
[ "$version" = 1.10.3-3 ] || exit 2
for package in ./*.deb; do dpkg-deb --extract "$package" root; done
LD_LIBRARY_PATH=$(dirname "$(find "$work/root" -name 'libsixel.so.1' | head -n 1)")
export LD_LIBRARY_PATH
python3 - <<'PY'
import re, struct, subprocess, sys

WIDTH = 8

def run(tool, data):
    return subprocess.run(["root/usr/bin/" + tool], input=data, stdout=subprocess.PIPE, check=True).stdout

def painted(sixels):
    """The rows that are set, read by the rules of the VT330 manual."""
    body = re.sub(rb"^\x1bP[0-9;]*q|\x1b\\$", b"", sixels)
    body = re.sub(rb'"[0-9;]*|#[0-9]+(;[0-9;]*)?|![0-9]+', b"", body)
    rows, band = set(), 0
    for character in body:
        if character == ord("-"):
            band += 1
        elif 0x3f <= character <= 0x7e:
            rows |= {band * 6 + bit for bit in range(6) if (character - 0x3f) >> bit & 1}
    return sorted(rows)

as_described = True
for height in (1, 4, 5, 6, 7, 11):
    sixels = run("img2sixel", b"P6\n%d %d\n255\n" % (WIDTH, height) + bytes((200, 100, 50)) * WIDTH * height)
    announced = int(re.search(rb'"1;1;%d;([0-9]+)' % WIDTH, sixels).group(1))
    rows = painted(sixels)
    decoded = struct.unpack(">2I", run("sixel2png", sixels)[16:24])[1]
    print(f"{height} rows: announced {announced}, painted rows {rows[0]} to {rows[-1]}, "
          f"decoded by sixel2png to {decoded} rows")
    lost = 6 if height < 6 else 0
    as_described &= announced == height and decoded == height + lost
    as_described &= rows == list(range(lost, height + lost))
sys.exit(0 if as_described else 1)
PY
