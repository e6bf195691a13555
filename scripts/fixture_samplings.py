"""JPEGs for make-fixtures.py that Pillow reads but cannot write: other samplings, by cjpeg of libjpeg-turbo-progs, and YCCK."""

import io
import subprocess

import numpy as np
from PIL import Image


def cjpeg(rgb, *options):
    height, width = rgb.shape[:2]
    pixmap = b"P6 %d %d 255\n" % (width, height) + np.ascontiguousarray(rgb, np.uint8).tobytes()
    return subprocess.run(["cjpeg", "-quality", "90", *options], input=pixmap, check=True, capture_output=True).stdout


def ycck(kit, rgb):
    """Inks as Adobe has them: YCbCr of them, the inverted black beside it, and a marker that says so."""
    black = (255 - rgb.astype(int)).min(-1) // 2
    inks = np.clip((255 - rgb.astype(int) - black[..., None]) * 255 // (255 - black[..., None]), 0, 255)
    ycc = np.array(Image.fromarray(inks.astype(np.uint8)).convert("YCbCr"))
    # Pillow inverts what it writes.
    stored = np.dstack([255 - ycc, black]).astype(np.uint8)
    out = io.BytesIO()
    Image.frombytes("CMYK", rgb.shape[1::-1], stored.tobytes()).save(out, "JPEG", quality=90)
    data = bytearray(out.getvalue())
    transform = data.index(b"Adobe") + 11
    assert data[transform] == 0
    data[transform] = 2
    return bytes(data)


def make_samplings(kit):
    rgb = kit.picture(33, 27)
    for name, options, note in (
            ("sampling-440", ("-sample", "1x2"), "4:4:0: chroma halved downwards alone"),
            ("sampling-411", ("-sample", "4x1"), "4:1:1: chroma a quarter across"),
            ("sampling-410", ("-sample", "4x2"), "4:1:0: chroma a quarter across, a half down"),
            ("sampling-mixed", ("-sample", "2x2,1x2,2x1"), "each chroma halved along another axis"),
            ("sampling-progressive", ("-sample", "1x2", "-progressive"), "4:4:0, progressive")):
        data = cjpeg(rgb, *options)
        kit.add(f"{name}.jpg", data, format="jpeg", expect=kit.judge(data), note=note)
    data = cjpeg(rgb, "-grayscale", "-progressive")
    kit.add("progressive-grey.jpg", data, format="jpeg", expect=kit.judge(data), note="grey, progressive")
    data = ycck(kit, kit.picture(32, 24))
    shown = kit.judge(data)
    off = np.abs(shown[..., :3].astype(int) - kit.picture(32, 24)).mean()
    assert off < 8, off
    kit.add("ycck.jpg", data, format="jpeg", expect=shown, note="four components, Adobe APP14 with YCCK")
