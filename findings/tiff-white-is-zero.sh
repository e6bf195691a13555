#!/bin/bash
# A grey TIFF with "white is zero" is a negative at 16 bits, not at 8
#
# A grey TIFF says whether 0 is black or white (PhotometricInterpretation 1 or 0);
# scanners and fax software write the second kind. Pillow and OpenCV turn such a
# file round at 8 bits, so who has seen that they know the tag will trust them with
# 16 bits too. But at 16 bits both hand out the stored samples: the same picture is
# a negative, with no error and no warning, and nothing in the array tells. Neither
# do they agree with libvips, which turns both depths round. A program that reads
# through several libraries shows the picture or its negative, depending on which
# one took the file.
#
# Seen with Pillow 13.0.0, opencv-python-headless 5.0.0.93 and pyvips-binary 8.18.7,
# CPython 3.11 on x86-64, for a stored sample of 200 of 255 (51400 of 65535), which
# with "white is zero" is a dark 55 (14135):
#    8 bits  Pillow 55     OpenCV 55     libvips 55
#   16 bits  Pillow 51400  OpenCV 51400  libvips 14135
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 opencv-python-headless==5.0.0.93 \
    pyvips==3.2.0 pyvips-binary==8.18.7
"$work/venv/bin/python" - <<'PY'
import io, struct, sys
import cv2, numpy, PIL, pyvips
from PIL import Image

versions = PIL.__version__, cv2.__version__, [pyvips.version(part) for part in range(3)]
print("versions", *versions)
if versions != ("13.0.0", "5.0.0", [8, 18, 7]):
    sys.exit(2)

SIDE, SHORT, LONG, RATIONAL = 8, 3, 4, 5

def tiff(bits, white_is_zero, sample):
    """A baseline grey TIFF of one strip, uncompressed, little-endian."""
    strip = sample.to_bytes(bits // 8, "little") * SIDE * SIDE
    entries = [(256, SHORT, SIDE), (257, SHORT, SIDE), (258, SHORT, bits), (259, SHORT, 1),
               (262, SHORT, 0 if white_is_zero else 1), (273, LONG, None), (277, SHORT, 1),
               (278, SHORT, SIDE), (279, LONG, len(strip)),
               (282, RATIONAL, None), (283, RATIONAL, None), (296, SHORT, 2)]
    after = 8 + 2 + 12 * len(entries) + 4
    values = {273: after + 8, 282: after, 283: after}
    directory = b"".join(struct.pack("<HHII", tag, kind, 1, values.get(tag, value))
                         for tag, kind, value in entries)
    return (b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + bytes(4)
            + struct.pack("<II", 72, 1) + strip)

def readings(data):
    return {"Pillow": int(numpy.asarray(Image.open(io.BytesIO(data)))[4, 4]),
            "OpenCV": int(cv2.imdecode(numpy.frombuffer(data, numpy.uint8), cv2.IMREAD_UNCHANGED)[4, 4]),
            "libvips": int(pyvips.Image.new_from_buffer(data, "")(4, 4)[0])}

as_described = True
for bits, stored, dark in ((8, 200, 55), (16, 51400, 14135)):
    plain, turned = (readings(tiff(bits, white, stored)) for white in (False, True))
    print(f"{bits:2} bits, black is zero ", plain)
    print(f"{bits:2} bits, white is zero ", turned)
    others = dark if bits == 8 else stored
    as_described &= plain == dict.fromkeys(plain, stored)
    as_described &= turned == {"Pillow": others, "OpenCV": others, "libvips": dark}
sys.exit(0 if as_described else 1)
PY
