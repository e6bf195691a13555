"""The peers from PyPI in a process of their own, with the protocol of BenchmarkProgram.

Imports a library when its first task is named, so that a missing one fails only its own rows."""

import functools
import io
import json
import sys
import time


def pil():
    import PIL.Image
    PIL.Image.MAX_IMAGE_PIXELS = None
    return PIL.Image


@functools.cache
def file(path):
    with open(path, "rb") as opened:
        return opened.read()


@functools.cache
def rgba(path, width, height):
    return pil().frombytes("RGBA", (int(width), int(height)), file(path))


@functools.cache
def premultiplied(path, width, height):
    return rgba(path, width, height).convert("RGBa")


@functools.cache
def array(path, width, height):
    import cv2
    import numpy
    cv2.setNumThreads(1)
    return numpy.array(premultiplied(path, width, height))


@functools.cache
def vips_image(path, width, height):
    import pyvips
    return pyvips.Image.new_from_memory(
        premultiplied(path, width, height).tobytes(), int(width), int(height), 4, "uchar")


@functools.cache
def opened(path):
    """Decoded pixels, to be encoded."""
    image = pil().open(path)
    return image.convert("RGB")


# Decoding


def pillow_decode(path):
    image = pil().open(io.BytesIO(file(path)))
    image.load()
    return image


def pillow_draft(path, side):
    image = pil().open(io.BytesIO(file(path)))
    # Calls `draft`, so that libjpeg decodes at a reduced size.
    image.thumbnail((int(side), int(side)), pil().LANCZOS)
    return image


def pillow_full(path, side):
    image = pillow_decode(path)
    scale = int(side) / max(image.size)
    return image.resize([max(1, round(length * scale)) for length in image.size], pil().LANCZOS)


def vips_thumbnail(path, side):
    import pyvips
    image = pyvips.Image.thumbnail_buffer(file(path), int(side), height=int(side))
    return image.width, image.height, image.write_to_memory()


def simplejpeg_thumbnail(path, side):
    import simplejpeg
    height, width = simplejpeg.decode_jpeg_header(file(path))[:2]
    scale = int(side) / max(width, height)
    pixels = simplejpeg.decode_jpeg(
        file(path), min_height=round(height * scale), min_width=round(width * scale), min_factor=1)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return pil().fromarray(pixels).resize(size, pil().LANCZOS)


def pyspng_decode(path):
    import pyspng
    return pyspng.load(file(path))


def cv2_decode(path):
    import cv2
    import numpy
    cv2.setNumThreads(1)
    return cv2.imdecode(numpy.frombuffer(file(path), numpy.uint8), cv2.IMREAD_UNCHANGED)


# Encoding


def pillow_encode(path, kind, *options):
    out = io.BytesIO()
    opened(path).save(out, kind, **{name: int(value) for name, value in (word.split("=") for word in options)})
    return out.getvalue()


def cv2_png(path, level):
    import cv2
    import numpy
    cv2.setNumThreads(1)
    return bytes(cv2.imencode(".png", numpy.asarray(opened(path)), [cv2.IMWRITE_PNG_COMPRESSION, int(level)])[1])


def vips_transcode(path, width, quality):
    import pyvips
    return pyvips.Image.thumbnail_buffer(file(path), int(width)).jpegsave_buffer(Q=int(quality))


def pillow_transcode(path, width, quality):
    image = pil().open(io.BytesIO(file(path)))
    image.thumbnail((int(width), 1 << 20), pil().LANCZOS)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=int(quality))
    return out.getvalue()


# Transforms


def colors(image, work):
    """Applies `work` to the colours only."""
    result = work(image.convert("RGB")).convert("RGBA")
    result.putalpha(image.getchannel("A"))
    return result


def pillow_transform(path, width, height, name):
    from PIL import ImageFilter, ImageOps
    image, size = rgba(path, width, height), (int(width), int(height))
    modes = pil()
    grey = (0.213, 0.715, 0.072, 0)
    sepia = (0.393, 0.769, 0.189, 0, 0.349, 0.686, 0.168, 0, 0.272, 0.534, 0.131, 0)

    def premultiply_and(work):
        return work(premultiplied(path, width, height))

    return {
        # Pillow premultiplies images with alpha itself.
        "resize": lambda: image.resize((320, 240), modes.LANCZOS),
        "halve": lambda: image.resize((2048, 1536), modes.LANCZOS),
        "blur2": lambda: premultiply_and(lambda it: it.filter(ImageFilter.GaussianBlur(2))),
        "blur30": lambda: premultiply_and(lambda it: it.filter(ImageFilter.GaussianBlur(30))),
        "blur64": lambda: premultiply_and(lambda it: it.filter(ImageFilter.GaussianBlur(64))),
        "sharpen": lambda: premultiply_and(lambda it: it.filter(ImageFilter.UnsharpMask(2, 100, 0))),
        "rotate30": lambda: premultiply_and(lambda it: it.rotate(30, modes.BILINEAR, expand=True)),
        "rotate90": lambda: image.transpose(modes.ROTATE_90),
        "flip": lambda: image.transpose(modes.FLIP_LEFT_RIGHT),
        "crop": lambda: image.crop((500, 400, 2500, 1900)),
        "grey": lambda: colors(image, lambda it: it.convert("RGB", grey * 3)),
        "sepia": lambda: colors(image, lambda it: it.convert("RGB", sepia)),
        "invert": lambda: colors(image, ImageOps.invert),
        "flatten": lambda: modes.alpha_composite(modes.new("RGBA", size, "white"), image),
        "premultiply": lambda: image.convert("RGBa"),
        "unpremultiply": lambda: premultiply_and(lambda it: it.convert("RGBA")),
    }[name]()


def vips_transform(path, width, height, name):
    image = vips_image(path, width, height)
    result = {
        "resize": lambda: image.resize(320 / int(width), kernel="lanczos3"),
        "halve": lambda: image.resize(2048 / int(width), kernel="lanczos3"),
        "blur30": lambda: image.gaussblur(30),
    }[name]()
    return result.width, result.height, result.write_to_memory()


def cv2_transform(path, width, height, name):
    import cv2
    image = array(path, width, height)
    return {
        "resize": lambda: cv2.resize(image, (320, 240), interpolation=cv2.INTER_AREA),
        "blur2": lambda: cv2.GaussianBlur(image, (0, 0), 2),
        "blur30": lambda: cv2.GaussianBlur(image, (0, 0), 30),
    }[name]()


# Animations


def pillow_play(path):
    from PIL import ImageSequence
    with pil().open(io.BytesIO(file(path))) as image:
        return [frame.convert("RGBA") for frame in ImageSequence.Iterator(image)]


def av_play(path):
    import av
    with av.open(io.BytesIO(file(path))) as container:
        container.streams.video[0].thread_count = 1
        return [frame.to_ndarray(format="rgba") for frame in container.decode(video=0)]


TASKS = {
    name: task for name, task in list(globals().items())
    if name.split("_")[0] in ("pillow", "vips", "simplejpeg", "pyspng", "cv2", "av") and callable(task)
    and not name.endswith("_image")}


def straight(result):
    """Returns the size and the straight RGBA rows of a result."""
    if isinstance(result, list):
        parts = [straight(frame) for frame in result]
        return parts[0][0], sum(part[1] for part in parts), b"".join(part[2] for part in parts)
    if isinstance(result, tuple):
        width, height, rows = result
        mode = "RGBa" if len(rows) == 4 * width * height else "RGB"
        return straight(pil().frombytes(mode, (width, height), rows))
    if hasattr(result, "shape"):
        return straight(pil().fromarray(result))
    result = result.convert("RGBA")
    return *result.size, result.tobytes()


def answer(command, task, side, *arguments):
    work = TASKS[task]
    if command == "measure":
        count, arguments = int(arguments[0]), arguments[1:]
        start, used = time.perf_counter(), time.process_time()
        for _ in range(count):
            work(*arguments)
        return {"wall": (time.perf_counter() - start) / count, "processor": (time.process_time() - used) / count}
    path, arguments = arguments[0], arguments[1:]
    result = work(*arguments)
    width, height, rows = (0, 0, result) if isinstance(result, bytes) else straight(result)
    with open(path, "wb") as out:
        out.write(rows)
    return {"width": width, "height": height}


def main():
    for line in sys.stdin:
        try:
            said = answer(*line.rstrip("\n").split("\t"))
        except Exception as error:  # Whatever a library throws fails one row.
            said = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(said), flush=True)


main()
