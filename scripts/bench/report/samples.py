"""The images to measure with, made from those of the demo. Ratios of formats are for photographs unless a row says otherwise."""

import numpy
from PIL import Image, ImageDraw, ImageFont

# Names and sizes of the photographs for the curves over megapixels.
SIZES = {"0.1": (365, 274), "1": (1155, 866), "10": (3651, 2739), "100": (11500, 8600)}
LARGE, SMALL = (4000, 3000), (1600, 1200)
FILM, FRAMES = (480, 270), 40
ICONS = 400


def make(folder, source, ours):
    """Writes all but those of SIZES. `ours` encodes formats that Pillow does not have."""
    photo = Image.open(source / "mountains.jpg").convert("RGB")
    large, small = (photo.resize(size, Image.BICUBIC) for size in (LARGE, SMALL))
    large.save(folder / "photo.jpg", quality=90)
    large.save(folder / "restarts.jpg", quality=90, restart_marker_rows=1)
    large.save(folder / "photo.png", compress_level=6)
    large.save(folder / "photo.tiff", compression="tiff_lzw")
    large.save(folder / "photo.webp", quality=85, method=2)
    small.save(folder / "small.png", compress_level=1)
    small.save(folder / "small.jpg", quality=90)
    small.save(folder / "small.gif")
    small.save(folder / "small.avif", quality=70, speed=8)
    for kind in ("jxl", "heic"):
        ours.write("encode", "ours", folder / f"small.{kind}", folder / "small.png", kind, 85, -1)
    screenshot().save(folder / "screen.png", compress_level=6)
    transparent(photo).save(folder / "glass.png")
    (folder / "glass.rgba").write_bytes(transparent(photo).tobytes())
    write_films(folder, photo)
    write_icons(folder / "icons", photo)


def sized(folder, source, name):
    """Writes a photograph of SIZES as JPEG, PNG and WebP."""
    photo = Image.open(source / "mountains.jpg").convert("RGB").resize(SIZES[name], Image.BICUBIC)
    photo.save(folder / f"{name}.jpg", quality=90)
    photo.save(folder / f"{name}.png", compress_level=1)
    photo.save(folder / f"{name}.webp", quality=85, method=0)


def transparent(photo):
    """Returns a photograph whose alpha decreases from left to right."""
    image = photo.convert("RGBA").resize(LARGE, Image.BICUBIC)
    alpha = numpy.linspace(255, 40, LARGE[0]).astype(numpy.uint8)
    image.putalpha(Image.fromarray(numpy.tile(alpha, (LARGE[1], 1))))
    return image


def screenshot():
    """Draws windows with text, as a program shows them."""
    image = Image.new("RGB", (2560, 1440), "#f6f5f4")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(18)
    random = numpy.random.default_rng(1)
    words = ["image", "request", "cache", "entry", "origin", "decode", "worker", "thread", "queue", "stage"]
    for window in range(6):
        x, y = 60 + window % 3 * 830, 50 + window // 3 * 690
        draw.rounded_rectangle((x, y, x + 780, y + 640), 12, "#ffffff", "#c0bfbc")
        draw.rounded_rectangle((x, y, x + 780, y + 40), 12, "#deddda")
        for line in range(23):
            text = " ".join(random.choice(words, 9))
            draw.text((x + 20, y + 55 + 25 * line), text, "#1c71d8" if line % 5 == 0 else "#241f31", font)
    return image


def write_films(folder, photo):
    """Writes a camera that pans over a photograph, so that every pixel changes, and a ball that rolls over it."""
    photo = photo.resize((FILM[0] + 2 * FRAMES, FILM[1] + FRAMES), Image.LANCZOS)
    camera = [photo.crop((2 * step, step, 2 * step + FILM[0], step + FILM[1])) for step in range(FRAMES)]
    ball = []
    for step in range(FRAMES):
        frame = camera[0].copy()
        place = 10 + 10 * step
        ImageDraw.Draw(frame).ellipse((place, 100, place + 40, 140), fill="#c01c28")
        ball.append(frame)
    for name, frames in (("camera", camera), ("ball", ball)):
        palette = frames[-1].quantize(256)
        for kind, extra in {"gif": {}, "png": {}, "webp": {"quality": 80, "method": 2}}.items():
            stored = [frame.quantize(palette=palette) for frame in frames] if kind == "gif" else frames
            stored[0].save(
                folder / f"{name}.{kind}", save_all=True, append_images=stored[1:], duration=40, loop=0, **extra)


def write_icons(folder, photo):
    """Writes icons of 48 × 48 pixels, which differ."""
    folder.mkdir()
    width, height = photo.size
    random = numpy.random.default_rng(2)
    for number in range(ICONS):
        x, y = int(random.integers(width - 480)), int(random.integers(height - 480))
        photo.crop((x, y, x + 480, y + 480)).resize((48, 48), Image.LANCZOS).save(folder / f"{number:03}.png")
