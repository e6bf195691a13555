"""Compares a result of ours with that of a peer. Each check raises `Wrong`, or returns what it found."""

import functools
import io

import numpy
from PIL import Image, ImageOps

Image.MAX_IMAGE_PIXELS = None


class Wrong(Exception):
    """A result is not what it must be."""


def pixels(side, bench):
    """Returns the premultiplied pixels that a side makes."""
    path = bench.folder / "pixels"
    width, height = side.write(bench, path)
    return Image.frombytes("RGBA", (width, height), path.read_bytes())


def _premultiplied(image):
    return numpy.asarray(image.convert("RGBa")).astype(numpy.int16)


def same(ours, peer, most=0, mean=0.0, crop=0):
    """Both sides make the same pixels: the largest and the mean difference of premultiplied channels are bounded."""
    return functools.partial(_same, ours, peer, most, mean, crop)


def _same(ours, peer, most, mean, crop, bench):
    first, second = pixels(ours, bench), pixels(peer, bench)
    if first.size != second.size:
        # Pillow rounds the size of rotated images differently.
        if any(abs(a - b) > crop for a, b in zip(first.size, second.size)):
            raise Wrong(f"{first.size} instead of {second.size} pixels")
        size = tuple(map(min, first.size, second.size))
        first, second = (ImageOps.fit(image, size) for image in (first, second))
    difference = numpy.abs(_premultiplied(first) - _premultiplied(second))
    found = f"differs by at most {difference.max()} of 255, {difference.mean():.3f} on average"
    if difference.max() > most or difference.mean() > mean:
        raise Wrong(found)
    return found


def as_good(ours, peer, file, slack=0.3):
    """A thumbnail is as near to the whole image, reduced with Lanczos, as that of the peer: PSNR in dB."""
    return functools.partial(_as_good, ours, peer, file, slack)


def _as_good(ours, peer, file, slack, bench):
    image = Image.open(bench.name(file)).convert("RGB")
    scores = []
    for side in (ours, peer):
        made = pixels(side, bench).convert("RGB")
        reference = numpy.asarray(image.resize(made.size, Image.LANCZOS)).astype(float)
        scores.append(_psnr(reference, numpy.asarray(made)))
    found = f"PSNR {scores[0]:.1f} dB, the peer {scores[1]:.1f} dB"
    if scores[0] < min(scores[1] - slack, 45):
        raise Wrong(found)
    return found


def _psnr(reference, pixels_):
    error = ((reference - pixels_) ** 2).mean()
    return 99.0 if error == 0 else 10 * numpy.log10(255 ** 2 / error)


def lossless(side, file, larger=1.0, than=None):
    """An encoded file has exactly the pixels of its source, and at most `larger` times the bytes of another side's."""
    return functools.partial(_lossless, side, file, larger, than)


def _lossless(side, file, larger, than, bench):
    sizes = []
    for each in (side, than) if than else (side,):
        path = bench.folder / "encoded"
        each.write(bench, path)
        sizes.append(path.stat().st_size)
        made, source = (Image.open(io.BytesIO(bytes_)).convert("RGBA")
                        for bytes_ in (path.read_bytes(), bench.name(file).read_bytes()))
        if made.size != source.size or (numpy.asarray(made) != numpy.asarray(source)).any():
            raise Wrong("other pixels than the source's")
    if not than:
        return "the pixels of the source"
    found = f"the pixels of the source; {sizes[0] / sizes[1]:.3f} times the bytes"
    if sizes[0] > larger * sizes[1]:
        raise Wrong(found)
    return found


def like_source(ours, peer, file, slack=0.5):
    """A smaller JPEG is as near to its source as that of the peer, and at most 5 % larger."""
    return functools.partial(_like_source, ours, peer, file, slack)


def _like_source(ours, peer, file, slack, bench):
    image = Image.open(bench.name(file)).convert("RGB")
    scores, sizes = [], []
    for side in (ours, peer):
        path = bench.folder / "encoded"
        side.write(bench, path)
        made = Image.open(io.BytesIO(path.read_bytes())).convert("RGB")
        sizes.append(path.stat().st_size)
        scores.append(_psnr(numpy.asarray(image.resize(made.size, Image.LANCZOS)).astype(float), numpy.asarray(made)))
    found = f"PSNR {scores[0]:.1f} dB with {sizes[0]} bytes, the peer {scores[1]:.1f} dB with {sizes[1]}"
    if scores[0] < scores[1] - slack or sizes[0] > 1.05 * sizes[1]:
        raise Wrong(found)
    return found


def values(*expected):
    """Numbers of BenchmarkProgram are what they must be: tuples of a row, a name, arguments and the number."""
    return functools.partial(_values, expected)


def _values(expected, bench):
    for row, name, arguments, number in expected:
        found = bench.ours.value(row, name, *bench.named(arguments))
        if found != number:
            raise Wrong(f"{name}: {found:g} instead of {number:g}")
    return ", ".join(f"{number:g} {name}" for _, name, _, number in expected)
