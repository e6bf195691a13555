"""Fixtures with colour profiles, other descriptions of colour, 16 bits and bright light, for make-fixtures.py.

Profiles are made here, number by number; lcms2 (by Pillow's ImageCms), which knows nothing of this project, judges what
becomes of them, and numpy what becomes of the others."""

import io
import struct

import numpy as np
from PIL import Image, ImageCms

import fixture_boxes
import fixture_rasters
import fixture_tools

D50 = (0.9642, 1.0, 0.8249)
BRADFORD = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
D65 = (0.3127, 0.3290)
SRGB = (D65, (0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
P3 = (D65, (0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
BT2020 = (D65, (0.708, 0.292), (0.170, 0.797), (0.131, 0.046))


# Profiles.


def xyz(point):
    x, y = point
    return np.array([x / y, 1, (1 - x - y) / y])


def to_xyz(colors):
    white, *primaries = colors
    columns = np.stack([xyz(p) for p in primaries], 1)
    return columns * np.linalg.solve(columns, xyz(white))


def adapted(colors):
    """To XYZ, as seen under D50."""
    source, target = BRADFORD @ xyz(colors[0]), BRADFORD @ np.array(D50)
    return np.linalg.inv(BRADFORD) @ np.diag(target / source) @ BRADFORD @ to_xyz(colors)


def fixed(value):
    return struct.pack(">i", round(value * 65536))


def profile(space, tags):
    """A profile of ICC version 2.4: a header of 128 bytes, a table of tags, the tags."""
    table, body, place = b"", b"", 128 + 4 + 12 * len(tags)
    for name, data in tags.items():
        table += name + struct.pack(">II", place + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    size = place + len(body)
    head = struct.pack(">I4sI4s4s4s", size, b"\0\0\0\0", 0x02400000, b"mntr" if space != b"CMYK" else b"prtr", space, b"XYZ " if space != b"CMYK" else b"Lab ")
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 28 + b"".join(fixed(v) for v in D50)
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + body


def text(words):
    return b"text\0\0\0\0" + words.encode() + b"\0"


def described(words):
    return (b"desc\0\0\0\0" + struct.pack(">I", len(words) + 1) + words.encode() + b"\0" + b"\0" * 78)


def common(words):
    return {b"desc": described(words), b"cprt": text("CC0"), b"wtpt": b"XYZ \0\0\0\0" + b"".join(fixed(v) for v in D50)}


def gamma_curve(value):
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(value * 256))


def rgb_profile(words, colors, gamma):
    matrix = adapted(colors)
    tags = common(words)
    for index, name in enumerate((b"rXYZ", b"gXYZ", b"bXYZ")):
        tags[name] = b"XYZ \0\0\0\0" + b"".join(fixed(v) for v in matrix[:, index])
    for name in (b"rTRC", b"gTRC", b"bTRC"):
        tags[name] = gamma_curve(gamma)
    return profile(b"RGB ", tags)


def grey_profile(gamma):
    return profile(b"GRAY", {**common("grey"), b"kTRC": gamma_curve(gamma)})


def ink_profile():
    """CMYK to Lab by a table of three points an ink: each ink takes away its light, a little unevenly."""
    points, lab = 3, []
    for c in range(points):
        for m in range(points):
            for y in range(points):
                for k in range(points):
                    light = np.array([1 - 0.92 * c / 2, 1 - 0.85 * m / 2, 1 - 0.9 * y / 2]) * (1 - 0.95 * k / 2)
                    mixed = adapted(SRGB) @ (0.02 + 0.96 * light)
                    f = [v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in mixed / np.array(D50)]
                    lab.append((116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])))
    body = b"mft2\0\0\0\0" + struct.pack(">BBBB", 4, 3, points, 0)
    body += b"".join(fixed(v) for v in (1, 0, 0, 0, 1, 0, 0, 0, 1)) + struct.pack(">HH", 2, 2)
    body += struct.pack(">HH", 0, 65535) * 4
    for l, a, b in lab:  # ICC version 2: 100 is 0xFF00, 0 of a and b is 0x8000
        body += struct.pack(">HHH", *(int(np.clip(round(v), 0, 65535)) for v in (l * 652.8, (a + 128) * 256, (b + 128) * 256)))
    body += struct.pack(">HH", 0, 65535) * 3
    return profile(b"CMYK", {**common("inks"), b"A2B0": body})


def judged(pixels, profile_bytes, mode="RGB"):
    """sRGB, by lcms2; the alpha of RGBA stays."""
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile_bytes))
    image = Image.fromarray(np.ascontiguousarray(pixels[..., :3])) if mode == "RGB" else pixels
    shown = ImageCms.profileToProfile(
        image, source, ImageCms.createProfile("sRGB"), renderingIntent=ImageCms.Intent.PERCEPTUAL, outputMode="RGB")
    return np.array(shown)


# Curves and light.


def srgb_code(light):
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def srgb_light(code):
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def pq_light(code):
    m1, m2, c1, c2, c3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
    p = np.maximum(code, 0) ** (1 / m2)
    return 10_000 * (np.maximum(p - c1, 0) / (c2 - c3 * p)) ** (1 / m1)


def pq_code(light):
    m1, m2, c1, c2, c3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
    p = (np.maximum(light, 0) / 10_000) ** m1
    return ((c1 + c2 * p) / (1 + c3 * p)) ** m2


def hlg_light(code):
    a = 0.17883277
    b, c = 1 - 4 * a, 0.5 - a * np.log(4 * a)
    return np.where(code <= 0.5, code * code / 3, (np.exp((code - c) / a) + b) / 12)


def hlg_code(light):
    a = 0.17883277
    b, c = 1 - 4 * a, 0.5 - a * np.log(4 * a)
    return np.where(light <= 1 / 12, np.sqrt(3 * light), a * np.log(np.maximum(12 * light - b, 1e-9)) + c)


def toned(light, peak=1000.0, target=203.0):
    """The EETF of BT.2390 over the brightest channel; cd/m²."""
    brightest = light.max(-1)
    top, most = pq_code(target) / pq_code(peak), pq_code(peak)
    code, knee = np.minimum(pq_code(brightest) / most, 1), 1.5 * top - 0.5
    t = (code - knee) / (1 - knee)
    bent = ((2 * t ** 3 - 3 * t ** 2 + 1) * knee + (t ** 3 - 2 * t ** 2 + t) * (1 - knee)
            + (3 * t ** 2 - 2 * t ** 3) * top)
    shown = pq_light(np.where(code < knee, code, bent) * most)
    return light * (shown / np.maximum(brightest, 1e-9))[..., None]


def shown(light, colors):
    """8-bit sRGB of display light in cd/m²."""
    mixed = toned(light) / 203 @ (np.linalg.inv(to_xyz(SRGB)) @ to_xyz(colors)).T
    return np.round(srgb_code(mixed) * 255).astype(np.uint8)


def bright(kit, w, h):
    """Light in cd/m² of BT.2020: the picture, with a window of up to 900 on the right."""
    light = srgb_light(kit.picture(w, h) / 255) * 203
    y, x = np.mgrid[0:h, 0:w]
    window = np.where((x > w * 2 // 3) & (y > h // 4) & (y < h * 3 // 4), 4.4, 1.0)
    return np.clip(light * window[..., None], 0, 900)


# The files.


def tiff_with_profile(pixels, bytes_):
    depth = pixels.dtype.itemsize * 8
    return fixture_rasters.tiff(
        fixture_rasters.strips(pixels, 7, depth), pixels.shape[1], pixels.shape[0], 2, [depth] * 3, rows_per_strip=7,
        profile=bytes_)


def put(shop, data, name):
    (shop.folder / name).write_bytes(data)
    return name


def icc_chunk(kit, bytes_):
    import zlib
    return kit.chunk(b"iCCP", b"profile\0\0" + zlib.compress(bytes_, 9))


def make_colors(kit):
    w, h = 32, 24
    rgb, a = kit.picture(w, h), kit.alpha(w, h)
    full = np.dstack([rgb, a])
    wide = rgb_profile("P3, gamma 2.2", P3, 2.2)
    own = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    own = own[:24] + wide[24:36] + own[36:]  # the date
    shown_wide = judged(rgb, wide)
    (kit.FOLDER / "profiles").mkdir()
    for name, bytes_ in (("p3", wide), ("grey", grey_profile(1.0)), ("inks", ink_profile())):
        (kit.FOLDER / "profiles" / f"{name}.icc").write_bytes(bytes_)

    def add(name, data, expect, note, near=1, **more):
        format_ = {"jpg": "jpeg"}.get(name.split(".")[-1], name.split(".")[-1])
        lossless = format_ in ("png", "tiff", "webp", "jxl", "avif") and near < 8
        kit.add(name, data, format=format_, expect=expect, note=note, lossless=lossless, near=near, **more)

    # PNG.
    add("p3.png", kit.png(rgb, 8, kit.RGB, icc_chunk(kit, wide)), kit.rgba(shown_wide), "a profile of P3 with gamma 2.2")
    add("p3-alpha.png", kit.png(full, 8, kit.RGBA, icc_chunk(kit, wide)), kit.rgba(shown_wide, a),
        "the same with alpha", has_alpha=True)
    add("p3-adam7.png", kit.png(rgb, 8, kit.RGB, icc_chunk(kit, wide), interlaced=True), kit.rgba(shown_wide),
        "the same, interlaced")
    add("srgb-profile.png", kit.png(rgb, 8, kit.RGB, icc_chunk(kit, own)), kit.rgba(rgb),
        "a profile of sRGB, which changes nothing", near=0)
    add("damaged-profile.png", kit.png(rgb, 8, kit.RGB, icc_chunk(kit, wide[:150] + b"\xff" * 60)), kit.rgba(rgb),
        "a damaged profile, of which no notice is taken", near=0)
    add("ink-profile.png", kit.png(rgb, 8, kit.RGB, icc_chunk(kit, ink_profile())), kit.rgba(rgb),
        "a profile of inks for a picture of colours, of which no notice is taken", near=0)
    grey = kit.grey(rgb)
    dark = np.array(ImageCms.profileToProfile(
        Image.fromarray(grey), ImageCms.ImageCmsProfile(io.BytesIO(grey_profile(1.0))), ImageCms.createProfile("sRGB"),
        renderingIntent=ImageCms.Intent.PERCEPTUAL, outputMode="RGB"))
    add("linear-grey.png", kit.png(grey, 8, kit.GREY, icc_chunk(kit, grey_profile(1.0))), kit.rgba(dark),
        "grey, a profile of linear light")
    add("standard.png", kit.png(rgb, 8, kit.RGB, kit.chunk(b"sRGB", b"\0") + kit.chunk(b"gAMA", struct.pack(">I", 100000))),
        kit.rgba(rgb), "sRGB, which counts more than gAMA", near=0)
    add("gamma-45455.png", kit.png(rgb, 8, kit.RGB, kit.chunk(b"gAMA", struct.pack(">I", 45455))), kit.rgba(rgb),
        "the gamma that stands for sRGB", near=0)
    light = np.round(srgb_code(rgb / 255.0) * 255).astype(np.uint8)
    add("gamma-1.png", kit.png(rgb, 8, kit.RGB, kit.chunk(b"gAMA", struct.pack(">I", 100000))), kit.rgba(light),
        "linear light by gAMA")
    places = b"".join(struct.pack(">II", round(x * 100000), round(y * 100000)) for x, y in P3)
    add("p3-chrm.png",
        kit.png(rgb, 8, kit.RGB, kit.chunk(b"gAMA", struct.pack(">I", 50000)) + kit.chunk(b"cHRM", places)),
        kit.rgba(np.round(srgb_code((rgb / 255.0) ** 2.0 @ (np.linalg.inv(to_xyz(SRGB)) @ to_xyz(P3)).T) * 255)),
        "P3 and gamma 2 by gAMA and cHRM")
    coded = srgb_light(rgb / 255.0) @ (np.linalg.inv(to_xyz(SRGB)) @ to_xyz(P3)).T
    add("p3-cicp.png", kit.png(rgb, 8, kit.RGB, kit.chunk(b"cICP", bytes([12, 13, 0, 1]))),
        kit.rgba(np.round(srgb_code(coded) * 255)), "P3 by cICP")
    light = bright(kit, w, h)
    code = np.round(pq_code(light) * 65535).astype(np.uint16)
    add("pq.png", kit.png(code, 16, kit.RGB, kit.chunk(b"cICP", bytes([9, 16, 0, 1]))),
        kit.rgba(shown(light, BT2020)), "PQ of BT.2020 by cICP, 16 bits, up to 900 cd/m²", near=2)
    scene = light / 1000
    luma = to_xyz(BT2020)[1]
    scene = scene * np.maximum(scene @ luma, 1e-9)[..., None] ** (1 / 1.2 - 1)  # the inverse of the OOTF
    code = np.round(np.clip(hlg_code(scene), 0, 1) * 65535).astype(np.uint16)
    scene = hlg_light(code / 65535)  # what it holds: some colours of the picture are beyond it
    held = 1000 * scene * np.maximum(scene @ luma, 1e-9)[..., None] ** 0.2
    add("hlg.png", kit.png(code, 16, kit.RGB, kit.chunk(b"cICP", bytes([9, 18, 0, 1]))),
        kit.rgba(shown(held, BT2020)), "HLG of BT.2020 by cICP, 16 bits", near=2)
    wide16 = kit.sixteen(rgb, 9)
    add("p3-16.png", kit.png(wide16, 16, kit.RGB, icc_chunk(kit, wide)), kit.rgba(judged(kit.eight(wide16), wide)),
        "16 bits, a profile of P3")

    # JPEG.
    exact = {"quality": 95, "subsampling": "4:4:4"}
    data = kit.jpeg(rgb, icc_profile=wide, **exact)
    add("p3.jpg", data, kit.rgba(judged(kit.judge(data), wide)), "a profile of P3", near=8)
    pieces = wide + b"\0" * (140_000 - len(wide))  # in three segments
    data = kit.jpeg(rgb, icc_profile=pieces, **exact)
    add("p3-pieces.jpg", data, kit.rgba(judged(kit.judge(data), pieces)), "a profile in three segments", near=8)
    data = kit.jpeg(grey, icc_profile=grey_profile(1.0), **exact)
    linear = np.array(ImageCms.profileToProfile(
        Image.fromarray(kit.judge(data)[..., 0]), ImageCms.ImageCmsProfile(io.BytesIO(grey_profile(1.0))),
        ImageCms.createProfile("sRGB"), renderingIntent=ImageCms.Intent.PERCEPTUAL, outputMode="RGB"))
    add("linear-grey.jpg", data, kit.rgba(linear), "grey, a profile of linear light", near=8)
    c = 255 - rgb.astype(int)
    k = c.min(-1) // 2
    inks = np.dstack([np.clip((c - k[..., None]) * 255 // (255 - k[..., None]), 0, 255), k]).astype(np.uint8)
    image = Image.frombytes("CMYK", (w, h), inks.tobytes())
    data = kit.jpeg(image, icc_profile=ink_profile(), **exact)
    stored = Image.open(io.BytesIO(data))
    stored.load()
    add("inks.jpg", data, kit.rgba(judged(stored, ink_profile(), "CMYK")), "inks with a profile of theirs", near=8)

    # WebP.
    out = io.BytesIO()
    Image.fromarray(full).save(out, "WEBP", lossless=True, exact=True, icc_profile=wide)
    add("p3.webp", out.getvalue(), kit.rgba(shown_wide, a), "lossless, with alpha, a profile of P3", has_alpha=True)
    out = io.BytesIO()
    frames = [Image.fromarray(np.roll(rgb, 4 * i, axis=1)) for i in range(3)]
    frames[0].save(out, "WEBP", save_all=True, append_images=frames[1:], lossless=True, exact=True, duration=100, loop=0, icc_profile=wide)
    add("p3-frames.webp", out.getvalue(), [kit.rgba(judged(np.array(f), wide)) for f in frames],
        "an animation with a profile of P3", frames=3, loops=0, durations=[0.1] * 3, has_alpha=True)

    # TIFF.
    for name, pixels, note in (("p3", rgb, "a profile of P3"), ("p3-16", wide16, "16 bits, a profile of P3")):
        data = tiff_with_profile(pixels, wide)
        narrow = pixels if pixels.dtype == np.uint8 else kit.eight(pixels)
        add(f"{name}.tiff", data, kit.rgba(judged(narrow, wide)), note)
    out = io.BytesIO()
    image.save(out, "TIFF", icc_profile=ink_profile(), compression="tiff_deflate")
    add("inks.tiff", out.getvalue(), kit.rgba(judged(image, ink_profile(), "CMYK")), "inks with a profile of theirs")

    # By the formats' own tools, from PNGs with the same profiles.
    shop = fixture_tools.Workshop(kit)
    big = kit.picture(64, 64)
    (shop.folder / "p3.png").write_bytes(kit.png(big, 8, kit.RGB, icc_chunk(kit, wide)))
    expect = kit.rgba(judged(big, wide))
    data = shop.made("avifenc", "--jobs", "1", "--lossless", "p3.png", "out.avif", name="out.avif")
    add("p3.avif", data, expect, "lossless, a profile of P3")
    plain = shop.png(big)
    data = shop.made("avifenc", "--jobs", "1", "--lossless", "--cicp", "12/13/0", plain, "out.avif", name="out.avif")
    coded = srgb_light(big / 255.0) @ (np.linalg.inv(to_xyz(SRGB)) @ to_xyz(P3)).T
    add("p3-cicp.avif", data, kit.rgba(np.round(srgb_code(coded) * 255)), "lossless, P3 by code points")
    data = shop.made("cjxl", "p3.png", "out.jxl", "--num_threads=0", "-q", "100", name="out.jxl")
    add("p3.jxl", data, expect, "lossless, a profile of P3")
    data = shop.made("heif-enc", "-q", "95", "p3.png", "-o", "out.heic", name="out.heic")
    add("p3.heic", data, kit.rgba(judged(shop.judged(data, ".heic", "heif-convert"), wide)), "a profile of P3", near=8)
    light = bright(kit, 64, 64)
    code = np.round(pq_code(light) * 65535).astype(np.uint16)
    (shop.folder / "pq.png").write_bytes(kit.png(code, 16, kit.RGB))
    exact = kit.rgba(shown(light, BT2020))
    for depth in ("10", "12"):
        data = shop.made("avifenc", "--jobs", "1", "--min", "0", "--max", "0", "--yuv", "444", "--depth", depth,
                         "--cicp", "9/16/9", "pq.png", "out.avif", name="out.avif")
        add(f"pq-{depth}.avif", data, exact, f"PQ of BT.2020, {depth} bits", near=12 if depth == "10" else 8)
    (shop.folder / "pq.ppm").write_bytes(b"P6 64 64 65535\n" + code.astype(">u2").tobytes())
    data = shop.made("cjxl", "pq.ppm", "out.jxl", "--num_threads=0", "-q", "100", "-x", "color_space=RGB_D65_202_Rel_PeQ",
                     name="out.jxl")
    add("pq.jxl", data, exact, "lossless PQ of BT.2020, 16 bits", near=2)
    data = shop.made("heif-enc", "-q", "100", "-b", "10", "-p", "chroma=444", "pq.png", "-o",
                     "out.heic", name="out.heic")
    data = fixture_boxes.with_property(data, 1, fixture_boxes.nclx(9, 16, 6))
    codes = fixture_tools.png_words(shop.made("heif-convert", put(shop, data, "pq.heic"), "judged.png", name="judged.png"))
    add("pq.heic", data, kit.rgba(shown(pq_light(codes / 65535), BT2020)), "PQ of BT.2020, 10 bits", near=8)
