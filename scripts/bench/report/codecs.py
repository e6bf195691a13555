"""Rows C, A and X1: decoders, encoders, animations, and bombs."""

from . import checks
from .rows import Ours, Peer, Row, Value, value

PHOTO = "{folder}/photo.jpg"


def decode(file, side="ours"):
    return Ours("decode", side, ("{folder}/" + file,))


def play(file, side="ours"):
    return Ours("animation", side, ("{folder}/" + file,))


def encode(effort, side="ours"):
    return Ours("encode", side, ("{folder}/photo.png", "png", "100", str(effort)))


def peer(task, *arguments, simd=False):
    return Peer(task, arguments, simd)


THUMBNAIL = Ours("thumbnail", "ours", (PHOTO, "256"))
TRANSCODE = Ours("transcode", "ours", (PHOTO, "720", "80"))
VIPS, DRAFT = peer("vips_thumbnail", PHOTO, "256"), peer("pillow_draft", PHOTO, "256")


def decoder(id_, file, text, target, most=0, mean=0.0):
    """A decoder beside the library that it uses, with the pixels of Pillow."""
    path = "{folder}/" + file
    return Row(id_, text, decode(file), decode(file, "library"), "the bare library", target,
               check=checks.same(decode(file), peer("pillow_decode", path), most, mean))


def player(id_, file, text, peer_side, peer_name, target, needs=(), most=0):
    path = "{folder}/" + file
    return Row(id_, text, play(file), peer_side, peer_name, target, needs=needs,
               check=checks.same(play(file), peer("pillow_play", path), most, 1.0))


ROWS = [
    Row("C1", "12-megapixel JPEG to 256 pixels", THUMBNAIL, VIPS, "pyvips", 1 / 1.5,
        check=checks.as_good(THUMBNAIL, VIPS, PHOTO), needs=("pyvips",)),
    Row("C1 draft", "the same", THUMBNAIL, DRAFT, "Pillow with draft", 1 / 2.5,
        check=checks.as_good(THUMBNAIL, DRAFT, PHOTO)),
    Row("C1 full", "the same", THUMBNAIL, peer("pillow_full", PHOTO, "256"), "Pillow without draft", 1 / 10,
        check=checks.as_good(THUMBNAIL, peer("pillow_full", PHOTO, "256"), PHOTO, slack=3)),
    Row("C1 simplejpeg", "the same", THUMBNAIL, peer("simplejpeg_thumbnail", PHOTO, "256"),
        "simplejpeg, scaled, and Pillow", 1 / 1.5,
        check=checks.as_good(THUMBNAIL, peer("simplejpeg_thumbnail", PHOTO, "256"), PHOTO), needs=("simplejpeg",)),
    Row("C2", "12-megapixel JPEG to a JPEG of 720 pixels, quality 80", TRANSCODE,
        peer("vips_transcode", PHOTO, "720", "80"), "pyvips", 1 / 1.3,
        check=checks.like_source(TRANSCODE, peer("vips_transcode", PHOTO, "720", "80"), PHOTO), needs=("pyvips",)),
    Row("C2 Pillow-SIMD", "the same", TRANSCODE, peer("pillow_transcode", PHOTO, "720", "80", simd=True),
        "Pillow-SIMD with draft", 1 / 2,
        check=checks.like_source(TRANSCODE, peer("pillow_transcode", PHOTO, "720", "80"), PHOTO),
        needs=("pillow-simd",)),
    decoder("C4 photo", "photo.png", "PNG of a photograph, 12 megapixels", 1 / 2),
    decoder("C4 screen", "screen.png", "PNG of a screen, 3.7 megapixels", 1 / 1.7),
    Row("C4 pyspng", "PNG of a photograph, 12 megapixels", decode("photo.png"),
        peer("pyspng_decode", "{folder}/photo.png"), "libspng (pyspng)", 1.0, needs=("pyspng",)),
    Row("C4 OpenCV", "PNG of a photograph, 12 megapixels", decode("photo.png"),
        peer("cv2_decode", "{folder}/photo.png"), "OpenCV", 1.0, needs=("opencv-python-headless",)),
    Row("C4 encode", "PNG of a photograph written at level 6", encode(-1), encode(-1, "library"), "libpng at level 6",
        1 / 3, check=checks.lossless(encode(-1), "{folder}/photo.png", 1.01, encode(-1, "library"))),
    Row("C4 fast", "PNG of a photograph written at the lowest effort", encode(0), encode(-1, "library"),
        "libpng at level 6", 1 / 10, check=checks.lossless(encode(0), "{folder}/photo.png", 1.3, encode(-1, "library"))),
    decoder("C5 JPEG", "photo.jpg", "JPEG, 12 megapixels", 1.05, most=3, mean=0.5),
    Row("C5 JPEG restarts", "the same with restart markers, elapsed time", decode("restarts.jpg"),
        decode("restarts.jpg", "library"), "the bare library", 2 / 3, part="wall",
        check=checks.same(decode("restarts.jpg"), peer("pillow_decode", "{folder}/restarts.jpg"), 3, 0.5)),
    decoder("C5 WebP", "photo.webp", "WebP, 12 megapixels", 1.0, most=2, mean=0.5),
    decoder("C5 TIFF", "photo.tiff", "TIFF with LZW, 12 megapixels", 1.05),
    decoder("C5 AVIF", "small.avif", "AVIF, 2 megapixels", 1.05, most=4, mean=1.0),
    Row("C5 JXL", "JPEG XL, 2 megapixels", decode("small.jxl"), decode("small.jxl", "library"), "the bare library",
        1.05),
    Row("C5 HEIC", "HEIC, 2 megapixels", decode("small.heic"), decode("small.heic", "library"), "the bare library",
        1.05),
    decoder("C5 GIF", "small.gif", "GIF of one image, 2 megapixels", 1 / 2.5),

    player("A1 camera", "camera.gif", "GIF, every pixel changes", play("camera.gif", "library"),
           "giflib with a plain compositor", 1 / 2.5),
    player("A1 ball", "ball.gif", "GIF, a ball moves", play("ball.gif", "library"), "giflib with a plain compositor",
           1 / 2.5),
    player("A1 Pillow", "camera.gif", "GIF, every pixel changes", peer("pillow_play", "{folder}/camera.gif"), "Pillow",
           1 / 5),
    player("A1 FFmpeg", "camera.gif", "GIF, every pixel changes", peer("av_play", "{folder}/camera.gif"),
           "FFmpeg (PyAV)", 1 / 2, needs=("av",)),
    player("A2 APNG camera", "camera.png", "APNG, every pixel changes", peer("pillow_play", "{folder}/camera.png"),
           "Pillow", 1 / 2),
    player("A2 APNG ball", "ball.png", "APNG, a ball moves", peer("pillow_play", "{folder}/ball.png"), "Pillow", 1 / 2),
    player("A2 WebP camera", "camera.webp", "animated WebP, every pixel changes", play("camera.webp", "library"),
           "libwebp's decoder of animations", 1.0, most=2),
    player("A2 WebP ball", "ball.webp", "animated WebP, a ball moves", play("ball.webp", "library"),
           "libwebp's decoder of animations", 1.0, most=2),
    player("A2 WebP Pillow", "camera.webp", "animated WebP, every pixel changes",
           peer("pillow_play", "{folder}/camera.webp"), "Pillow", 1 / 2, most=2),

    Value("X1 time", "refusal of the worst of seven bombs, the first time", value("bombs", "milliseconds"), "ms", 10,
          times=1),
    Value("X1 memory", "memory of that", value("bombs", "MB"), "MB", 4, times=1),
    Row("X2", "JPEG of 1.1 megapixels in a worker process", Ours("decode", "worker", ("{folder}/images/ocean.jpg",)),
        decode("images/ocean.jpg"), "in this process", 1.05, part="wall"),
]
