#!/bin/bash
# An embedded image is drawn or not by its label, and no two SVG libraries agree
#
# Browsers look at the bytes of an image in a data: URL of an SVG, whatever media type
# precedes them. Design tools write wrong types, so one expects libraries to look at the
# bytes too, or at least those to be strict that refuse what is not registered. Neither
# holds. librsvg and resvg believe the type: a JPEG labelled as PNG is drawn as nothing,
# without an error; but both take image/jpg, which no registry has. MuPDF is the other
# way round: it draws a JPEG labelled as PNG, because it looks at the bytes once it
# knows one of two types, and ignores image/jpg. CairoSVG hands the bytes to Pillow and
# draws everything. The result is transparent in each case, not an error, so a batch
# that rasterizes SVGs loses photos without a word.
#
# Seen with librsvg in libvips 8.18.7 (pyvips-binary), resvg-py 0.5.0, PyMuPDF 2.0 and
# CairoSVG 2.9.1:
#   librsvg: image/jpeg drawn, image/jpg drawn, image/png nothing
#   resvg: image/jpeg drawn, image/jpg drawn, image/png nothing
#   MuPDF: image/jpeg drawn, image/jpg nothing, image/png drawn
#   CairoSVG: image/jpeg drawn, image/jpg drawn, image/png drawn
#
# Exit status: 0 as described, 1 other behaviour, 2 other version.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv --without-pip "$work/venv"
python3 -m pip --python "$work/venv/bin/python" install --quiet --no-compile --disable-pip-version-check \
    pillow==12.0.0 pyvips==3.2.0 pyvips-binary==8.18.7 resvg-py==0.5.0 pymupdf==2.0 cairosvg==2.9.1
"$work/venv/bin/python" - <<'PY'
import base64, io, sys
from importlib.metadata import version
import cairosvg, pymupdf, pyvips, resvg_py
from PIL import Image

wanted = {"pyvips-binary": "8.18.7", "resvg-py": "0.5.0", "pymupdf": "2.0", "cairosvg": "2.9.1"}
found = {name: version(name) for name in wanted}
print(*(f"{name} {number}" for name, number in found.items()))
if found != wanted:
    sys.exit(2)
pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)

photo = io.BytesIO()
Image.new("RGB", (8, 8), (200, 30, 40)).save(photo, "JPEG")

def document(label):
    url = f"data:{label};base64,{base64.b64encode(photo.getvalue()).decode()}"
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="8" height="8">'
        f'<image width="8" height="8" href="{url}" xlink:href="{url}"/></svg>')

libraries = {
    "librsvg": lambda text: pyvips.Image.svgload_buffer(text.encode()).write_to_buffer(".png"),
    "resvg": lambda text: bytes(resvg_py.svg_to_bytes(svg_string=text)),
    "MuPDF": lambda text: pymupdf.open(stream=text.encode(), filetype="svg")[0].get_pixmap(alpha=True).tobytes("png"),
    "CairoSVG": lambda text: cairosvg.svg2png(bytestring=text.encode()),
}
labels = ["image/jpeg", "image/jpg", "image/png"]
result = {}
for name, draw in libraries.items():
    pixels = [Image.open(io.BytesIO(draw(document(label)))).convert("RGBA").getpixel((4, 4)) for label in labels]
    result[name] = [pixel[3] > 0 for pixel in pixels]
    print(f"{name}:", ", ".join(
        f"{label} {'drawn' if drawn else 'nothing'}" for label, drawn in zip(labels, result[name])))
believing = [True, True, False]
sys.exit(0 if result == {
    "librsvg": believing, "resvg": believing, "MuPDF": [True, False, True], "CairoSVG": [True, True, True]} else 1)
PY
