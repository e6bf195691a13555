#!/bin/bash
# ExifTool and piexif take the transparency from a WebP when they add Exif data
#
# A lossless WebP without metadata has no header of its own: the image chunk tells the
# size, and in one bit whether there is alpha. To add Exif data, a program has to put an
# extended header (VP8X) in front, and to repeat that bit in it as a flag. ExifTool
# 12.57 repeats it for lossy images, but not for lossless ones. libvips and OpenCV
# believe the flag and show the image opaque, with whatever colours the transparent
# pixels have; Pillow, dwebp and FFmpeg look at the image itself. piexif 1.1.3 is right
# for stills, but of an animation it writes the new header without the flag and puts the
# Exif data in front of the frames; even Pillow then shows it opaque. Exiv2 gets all of
# them right. A good guess is that an editor of metadata, which says that it does not
# touch the pixels, leaves the look of an image as it is. An image loader that keeps
# metadata has to write that flag, too, and reads files that lack it.
#
# Seen with ExifTool 12.57 (libimage-exiftool-perl 12.57+dfsg-1), piexif 1.1.3, pyexiv2
# 2.16.0, Pillow 13.0.0, pyvips-binary 8.18.7 and opencv-python-headless 5.0.0.93, for
# images with alpha (channels that each reader finds):
#   still      ExifTool  flag no   Pillow 4  libvips 3  OpenCV 3
#   still      piexif    flag yes  Pillow 4  libvips 4  OpenCV 4
#   still      Exiv2     flag yes  Pillow 4  libvips 4  OpenCV 4
#   animation  ExifTool  flag yes  Pillow 4  libvips 4  OpenCV 4
#   animation  piexif    flag no   Pillow 3  libvips 4  OpenCV 3
#   animation  Exiv2     flag yes  Pillow 4  libvips 4  OpenCV 4
#
# Exit status: 0 as described, 1 other behaviour, 2 other version. It unpacks ExifTool in
# a temporary folder and installs nothing.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
chmod 755 .
apt-get download -qq libimage-exiftool-perl 2>download.log ||
    { apt-get update -qq && apt-get download -qq libimage-exiftool-perl; } || { cat download.log; exit 1; }
version=$(dpkg-deb -f libimage-exiftool-perl_*.deb Version)
echo "libimage-exiftool-perl $version"
[[ $version == 12.57+dfsg-1* ]] || exit 2
dpkg-deb -x libimage-exiftool-perl_*.deb root
export PERL5LIB=$work/root/usr/share/perl5
python3 -m venv --without-pip venv
python3 -m pip --python venv/bin/python install --quiet --no-compile --disable-pip-version-check \
    pillow==13.0.0 numpy==2.4.6 opencv-python-headless==5.0.0.93 pyvips==3.2.0 pyvips-binary==8.18.7 \
    piexif==1.1.3 pyexiv2==2.16.0
venv/bin/python - <<'PY'
import io, shutil, subprocess, sys
import cv2, numpy, piexif, PIL, pyexiv2, pyvips
from PIL import Image

versions = PIL.__version__, cv2.__version__, piexif.VERSION, pyexiv2.__version__, [pyvips.version(n) for n in range(3)]
print("versions", *versions)
if versions != ("13.0.0", "5.0.0", "1.1.3", "2.16.0", [8, 18, 7]):
    sys.exit(2)

def by_exiftool(path):
    subprocess.run(["root/usr/bin/exiftool", "-q", "-overwrite_original", "-n", "-Orientation=1", path], check=True)

def by_piexif(path):
    piexif.insert(piexif.dump({"0th": {piexif.ImageIFD.Orientation: 1}}), path)

def by_exiv2(path):
    with pyexiv2.Image(path) as image:
        image.modify_exif({"Exif.Image.Orientation": 1})

def channels(path):
    with open(path, "rb") as file:
        data = file.read()
    array = numpy.frombuffer(data, numpy.uint8)
    if data.find(b"ANMF") < 0:
        opencv = cv2.imdecode(array, cv2.IMREAD_UNCHANGED)
    else:
        opencv = cv2.imdecodeanimation(array)[1].frames[0]
    return (bool(data[20] & 0x10), len(Image.open(io.BytesIO(data)).getbands()),
            pyvips.Image.new_from_buffer(data, "").bands, opencv.shape[2])

first = numpy.zeros((40, 60, 4), numpy.uint8)
first[..., 0], first[:, 30:, 3] = 200, 255
frames = [Image.fromarray(first), Image.fromarray(first[::-1, ::-1].copy())]
frames[0].save("still", "WEBP", lossless=True, exact=True)
frames[0].save("animation", "WEBP", lossless=True, save_all=True, append_images=frames[1:], duration=100)
as_described = channels("animation") == (True, 4, 4, 4)
losing = {("still", "ExifTool"): (False, 4, 3, 3), ("animation", "piexif"): (False, 3, 4, 3)}
for kind in "still", "animation":
    for name, edit in ("ExifTool", by_exiftool), ("piexif", by_piexif), ("Exiv2", by_exiv2):
        shutil.copy(kind, "edited.webp")
        edit("edited.webp")
        flag, pillow, vips, opencv = found = channels("edited.webp")
        print(f"{kind:10} {name:9} flag {'yes' if flag else 'no':3}  Pillow {pillow}  libvips {vips}  OpenCV {opencv}")
        as_described &= found == losing.get((kind, name), (True, 4, 4, 4))
sys.exit(0 if as_described else 1)
PY
