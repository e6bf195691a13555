"""Compares results with the best that can be had of their sources: Lanczos of the whole image, without loss."""

import functools
import io
import pathlib
import re
import tempfile

import ssimulacra2
from PIL import Image


@functools.lru_cache(maxsize=64)
def reference(path, size):
    with Image.open(path) as image:
        return image.convert("RGB").resize(size, Image.Resampling.LANCZOS)


def mean_score(data, results):
    """Returns the mean SSIMULACRA 2 of pairs of a request's path, which ends with a name in `data`, and its result."""
    scores = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, result in results:
            image = Image.open(io.BytesIO(result)).convert("RGB")
            file = re.search(r"(\d+\.(jpg|png|webp))[^/]*$", path)[1]
            reference(data / file, image.size).save(folder / "reference.png")
            image.save(folder / "result.png")
            scores.append(ssimulacra2.compute_ssimulacra2(str(folder / "reference.png"), str(folder / "result.png")))
    return sum(scores) / len(scores)
