#!/bin/bash
# heif-enc 1.15 accepts four options about colour and ignores them
#
# The range of samples, the matrix, the primaries and the transfer curve of an image are
# numbers in a box (`nclx`) and in the coded stream, and a reader has to know them. To
# make test images with other ones, libheif's heif-enc has four options, which --help
# describes: --matrix_coefficients, --colour_primaries, --transfer_characteristic and
# --full_range_flag. Of the version in Debian 12 none has an effect: whatever they say,
# the HEIC is the same, byte for byte, and has no box at all; the AVIF is the same and
# says "unspecified, BT.601, full range". The exit status is 0, nothing is printed, and
# a value that is no number is accepted, too. A good guess is that an option that is
# documented, parsed and not complained about changes the output. A test that compares
# a decoder with what the options asked for judges the wrong image: one of the limited
# range seems to be decoded with too little contrast.
#
# Seen with heif-enc of libheif-examples 1.15.1-1+deb12u1:
#   HEIC  nclx none                                same bytes with each option
#   AVIF  nclx primaries 2 transfer 2 matrix 6 full range 1  same bytes with each option
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
command -v heif-enc >/dev/null || apt-get install -y -qq --no-install-recommends libheif-examples >/dev/null
version=$(dpkg-query -W -f '${Version}' libheif-examples)
echo "libheif-examples $version"
[[ $version == 1.15.1-* ]] || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 - <<'PY'
import pathlib, struct, subprocess, sys, zlib

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

rows = b"".join(b"\0" + b"".join(bytes([200 - x, 30 + y, 40 + x]) for x in range(64)) for y in range(64))
pathlib.Path("in.png").write_bytes(
    b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

def encoded(kind, *options):
    command = ["heif-enc", *(["-A"] if kind == "AVIF" else []), "-q", "90", *options, "in.png", "-o", "out"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return pathlib.Path("out").read_bytes()

def box(data):
    place = data.find(b"colrnclx")
    if place < 0:
        return "none"
    numbers = struct.unpack_from(">HHHB", data, place + 8)
    return "primaries %d transfer %d matrix %d full range %d" % (*numbers[:3], numbers[3] >> 7)

options = ["--matrix_coefficients=1", "--colour_primaries=9", "--transfer_characteristic=16", "--full_range_flag=0"]
expected = {"HEIC": "none", "AVIF": "primaries 2 transfer 2 matrix 6 full range 1"}
holds = True
for kind in expected:
    plain = encoded(kind)
    changed = [option for option in options if encoded(kind, option) != plain]
    print(kind, "nclx", box(plain), "changed by", changed or "no option")
    holds = holds and box(plain) == expected[kind] and not changed
sys.exit(0 if holds else 1)
PY
