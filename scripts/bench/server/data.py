"""Makes the images of the load profiles: photographs with natural spectra, as JPEG, PNG and WebP.

    data.py FOLDER COUNT

The spectrum of a photograph falls with the frequency. Its slope is chosen so that a JPEG of 512 pixels at quality 80 has
about 42 KB, as the photographs of published measurements have. Images of the same number are the same in every format.
"""

import io
import pathlib
import sys

import numpy
from PIL import Image, ImageDraw, ImageFilter

SIZE = (2040, 1356)


def plane(random, slope, detail):
    """Returns noise between 0 and 1, whose amplitude falls with the frequency to the power of `slope`."""
    width, height = SIZE
    frequencies = numpy.hypot(numpy.fft.fftfreq(height)[:, None], numpy.fft.rfftfreq(width)[None, :])
    frequencies[0, 0] = 1
    spectrum = numpy.fft.rfft2(random.standard_normal((height, width))) / frequencies**slope
    values = numpy.fft.irfft2(spectrum, s=(height, width))
    return numpy.clip(0.5 + detail * values / values.std() / 4, 0, 1)


def photograph(number):
    """Returns noise with large shapes, whose edges a spectrum alone does not have."""
    random = numpy.random.default_rng(number)
    luma = plane(random, 1.15, 1.0)
    tint = [plane(random, 1.8, 0.5) - 0.5 for _ in range(2)]
    planes = (luma + 0.7 * tint[0], luma - 0.3 * tint[0] - 0.3 * tint[1], luma + 0.7 * tint[1])
    rgb = numpy.stack([numpy.clip(255 * plane, 0, 255) for plane in planes], axis=-1)
    image = Image.fromarray(rgb.astype(numpy.uint8))
    shapes = Image.new("L", SIZE, 128)
    draw = ImageDraw.Draw(shapes)
    for _ in range(40):
        x, y = random.integers(0, SIZE[0]), random.integers(0, SIZE[1])
        width, height = random.integers(40, 500, 2)
        draw.ellipse((x, y, x + width, y + height), fill=int(random.integers(60, 200)))
    shapes = shapes.filter(ImageFilter.GaussianBlur(1.5))
    return Image.blend(image, shapes.convert("RGB"), 0.4)


def thumbnail_bytes(image):
    """Returns the size of the thumbnail that most servers would send."""
    small = image.copy()
    small.thumbnail((512, 512), Image.Resampling.LANCZOS)
    output = io.BytesIO()
    small.save(output, "JPEG", quality=80)
    return len(output.getvalue())


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    total = 0
    for number in range(count):
        image = photograph(number)
        total += thumbnail_bytes(image)
        image.save(folder / f"{number}.jpg", quality=90)
        image.save(folder / f"{number}.png", compress_level=3)
        image.save(folder / f"{number}.webp", quality=90, method=2)
    print(f"{count} photographs of {SIZE[0]}×{SIZE[1]}; thumbnails of 512 pixels have {total // count} bytes")


if __name__ == "__main__":
    main()
