"""The measurements of scripts/bench/measure-decoder-memory, which passes the path of `tintype`."""

import pathlib
import resource
import subprocess
import sys
import tempfile

from PIL import Image

SAMPLE = pathlib.Path(__file__).parents[2] / "Sources/CTintypeSamples/Samples/mountains.jpg"
SIDE = (4000, 3000)
PIXELS = SIDE[0] * SIDE[1]


def peak(command):
    """Returns the peak memory of a process in bytes."""
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);" \
             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    out = subprocess.run([sys.executable, "-c", script, *map(str, command)], check=True, capture_output=True, text=True)
    return int(out.stdout) * 1024


def samples(folder, tintype):
    """Writes an image of 12 megapixels in each variant whose memory differs. Yields names and files."""
    photo = Image.open(SAMPLE).convert("RGB").resize(SIDE, Image.BICUBIC)
    alpha = photo.copy()
    alpha.putalpha(photo.convert("L"))
    clear = Image.new("RGBA", SIDE, (0, 0, 0, 0))

    def saved(name, image, suffix, **options):
        path = folder / f"{name.replace(' ', '-').replace('/', '-')}.{suffix}"
        image.save(path, **options)
        return name, path

    def converted(name, source, suffix, *options):
        path = folder / f"{name.replace(' ', '-')}.{suffix}"
        subprocess.run([tintype, "convert", source, path, *options], check=True, stdout=subprocess.DEVNULL)
        return name, path

    yield saved("JPEG baseline", photo, "jpg", quality=90)
    yield saved("JPEG progressive 4:2:0", photo, "jpg", quality=90, progressive=True)
    yield saved("JPEG progressive 4:4:4", photo, "jpg", quality=90, progressive=True, subsampling=0)
    yield saved("JPEG progressive CMYK", photo.convert("CMYK"), "jpg", quality=90, progressive=True, subsampling=0)
    source = saved("PNG", alpha, "png", compress_level=1)
    yield source
    yield saved("PNG 16 bits grey", photo.convert("I;16"), "png", compress_level=1)
    yield saved("GIF", photo.quantize(256), "gif")
    yield saved("WebP lossy", photo, "webp", quality=85, method=1)
    yield saved("WebP lossy alpha", alpha, "webp", quality=85, method=1)
    yield saved("WebP lossless", alpha, "webp", lossless=True, method=0, quality=10)
    yield saved("TIFF LZW", alpha, "tiff", compression="tiff_lzw")
    yield saved("TIFF RGBA, one strip", alpha, "tiff", tiffinfo={278: SIDE[1]})
    yield saved("BMP", photo, "bmp")
    opaque = saved("opaque", photo, "png", compress_level=1)[1]
    empty = saved("empty", clear, "png", compress_level=1)[1]
    for form in ("avif", "heic", "jxl"):
        yield converted(f"{form.upper()} lossy", opaque, form, "--quality", "80")
        yield converted(f"{form.upper()} lossy alpha", source[1], form, "--quality", "80")
    yield converted("JXL lossless", opaque, "jxl", "--quality", "100")
    yield converted("JXL lossless alpha", source[1], "jxl", "--quality", "100")
    yield converted("JXL lossless transparent", empty, "jxl", "--quality", "100")


def main(tintype):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tiny = folder / "tiny.png"
        Image.new("RGB", (1, 1)).save(tiny)
        for name, path in samples(folder, tintype):
            # The same process with a small image, and the file itself, are not the decoder's.
            idle = peak([tintype, "fetch", "--no-cache", tiny])
            used = peak([tintype, "fetch", "--no-cache", path]) - idle - path.stat().st_size
            print(f"| {name} | {used / PIXELS:.1f} |", flush=True)


main(sys.argv[1])
