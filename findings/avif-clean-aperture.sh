#!/bin/bash
# libheif shows the crop in an AVIF, readers on libavif and FFmpeg ignore it
#
# An AVIF can say that only a rectangle of its pixels is to be shown: the clean aperture
# (clap). MIAF (ISO/IEC 23000-22) asks readers to support it like rotation, and marks it
# as essential, so that a reader which does not know it has to refuse the image; avifenc
# writes it for --crop. libvips, which decodes with libheif, shows the rectangle.
# Pillow, OpenCV, imagecodecs and FFmpeg read the rest of the same file the same way,
# but give all coded pixels, without an error: another size, another image, and what the
# crop was to hide is visible. For Pillow, OpenCV and imagecodecs the reason is libavif:
# it hands out the rectangle and leaves the cropping to its caller. A good guess is that
# support for AVIF in 2026 includes what the format calls essential. An image loader on
# libavif has to crop by itself, and must not believe the size in ispe.
#
# Seen with pyvips-binary 8.18.7, Pillow 13.0.0, opencv-python-headless 5.0.0.93,
# imagecodecs 2026.3.6 and PyAV 18.1.0 (libavcodec 62.28.102), CPython 3.11 on x86-64, for
# an image of 64x64 pixels with a clean aperture of 48x32:
#   libvips (48, 32)
#   Pillow (64, 64)
#   OpenCV (64, 64)
#   imagecodecs (64, 64)
#   FFmpeg (64, 64)
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 opencv-python-headless==5.0.0.93 av==18.1.0 pyvips==3.2.0 pyvips-binary==8.18.7 \
    imagecodecs==2026.3.6
"$work/venv/bin/python" - <<'PY'
import io, struct, sys
import av, cv2, imagecodecs, numpy, PIL, pyvips
from PIL import Image

versions = ([pyvips.version(part) for part in range(3)], PIL.__version__, cv2.__version__, imagecodecs.__version__,
            av.__version__, av.library_versions["libavcodec"])
print("versions", *versions)
if versions != ([8, 18, 7], "13.0.0", "5.0.0", "2026.3.6", "18.1.0", (62, 28, 102)):
    sys.exit(2)

SIDE, APERTURE = 64, (48, 32)

def box(data, path, start=0, end=None):
    """The position and length of a box, by the names of its parents and its own."""
    end = len(data) if end is None else end
    while start < end:
        length, kind = struct.unpack_from(">I4s", data, start)
        if kind == path[0]:
            if len(path) == 1:
                return start, length
            return box(data, path[1:], start + (12 if kind == b"meta" else 8), start + length)
        start += length
    raise KeyError(path[0])

def with_clean_aperture(data):
    """The same AVIF with one more property, associated with its only item."""
    clap = struct.pack(">I4s8i", 40, b"clap", APERTURE[0], 1, APERTURE[1], 1, 0, 1, 0, 1)
    parents = [b"meta"], [b"meta", b"iprp"]
    properties, length = box(data, [b"meta", b"iprp", b"ipco"])
    count, position = 0, properties + 8
    while position < properties + length:
        position += struct.unpack_from(">I", data, position)[0]
        count += 1
    links, links_length = box(data, [b"meta", b"iprp", b"ipma"])
    version, entries = struct.unpack_from(">II", data, links + 8)
    places, places_length = box(data, [b"meta", b"iloc"])
    pixels = (box(data, [b"mdat"])[0] + 8).to_bytes(4, "big")
    if (version, entries) != (0, 1) or data.count(pixels, places, places + places_length) != 1:
        raise ValueError("the file is not built as expected")
    result = bytearray(data)
    moved = (int.from_bytes(pixels, "big") + len(clap) + 1).to_bytes(4, "big")
    result[places:places + places_length] = result[places:places + places_length].replace(pixels, moved)
    for start, size, more in [(*box(data, path), len(clap) + 1) for path in parents] + [
            (properties, length, len(clap)), (links, links_length, 1)]:
        struct.pack_into(">I", result, start, size + more)
    result[links + 18] += 1
    # The highest bit says that the property is essential.
    result[links + links_length:links + links_length] = bytes([0x80 | count + 1])
    result[properties + length:properties + length] = clap
    return bytes(result)

def readings(data):
    array, vips = numpy.frombuffer(data, numpy.uint8), pyvips.Image.new_from_buffer(data, "")
    pillow = Image.open(io.BytesIO(data))
    pillow.load()
    with av.open(io.BytesIO(data)) as file:
        frame = next(file.decode(video=0))
    return {"libvips": (vips.width, vips.height), "Pillow": pillow.size,
            "OpenCV": cv2.imdecode(array, cv2.IMREAD_COLOR).shape[1::-1],
            "imagecodecs": imagecodecs.avif_decode(data).shape[1::-1], "FFmpeg": (frame.width, frame.height)}

file = io.BytesIO()
Image.new("RGB", (SIDE, SIDE), "red").save(file, "AVIF")
plain, cropped = readings(file.getvalue()), readings(with_clean_aperture(file.getvalue()))
for reader, size in cropped.items():
    print(reader, size)
whole = dict.fromkeys(plain, (SIDE, SIDE))
sys.exit(0 if plain == whole and cropped == whole | {"libvips": APERTURE} else 1)
PY
