#!/bin/bash
# Pillow shows white as black in a JPEG 2000 with more than 8 bits
#
# Pillow has no mode for colours of more than 8 bits, so it is known to reduce images of
# 16 bits to 8. From a PNG or TIFF it takes the upper eight bits. From a JPEG 2000 it
# rounds to the nearest value, and the nearest value of white is 256, which is stored as
# 0: every sample in the upper half of the last step turns from 255 into 0. White paper,
# sky and clipped highlights become black, and so does one channel alone of a saturated
# colour; with alpha, opaque pixels become transparent. This concerns RGB, RGBA and grey
# with alpha of 9 to 16 bits, which is what digital cinema, satellites and archives use
# JPEG 2000 for. Grey without alpha is read with all its bits from 10 bits on and is
# right. There is no error. FFmpeg reads the same files as they were written. A good
# guess is that the loss is in the last bit, and that the two values which every image
# has, black and white, come out as such. An image loader that reduces depths has to
# clamp after it rounds, and a test of it has to contain white.
#
# Seen with Pillow 13.0.0, PyAV 18.1.0 (libavcodec 62.28.102) and imagecodecs 2026.3.6,
# which wrote the files, CPython 3.11 on x86-64, for samples of 16 bits:
#   RGB     0  Pillow [0, 0, 0]  FFmpeg [0, 0, 0]
#   RGB 32768  Pillow [128, 128, 128]  FFmpeg [32768, 32768, 32768]
#   RGB 65407  Pillow [255, 255, 255]  FFmpeg [65407, 65407, 65407]
#   RGB 65408  Pillow [0, 0, 0]  FFmpeg [65408, 65408, 65408]
#   RGB 65535  Pillow [0, 0, 0]  FFmpeg [65535, 65535, 65535]
#   white in RGBA with 16 bits: Pillow [0, 0, 0, 0]
#   white in grey and alpha with 16 bits: Pillow [0, 0]
#   white in RGB with 9 bits: Pillow [0, 0, 0]
#   white in RGB with 12 bits: Pillow [0, 0, 0]
#   white in grey with 16 bits: Pillow [65535]
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 av==18.1.0 imagecodecs==2026.3.6
cd "$work"
venv/bin/python - <<'PY'
import io, sys
import av, imagecodecs, numpy, PIL
from PIL import Image

versions = PIL.__version__, av.__version__, av.library_versions["libavcodec"], imagecodecs.__version__
print("versions", *versions)
if versions != ("13.0.0", "18.1.0", (62, 28, 102), "2026.3.6"):
    sys.exit(2)

def jpeg2000(channels, bits, sample):
    pixels = numpy.full((16, 16, channels) if channels > 1 else (16, 16), sample, numpy.uint16)
    data = imagecodecs.jpeg2k_encode(pixels, level=0, bitspersample=bits, codecformat="jp2")
    if not numpy.array_equal(imagecodecs.jpeg2k_decode(data), pixels):
        raise ValueError("the file does not contain the samples")
    return data

def by_pillow(data):
    pixel = Image.open(io.BytesIO(data)).getpixel((8, 8))
    return list(pixel) if isinstance(pixel, tuple) else [pixel]

def by_ffmpeg(data):
    with open("a.jp2", "wb") as file:
        file.write(data)
    with av.open("a.jp2") as file:
        return next(file.decode(video=0)).to_ndarray(format="rgb48le")[8, 8].tolist()

as_described = True
for sample, eight in ((0, 0), (32768, 128), (65407, 255), (65408, 0), (65535, 0)):
    data = jpeg2000(3, 16, sample)
    pillow, ffmpeg = by_pillow(data), by_ffmpeg(data)
    print(f"RGB {sample:5}  Pillow {pillow}  FFmpeg {ffmpeg}")
    as_described &= pillow == [eight] * 3 and ffmpeg == [sample] * 3
for name, channels, bits, wanted in (("RGBA", 4, 16, [0] * 4), ("grey and alpha", 2, 16, [0] * 2),
                                     ("RGB", 3, 9, [0] * 3), ("RGB", 3, 12, [0] * 3), ("grey", 1, 16, [65535])):
    pillow = by_pillow(jpeg2000(channels, bits, (1 << bits) - 1))
    print(f"white in {name} with {bits} bits: Pillow {pillow}")
    as_described &= pillow == wanted
sys.exit(0 if as_described else 1)
PY
