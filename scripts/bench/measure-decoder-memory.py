"""The measurements of scripts/bench/measure-decoder-memory, which passes the paths of `tintype` and of DecodeMemory."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import memory_samples
from PIL import Image

SAMPLE = pathlib.Path(__file__).parents[2] / "Sources/CTintypeSamples/Samples/mountains.jpg"
SIDE = (4000, 3000)
PIXELS = SIDE[0] * SIDE[1]


# The samples that also have previews, and of which a damaged file shows a part.
PARTIAL = ("JPEG baseline", "JPEG progressive 4:2:0", "JPEG progressive 4:4:4", "PNG", "WebP lossy", "WebP lossy alpha")


def peak(decoder, path, mode="standard"):
    """Returns the peak memory of a process that decodes a file at full size, in bytes."""
    out = subprocess.run([decoder, path, mode], check=True, capture_output=True, text=True)
    return int(out.stdout)


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

    def written(name, write, suffix, **options):
        path = folder / f"{name.replace(' ', '-')}.{suffix}"
        write(path, SIDE, **options)
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
    yield saved("TIFF LZW, one strip", alpha, "tiff", compression="tiff_lzw", tiffinfo={278: SIDE[1]})
    yield saved("BMP", photo, "bmp")
    yield written("PNG 16 bits interlaced, PQ", memory_samples.wide_png, "png",
                  chunks=[(b"cICP", bytes((9, 16, 0, 1)))])
    yield written("BMP with run lengths", memory_samples.run_length_bmp, "bmp")
    yield written("ICO", memory_samples.icon, "ico")
    opaque = saved("opaque", photo, "png", compress_level=1)[1]
    empty = saved("empty", clear, "png", compress_level=1)[1]
    for form in ("avif", "heic", "jxl"):
        yield converted(f"{form.upper()} lossy", opaque, form, "--quality", "80")
        yield converted(f"{form.upper()} lossy alpha", source[1], form, "--quality", "80")
    yield converted("JXL lossless", opaque, "jxl", "--quality", "100")
    yield converted("JXL lossless alpha", source[1], "jxl", "--quality", "100")
    yield converted("JXL lossless transparent", empty, "jxl", "--quality", "100")


def wide_samples(folder):
    """Writes images with a high range. Yields names and files."""
    photo = Image.open(SAMPLE).convert("RGB").resize(SIDE, Image.BICUBIC)

    def written(name, write, suffix, *arguments, **options):
        path = folder / f"{name.replace(' ', '-')}.{suffix}"
        write(path, *arguments, **options)
        return name, path

    yield written("PNG 16 bits interlaced", memory_samples.wide_png, "png", SIDE)
    yield written("TIFF 16 bits", memory_samples.wide_tiff, "tiff", SIDE)
    small = (SIDE[0] // 10, SIDE[1] // 10)
    yield written("JPEG with a small gain map", memory_samples.gain_mapped_jpeg, "jpg", photo, small)
    yield written("JPEG with a gain map of its size", memory_samples.gain_mapped_jpeg, "jpg", photo, SIDE)
    if shutil.which("avifenc"):
        source, path = folder / "source.png", folder / "ten-bits.avif"
        photo.save(source, compress_level=1)
        subprocess.run(["avifenc", "--depth", "10", "--speed", "10", source, path], check=True,
                       stdout=subprocess.DEVNULL)
        yield "AVIF 10 bits", path


def main(tintype, decoder):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tiny = folder / "tiny.png"
        Image.new("RGB", (1, 1)).save(tiny)
        # The same process with a small image, and the file itself, are not the decoder's.
        idle = peak(decoder, tiny)
        for name, path in samples(folder, tintype):
            for mode in ("standard", "preview", "salvage") if name in PARTIAL else ("standard",):
                used = peak(decoder, path, mode) - idle - path.stat().st_size
                print(f"| {name}{'' if mode == 'standard' else '; ' + mode} | {used / PIXELS:.1f} |", flush=True)
        for name, path in wide_samples(folder):
            used, high = (peak(decoder, path, mode) - idle - path.stat().st_size for mode in ("standard", "high"))
            print(f"| {name}; high range; in addition | {used / PIXELS:.1f} | {high / PIXELS:.1f} |"
                  f" {(high - used) / PIXELS:.1f} |", flush=True)


main(sys.argv[1], sys.argv[2])
