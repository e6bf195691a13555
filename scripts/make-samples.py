#!/usr/bin/env python3
"""Paints the sample pictures that the command `tintype` carries for its demonstrations.

    python3 -m venv .venv && .venv/bin/pip install -r scripts/requirements-fixtures.txt
    .venv/bin/python scripts/make-samples.py [NAME…]

Every picture is computed from formulas and seeded noise: there is no source material.
"""

import io
import struct
import sys
from pathlib import Path

import numpy as np
import PIL
from PIL import Image, ImageDraw, ImageFilter, features

FOLDER = Path(__file__).resolve().parent.parent / "Sources/CTintypeSamples/Samples"
WIDTH, HEIGHT = 1280, 853


# Tools. A picture is an array of floats from 0 to 1, height by width by 3.


def resized(a, width, height, how=Image.Resampling.BICUBIC):
    return np.array(Image.fromarray(a.astype(np.float32)).resize((width, height), how))


def fbm(width, height, cell, seed, octaves=5, stretch=1.0, gain=0.5):
    """Smooth noise around 0.5, mostly within 0 and 1; `stretch` widens its features."""
    rng = np.random.default_rng(seed)
    total, weight, sum_ = np.zeros((height, width), np.float32), 1.0, 0.0
    for _ in range(octaves):
        w, h = int(width / (cell * stretch)) + 4, int(height / cell) + 4
        grid = rng.random((h, w))
        big = resized(grid, max(w, round(w * cell * stretch)), max(h, round(h * cell)))
        big = big[int(cell): int(cell) + height, int(cell * stretch): int(cell * stretch) + width]
        total[: big.shape[0], : big.shape[1]] += weight * (big - 0.5)
        sum_ += weight * weight
        weight *= gain
        cell = max(cell / 2, 1.0)
    return 0.5 + total / np.sqrt(sum_) * 0.9


def line(length, cell, seed, octaves=7, gain=0.5):
    """Noise along a line, around 0."""
    rng = np.random.default_rng(seed)
    total, weight, x = np.zeros(length), 1.0, np.arange(length)
    for _ in range(octaves):
        knots = rng.uniform(-1, 1, int(length / cell) + 3)
        at = x / cell
        i = at.astype(int)
        f = at - i
        f = f * f * (3 - 2 * f)
        total += weight * (knots[i] * (1 - f) + knots[i + 1] * f)
        weight *= gain
        cell = max(cell / 2, 1.5)
    return total


def ramp(t, *stops):
    """A colour gradient: stops are (position, (r, g, b) of 255)."""
    places = [p for p, _ in stops]
    return np.stack([np.interp(t, places, [c[i] / 255 for _, c in stops]) for i in range(3)], -1)


def mix(a, b, t):
    t = np.asarray(t)
    if t.ndim == 2:
        t = t[..., None]
    return a * (1 - t) + np.asarray(b) * t


def eased(a, span):
    """A line without its small features: mist does not follow every rock."""
    for _ in range(3):
        a = np.convolve(np.pad(a, span, mode="edge"), np.ones(2 * span + 1) / (2 * span + 1), "valid")
    return a


def smooth(low, high, x):
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def colour(r, g, b):
    return np.array([r, g, b]) / 255


def image(a):
    return Image.fromarray((np.clip(a, 0, 1) * 255 + 0.5).astype(np.uint8))


def array(picture):
    return np.asarray(picture, np.float32) / 255


def blurred(a, radius):
    return array(image(a).filter(ImageFilter.GaussianBlur(radius)))


def grain(a, strength, seed):
    height, width = a.shape[:2]
    noise = np.random.default_rng(seed).normal(0, strength, (height, width, 1))
    return a + noise


def vignette(a, strength):
    height, width = a.shape[:2]
    y, x = np.mgrid[-1:1:height * 1j, -1:1:width * 1j]
    return a * (1 - strength * smooth(0.5, 1.6, np.hypot(x, y)))[..., None]


def pines(draw, base, width, rng, tall, count, fill):
    """Fir silhouettes along a ridge."""
    for x in np.sort(rng.uniform(-20, width + 20, count)):
        h = tall * rng.uniform(0.45, 1.0) ** 1.2
        i = int(np.clip(x, 0, width - 1))
        foot = base[i] + h * 0.1
        draw.polygon([(x - h * 0.02, foot + 6), (x, foot - h), (x + h * 0.02, foot + 6)], fill=fill)
        tiers = int(rng.integers(9, 14))
        for n in range(tiers):
            top = foot - h + h * 0.95 * n / tiers
            reach = h * 0.21 * ((n + 1) / tiers) ** 0.85
            left, right = reach * rng.uniform(0.7, 1.1), reach * rng.uniform(0.7, 1.1)
            low = top + h * 0.14
            draw.polygon([(x, top - h * 0.03), (x + right, low + rng.uniform(0, h * 0.025)), (x + right * 0.3, low - h * 0.03),
                          (x - left * 0.3, low - h * 0.03), (x - left, low + rng.uniform(0, h * 0.025))], fill=fill)


# The pictures.


def mountains():
    s = 2
    w, h = WIDTH * s, HEIGHT * s
    y, x = np.mgrid[0:1:h * 1j, 0:1:w * 1j]
    sun_x, sun_y = 0.64, 0.47
    sky = ramp(y, (0, (36, 38, 92)), (0.16, (78, 62, 130)), (0.3, (164, 92, 146)), (0.42, (240, 140, 118)),
               (0.52, (255, 190, 120)), (0.62, (255, 214, 150)))
    d = np.hypot((x - sun_x) * 1.5, y - sun_y)
    cloud = resized(fbm(w // 4, h // 4, 44, 3, 6, stretch=4.5), w, h)
    cloud = smooth(0.55, 0.95, cloud + 0.1 * np.sin(y * 26)) * smooth(0.5, 0.2, y) * 0.75
    lit = ramp(d, (0, (255, 236, 190)), (0.25, (255, 170, 128)), (0.55, (206, 104, 140)), (1.1, (104, 74, 138)))
    sky = mix(sky, lit, cloud)
    sky += np.exp(-d * 5.5)[..., None] * colour(255, 170, 80) * 0.5 + np.exp(-d * 17)[..., None] * colour(255, 220, 150) * 0.6
    sky = mix(sky, colour(255, 250, 226), smooth(0.036, 0.033, d))
    picture = sky
    rng = np.random.default_rng(11)
    ridges = [  # height of the ridge, its swing, the size of its features, colour at the crest, in the mist below
        (0.560, 0.050, 620, (222, 146, 140), (255, 200, 152)),
        (0.600, 0.075, 560, (176, 110, 138), (250, 180, 150)),
        (0.665, 0.070, 500, (126, 82, 128), (226, 146, 146)),
        (0.735, 0.075, 460, (84, 60, 112), (178, 110, 138)),
        (0.815, 0.070, 430, (50, 42, 88), (116, 78, 122)),
        (0.930, 0.060, 700, (20, 20, 46), (26, 24, 52)),
    ]
    rows = np.arange(h)[:, None]
    for n, (level, swing, cell, crest, mist) in enumerate(ridges):
        n1 = line(w, cell, 40 + n, 9, 0.5)
        sharp = 1 - 2 * np.abs(line(w, cell * 0.9, 70 + n, 8, 0.46))
        edge = (level - swing * (0.55 * n1 + 0.45 * sharp)) * h
        mask = np.clip(rows - edge[None, :], 0, 1)
        depth = smooth(0, 1, (rows - eased(edge, 120)[None, :] + h * 0.03) / (h * 0.19))
        body = mix(np.broadcast_to(colour(*crest), picture.shape), colour(*mist), depth)
        near = np.exp(-np.abs(x - sun_x) * 3.2) * np.exp(-n * 0.5)
        body = body + near[..., None] * colour(255, 150, 70) * 0.28
        if n >= 2:
            texture = resized(fbm(w // 4, h // 4, 26, 90 + n, 4, stretch=0.8), w, h)
            body = body * (1 + 0.10 * (texture - 0.5) * (1 - depth))[..., None]
        if n == 5:
            draw_on = Image.fromarray((mask * 255).astype(np.uint8))
            pines(ImageDraw.Draw(draw_on), edge, w, rng, 300, 95, 255)
            mask = array(draw_on)
        picture = mix(picture, body, mask)
    picture = array(image(picture).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS))
    return grain(vignette(picture, 0.25), 0.006, 1)


class Field:
    """A height field over a rectangle of the world, and rays marched against it."""

    def __init__(self, heights, x0, z0, cell, wrap=False):
        self.h, self.x0, self.z0, self.cell, self.wrap = heights.astype(np.float32), x0, z0, cell, wrap

    def sample(self, grid, x, z):
        u, v = (x - self.x0) / self.cell, (z - self.z0) / self.cell
        i, j = np.floor(u).astype(np.int64), np.floor(v).astype(np.int64)
        fu, fv = (u - i).astype(np.float32), (v - j).astype(np.float32)
        rows, columns = grid.shape
        if self.wrap:
            i0, i1, j0, j1 = i % columns, (i + 1) % columns, j % rows, (j + 1) % rows
        else:
            i0, j0 = np.clip(i, 0, columns - 2), np.clip(j, 0, rows - 2)
            i1, j1 = i0 + 1, j0 + 1
        return ((grid[j0, i0] * (1 - fu) + grid[j0, i1] * fu) * (1 - fv)
                + (grid[j1, i0] * (1 - fu) + grid[j1, i1] * fu) * fv)

    def march(self, eye, dx, dy, dz, near, far, growth, least, height=None):
        """Distances at which rays from the eye meet the field; far where they do not."""
        height = height or (lambda x, z: self.sample(self.h, x, z))
        hit = np.full(dx.size, np.inf)
        active, t, before = np.arange(dx.size), near, None
        last = np.full(dx.size, near)
        while t < far and active.size:
            gap = eye[1] + dy[active] * t - height(eye[0] + dx[active] * t, eye[2] + dz[active] * t)
            below = gap < 0
            if before is not None and below.any():
                who = active[below]
                share = before[below] / np.maximum(before[below] - gap[below], 1e-6)
                hit[who] = last[who] + (t - last[who]) * np.clip(share, 0, 1)
            elif below.any():
                hit[active[below]] = t
            active, before = active[~below], gap[~below]
            last[active] = t
            t = t + max(least, t * growth)
        return hit


def rays(width, height, focal, pitch):
    y, x = np.mgrid[0:height, 0:width]
    dx = ((x + 0.5) / width - 0.5).ravel()
    dy = (0.5 * height / width - (y + 0.5) / width).ravel()
    dz = np.full(dx.size, focal)
    c, s = np.cos(pitch), np.sin(pitch)
    dy, dz = dy * c + dz * s, dz * c - dy * s
    n = np.sqrt(dx * dx + dy * dy + dz * dz)
    return dx / n, dy / n, dz / n


def sea_tile(size, length, wind, seed, strongest, shortest):
    """A periodic patch of sea, by its spectrum."""
    rng = np.random.default_rng(seed)
    k = np.fft.fftfreq(size, length / size) * 2 * np.pi
    kx, kz = np.meshgrid(k, k)
    kk = np.hypot(kx, kz)
    kk[0, 0] = 1
    along = (kx * wind[0] + kz * wind[1]) / kk
    spectrum = np.exp(-1 / (kk * strongest) ** 2) / kk ** 4 * (0.15 + along ** 2) * np.exp(-(kk * shortest) ** 2)
    spectrum[0, 0] = 0
    wave = np.sqrt(spectrum) * (rng.normal(size=kk.shape) + 1j * rng.normal(size=kk.shape))
    h = np.fft.ifft2(wave).real
    scale = 1 / h.std()
    sx, sz = np.fft.ifft2(wave * 1j * kx).real * scale, np.fft.ifft2(wave * 1j * kz).real * scale
    return h * scale, sx, sz


def ocean():
    w, h = int(WIDTH * 1.5), int(HEIGHT * 1.5)
    dx, dy, dz = rays(w, h, 0.95, -0.075)
    eye = (0.0, 2.6, 0.0)
    long = Field(np.zeros((2, 2)), 0, 0, 120 / 512, wrap=True)
    long.h, lx, lz = sea_tile(512, 120, (0.35, 0.94), 5, 2.0, 0.12)
    short = Field(np.zeros((2, 2)), 0, 0, 17 / 512, wrap=True)
    short.h, ox, oz = sea_tile(512, 17, (-0.2, 0.98), 6, 0.5, 0.015)
    big, small = 0.32, 0.034

    def height(x, z):
        return long.sample(long.h, x, z) * big

    t = long.march(eye, dx, dy, dz, 2.5, 500, 0.006, 0.04, height)
    sun = np.array([0.22, 0.30, 1.0])
    sun /= np.linalg.norm(sun)

    def heavens(dx, dy, dz):
        """The sky by direction, without its clouds."""
        up = np.clip(dy, 0, 1)
        c = ramp(up, (0, (255, 226, 186)), (0.06, (236, 222, 204)), (0.16, (158, 200, 222)), (0.4, (70, 142, 200)),
                 (1, (24, 78, 150)))
        near = np.clip(dx * sun[0] + dy * sun[1] + dz * sun[2], 0, 1)
        return c + (near ** 14 * 0.26)[:, None] * colour(255, 206, 150) + (near ** 300 * 0.35)[:, None] * colour(255, 236, 200)

    picture = heavens(dx, np.maximum(dy, 0), dz)
    sky = dy > 0
    cu, cv = dx / (np.abs(dy) + 0.16) * 190 + 900, 1.0 / (np.abs(dy) + 0.16) * 150
    clouds = Field(fbm(1800, 1100, 120, 21, 7), 0, 0, 1)
    density = clouds.sample(clouds.h, cu, cv)
    above = clouds.sample(clouds.h, cu + 6, cv - 14)
    cover = smooth(0.50, 0.85, density) * smooth(0.0, 0.05, dy) * sky
    shade = np.clip(0.62 + (density - above) * 2.2, 0, 1)
    tint = ramp(shade, (0, (150, 168, 196)), (0.6, (250, 240, 228)), (1, (255, 252, 244)))
    picture = picture * (1 - 0.85 * cover[:, None]) + tint * 0.85 * cover[:, None]

    wet = np.isfinite(t) | (dy < -0.0015)
    far = np.where(np.isfinite(t), t, 2.6 / np.maximum(-dy, 1e-3))[wet]
    rx, ry, rz = dx[wet], dy[wet], dz[wet]
    x, z = rx * far, rz * far
    foot = far * far / (2.6 * 0.95 * w)
    f_big, f_small = np.exp(-(foot / 6) ** 1.2), np.exp(-(foot / 0.28) ** 1.2)
    sx = big * f_big * long.sample(lx, x, z) + small * f_small * short.sample(ox, x, z)
    sz = big * f_big * long.sample(lz, x, z) + small * f_small * short.sample(oz, x, z)
    n = np.stack([-sx, np.ones_like(sx), -sz], -1)
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    view = np.stack([rx, ry, rz], -1)
    facing = np.clip(-(n * view).sum(-1), 0.09, 1)  # never edge on: no glare on the outline of a crest
    fresnel = 0.02 + 0.78 * (1 - facing) ** 5
    fresnel = fresnel * (1 - 0.35 * smooth(20, 200, far))
    mirror = view + 2 * facing[:, None] * n
    up = np.abs(mirror[:, 1]) + 0.05 * smooth(15, 300, far)
    reflected = heavens(mirror[:, 0], up, mirror[:, 2])
    crest = np.clip(long.sample(long.h, x, z) * 0.5 + 0.35, 0, 1.5)
    deep = colour(4, 46, 78)[None] * (1 - facing[:, None] * 0.3) + crest[:, None] * colour(10, 108, 112) * 0.66
    water = deep * (1 - fresnel[:, None]) + reflected * fresnel[:, None] * 0.92
    half = sun[None] - view
    half /= np.linalg.norm(half, axis=-1, keepdims=True)
    rough = 0.0035 + 0.03 * (1 - f_small) + 0.02 * (1 - f_big)
    cosine = np.clip((n * half).sum(-1), 1e-3, 1)
    tan2 = (1 - cosine ** 2) / cosine ** 2
    glint = np.exp(-tan2 / rough) / (rough * 90) * fresnel ** 0.5
    water += np.clip(glint, 0, 2.2)[:, None] * colour(255, 232, 186)
    haze = smooth(30, 500, far) * 0.6
    water = water * (1 - haze[:, None]) + colour(206, 214, 212) * haze[:, None]
    picture[wet] = water
    picture = array(image(picture.reshape(h, w, 3)).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS))
    return vignette(picture, 0.2)


def night():
    w, h = WIDTH, HEIGHT
    shore = int(h * 0.74)
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:shore, 0:w].astype(float)
    u, v = x / w, y / shore
    sky = ramp(v, (0, (7, 11, 34)), (0.45, (14, 32, 74)), (0.78, (34, 70, 116)), (1, (92, 128, 150)))
    band = (u - 0.34) * 0.86 + (v - 0.42) * 0.62
    dust = fbm(w, shore, 210, 2, 7)
    milk = np.exp(-(band / 0.14) ** 2) * (0.25 + 0.95 * smooth(0.25, 0.95, dust))
    lanes = smooth(0.52, 0.8, fbm(w, shore, 120, 8, 6)) * np.exp(-(band / 0.06) ** 2)
    milk = np.clip(milk * (1 - 0.75 * lanes), 0, 1) * smooth(1.05, 0.5, v)
    sky += milk[..., None] * colour(128, 132, 190) * 0.52 + (milk ** 3)[..., None] * colour(255, 190, 170) * 0.22
    stars = np.zeros((shore, w, 3))
    for kind, (count, low, high) in enumerate(((1500, 0.12, 0.45), (260, 0.45, 0.95))):
        px, py = rng.uniform(2, w - 3, count).astype(int), (rng.random(count) ** 1.15 * (shore - 8)).astype(int) + 2
        dense = rng.random(count) < 0.35 + milk[py, px]
        px, py = px[dense], py[dense]
        light = rng.uniform(low, high, px.size) * (1 - (py / shore) ** 3 * 0.8)
        warm = rng.random((px.size, 1))
        tint = colour(176, 204, 255) * (1 - warm) + colour(255, 226, 190) * warm
        stars[py, px] += light[:, None] * tint
        if kind == 1:
            for ox, oy in ((1, 0), (0, 1), (1, 1)):
                stars[py + oy, px + ox] += light[:, None] * tint * 0.6
    glow = np.zeros_like(stars)
    for _ in range(34):
        px, py = rng.uniform(20, w - 20), rng.uniform(15, shore * 0.7)
        r = np.hypot(x[int(py) - 14: int(py) + 15, int(px) - 14: int(px) + 15] - px,
                     y[int(py) - 14: int(py) + 15, int(px) - 14: int(px) + 15] - py)
        spot = np.exp(-(r / 1.35) ** 2) + 0.16 * np.exp(-r / 3.2)
        part = glow[int(py) - 14: int(py) + 15, int(px) - 14: int(px) + 15]
        part += spot[: part.shape[0], : part.shape[1], None] * colour(226, 234, 255) * rng.uniform(0.5, 1.1)
    mx, my, radius = w * 0.735, shore * 0.27, 50.0
    d = np.hypot(x - mx, y - my)
    sky += (stars + glow) * smooth(radius, radius * 5, d)[..., None]
    sky += np.exp(-d / 70)[..., None] * colour(190, 210, 245) * 0.46 + np.exp(-d / 240)[..., None] * colour(96, 136, 200) * 0.34
    nx, ny = (x - mx) / radius, (y - my) / radius
    nz = np.sqrt(np.clip(1 - nx * nx - ny * ny, 0, 1))
    sea = resized(fbm(110, 110, 26, 17, 5), 220, 220)
    marks = np.zeros((shore, w))
    top, left = int(my) - 110, int(mx) - 110
    marks[top: top + 220, left: left + 220] = sea
    face = 1.0 - 0.24 * smooth(0.22, 0.62, marks)
    moon = (face * (0.86 + 0.14 * nz))[..., None] * colour(255, 250, 236)
    sky = mix(sky, moon, smooth(radius + 0.8, radius - 0.8, d))
    for n, (level, swing, tone) in enumerate(((0.80, 0.13, (44, 72, 108)), (0.88, 0.10, (24, 44, 74)), (0.95, 0.05, (9, 18, 34)))):
        edge = (level - swing * (0.6 * line(w, 330, 60 + n, 8, 0.48) + 0.4 * (1 - 2 * np.abs(line(w, 280, 80 + n, 8, 0.48))))) * shore
        mask = np.clip(y - edge[None], 0, 1)
        if n == 2:
            big = Image.fromarray((mask * 255).astype(np.uint8)).resize((w * 2, shore * 2))
            pines(ImageDraw.Draw(big), np.repeat(edge, 2) * 2, w * 2, rng, 170, 110, 255)
            mask = array(big.resize((w, shore), Image.Resampling.LANCZOS))
        mist = smooth(0, 1, (y - eased(edge, 60)[None] + shore * 0.03) / (shore * 0.17))
        tone = mix(np.broadcast_to(colour(*tone), sky.shape), colour(78, 112, 142), mist * (0.55 - 0.22 * n))
        sky = mix(sky, tone, mask)
    depth = h - shore
    yy, xx = np.mgrid[0:depth, 0:w].astype(float)
    near = yy / depth
    ripple = resized(fbm(w // 2, depth * 3, 5, 31, 3, stretch=9), w, depth * 3)[::3][:depth] - 0.5
    rows = np.clip(shore - 2 - (yy * 1.9) * (1 + 0) + ripple * (3 + 64 * near), 0, shore - 1).astype(int)
    columns = np.clip(xx + ripple * (2 + 12 * near), 0, w - 1).astype(int)
    soft = blurred(sky, 1.6)
    water = soft[rows, columns] * (0.80 - 0.28 * near)[..., None] + colour(6, 16, 38) * 0.35
    path = np.exp(-np.abs(xx - mx) / (26 + 90 * near)) * smooth(0.50, 0.95, ripple + 0.5 + 0.16)
    water += path[..., None] * colour(206, 222, 250) * 0.75
    water += np.exp(-yy / 4)[..., None] * colour(120, 150, 170) * 0.18
    return grain(np.concatenate([sky, water]), 0.0025, 9)


def autumn():
    """Upright 853x1280: a path of light through a wood out of focus."""
    w, h = HEIGHT, WIDTH
    rng = np.random.default_rng(23)
    y, x = np.mgrid[0:1:h * 1j, 0:1:w * 1j]
    ground = 0.70
    picture = ramp(y, (0, (206, 132, 44)), (0.3, (246, 190, 86)), (0.6, (255, 226, 150)), (0.70, (250, 206, 122)),
                   (0.76, (190, 104, 40)), (1, (76, 36, 20)))
    light = np.exp(-((x - 0.52) / 0.30) ** 2 - ((y - 0.52) / 0.26) ** 2)
    picture += light[..., None] * colour(255, 236, 176) * 0.38
    leaves = [(226, 96, 26), (244, 150, 34), (252, 190, 54), (196, 56, 24), (255, 214, 96), (168, 62, 22), (214, 132, 30),
              (150, 130, 40)]

    def scatter(base, count, box, sizes, strength, blur, tones, flat=1.0, hole=0.0):
        layer = Image.new("RGBA", (w, h), (*tones[0], 0))
        for _ in range(count):
            px, py = rng.uniform(box[0], box[2]) * w, rng.uniform(box[1], box[3]) * h
            if hole and rng.random() < np.exp(-((px / w - 0.52) / hole) ** 2 - ((py / h - 0.5) / (hole * 0.9)) ** 2):
                continue
            r = rng.uniform(*sizes)
            tone = np.array(tones[rng.integers(len(tones))]) * rng.uniform(0.82, 1.12)
            tone = tuple(int(c) for c in np.clip(tone, 0, 255))
            spot = Image.new("L", (int(2 * r) + 4, int(2 * r * flat) + 4), 0)
            pen = ImageDraw.Draw(spot)
            pen.ellipse((1, 1, 2 * r + 1, 2 * r * flat + 1), fill=int(255 * strength * rng.uniform(0.55, 1)))
            layer.paste(Image.new("RGBA", spot.size, (*tone, 255)), (int(px - r), int(py - r * flat)), spot)
        layer = layer.filter(ImageFilter.GaussianBlur(blur))
        over = array(layer)
        return mix(base, over[..., :3], over[..., 3])

    def trunks(base, count, thick, tone, blur, foot, avoid, branches=True):
        layer = Image.new("L", (w, h), 0)
        pen = ImageDraw.Draw(layer)
        for _ in range(count):
            px = rng.uniform(-0.02, 1.02) * w
            if abs(px / w - 0.53) < avoid:
                continue
            t = thick * rng.uniform(0.6, 1.3)
            lean, bottom = rng.normal(0, 0.025) * w, (foot + rng.uniform(-0.012, 0.02)) * h
            pen.polygon([(px + lean - t * 0.36, 0), (px + lean + t * 0.36, 0), (px + t * 0.5, bottom - t),
                         (px + t * 0.85, bottom), (px - t * 0.85, bottom), (px - t * 0.5, bottom - t)], fill=255)
            for _ in range(int(rng.integers(2, 6)) if branches else 0):
                by = rng.uniform(0.05, 0.48) * h
                bx = px + lean * (1 - by / bottom)
                reach = rng.choice((-1, 1)) * rng.uniform(2.0, 4.2) * min(t, 30)
                pen.line([(bx, by), (bx + reach * 0.5, by - abs(reach) * 0.32), (bx + reach, by - abs(reach) * 0.85)],
                         fill=255, width=max(1, int(min(t, 30) * 0.2)), joint="curve")
        mask = array(layer.filter(ImageFilter.GaussianBlur(blur)))
        toward = np.clip(1 - np.abs(x - 0.52) * 1.9, 0, 1)
        body = mix(np.broadcast_to(colour(*tone), base.shape), colour(255, 206, 120), toward * 0.36)
        return mix(base, body, mask * 0.95)

    picture = trunks(picture, 34, 9, (222, 160, 84), 4.0, ground, 0.0)
    picture = scatter(picture, 420, (-0.05, -0.05, 1.05, 0.52), (9, 30), 0.5, 4, leaves[1:5], hole=0.20)
    picture = trunks(picture, 22, 17, (164, 100, 52), 3.0, ground + 0.02, 0.06)
    picture = scatter(picture, 330, (-0.05, -0.05, 1.05, 0.46), (12, 34), 0.6, 2.6, leaves, hole=0.26)
    picture = scatter(picture, 700, (-0.05, ground + 0.005, 1.05, ground + 0.10), (5, 16), 0.55, 2, leaves, flat=0.35)
    picture = trunks(picture, 13, 34, (84, 46, 28), 2.0, ground + 0.065, 0.14)
    picture = scatter(picture, 900, (-0.05, ground + 0.07, 1.05, 0.90), (9, 24), 0.6, 1.6, leaves, flat=0.38)
    picture = scatter(picture, 240, (-0.05, -0.05, 1.05, 0.40), (14, 36), 0.72, 1.5, leaves, hole=0.32)
    path = np.exp(-(((x - 0.52 - 0.10 * np.sin((y - ground) * 7)) / (0.05 + (y - ground) * 0.62)) ** 2)) * smooth(ground, ground + 0.05, y)
    picture = mix(picture, picture * 0.62 + colour(255, 220, 150) * 0.34, path * 0.75 * smooth(1.05, 0.75, y))
    picture = trunks(picture, 5, 74, (40, 22, 18), 1.8, ground + 0.16, 0.30, branches=False)
    picture = scatter(picture, 620, (-0.05, 0.86, 1.05, 1.05), (14, 40), 0.62, 1.8, leaves, flat=0.42)
    picture = scatter(picture, 60, (-0.05, -0.05, 1.05, 0.26), (22, 54), 0.72, 3, leaves[:5], hole=0.36)
    rays_ = np.zeros((h, w))
    angle = np.arctan2(x - 0.60, y + 0.12)
    for n in range(9):
        at = rng.uniform(-0.5, 0.42)
        rays_ += rng.uniform(0.3, 1) * np.exp(-((angle - at) / rng.uniform(0.03, 0.08)) ** 2)
    rays_ *= smooth(0.0, 0.3, y) * smooth(0.86, 0.5, y)
    picture += rays_[..., None] * colour(255, 226, 150) * 0.13 + light[..., None] * colour(255, 220, 140) * 0.16
    return grain(vignette(picture, 0.38), 0.003, 4)


def dunes():
    w, h = int(WIDTH * 1.5), int(HEIGHT * 1.5)
    cell = 0.5
    cols, rws = 1800, 2600
    z, x = np.mgrid[0:rws, 0:cols] * cell
    x -= cols * cell / 2
    warp = (fbm(cols, rws, 420, 12, 3) - 0.5) * 120 + (fbm(cols, rws, 130, 13, 2) - 0.5) * 16

    def ridge(x, z, angle, length, warp, peak=0.72):
        p = ((x * np.cos(angle) + z * np.sin(angle) + warp) / length) % 1
        up, down = p / peak, (1 - p) / (1 - peak)
        return np.where(p < peak, up * up * (3 - 2 * up) * 0.35 + up ** 1.4 * 0.65, down ** 1.15)

    tall = 0.45 + 0.9 * smooth(0.2, 0.8, fbm(cols, rws, 380, 14, 2))
    heights = (26 * tall * ridge(x, z, 0.62, 190, warp)
               + 5 * ridge(x, z, 0.35, 66, warp * 0.8 + 30) * smooth(0.35, 0.75, fbm(cols, rws, 240, 15, 2))
               + 34 * (fbm(cols, rws, 700, 16, 2) - 0.5))
    heights -= 10 * np.exp(-(x / 60) ** 2 - (z / 90) ** 2)
    soft = heights.copy()
    for axis in (0, 1):
        soft = (np.roll(soft, 1, axis) + 2 * soft + np.roll(soft, -1, axis)) / 4
    field = Field(soft, -cols * cell / 2, 0, cell)
    gz, gx = np.gradient(soft, cell)
    sun = np.array([-0.80, 0.34, 0.42])
    sun /= np.linalg.norm(sun)
    flat = np.hypot(sun[0], sun[2])
    shadow = np.full(soft.shape, -99.0, np.float32)
    for step in range(1, 170):
        sx, sz = int(round(sun[0] / flat * step)), int(round(sun[2] / flat * step))
        moved = np.roll(np.roll(soft, -sz, 0), -sx, 1)
        np.maximum(shadow, moved - soft - step * cell * sun[1] / flat, out=shadow)
    lit = smooth(0.5, -0.35, shadow)
    for axis in (0, 1):
        lit = (np.roll(lit, 1, axis) + 2 * lit + np.roll(lit, -1, axis)) / 4
    dx, dy, dz = rays(w, h, 1.05, -0.10)
    ground = float(soft[60:200, cols // 2 - 60: cols // 2 + 60].max())
    eye = (0.0, ground + 17, 0.0)
    t = field.march(eye, dx, dy, dz, 8, 1250, 0.0028, 0.15)
    v = np.clip(dy, 0, 1)
    picture = ramp(v, (0, (255, 216, 164)), (0.05, (244, 202, 166)), (0.13, (178, 182, 196)),
                   (0.26, (84, 136, 192)), (0.6, (40, 92, 160)))
    glow = np.clip(dx * sun[0] + dy * 0.1 + dz * sun[2], 0, 1)
    picture += (glow ** 6)[:, None] * colour(255, 190, 110) * 0.35
    cirrus = Field(fbm(1600, 700, 60, 44, 6, stretch=5), -800, 0, 1)
    wisp = cirrus.sample(cirrus.h, dx / (v + 0.25) * 230, 60 / (v + 0.16))
    picture += (smooth(0.55, 1.0, wisp) * smooth(0.04, 0.2, v))[:, None] * colour(255, 224, 200) * 0.32
    on = np.isfinite(t)
    px, pz, far = dx[on] * t[on], dz[on] * t[on], t[on]
    nx, nz = -field.sample(gx, px, pz), -field.sample(gz, px, pz)
    bend = field.sample(warp.astype(np.float32), px, pz)
    steep = np.hypot(nx, nz)
    phase = (px * 0.82 + pz * 0.57 + bend * 0.35 + 0.35 * np.sin(px * 0.9 + pz * 0.31) + 0.5 * np.sin(pz * 0.37)) * 2 * np.pi / 0.95
    amount = 0.15 * np.exp(-(far / 70) ** 2) * smooth(0.65, 0.3, steep)
    nx, nz = nx - amount * np.cos(phase) * 0.82, nz - amount * np.cos(phase) * 0.57
    n = np.stack([nx, np.ones_like(nx), nz], -1)
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    direct = np.clip((n * sun).sum(-1), 0, 1) * field.sample(lit.astype(np.float32), px, pz)
    sand = colour(238, 164, 92)
    body = sand * (direct[:, None] * colour(255, 226, 176) * 1.62
                   + (0.30 + 0.22 * n[:, 1:2]) * colour(118, 124, 200) * 0.72
                   + 0.10 * colour(255, 150, 90))
    haze = 1 - np.exp(-(far / 900) ** 1.3)
    body = body * (1 - haze[:, None]) + colour(246, 194, 152) * haze[:, None]
    picture[on] = body
    picture = array(image(picture.reshape(h, w, 3)).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS))
    return grain(vignette(picture, 0.2), 0.006, 6)


def still_life():
    """Fruit on a table by a window on the left: distance fields and soft shadows."""
    w, h = int(WIDTH * 1.5), int(HEIGHT * 1.5)
    dx, dy, dz = (a.astype(np.float32) for a in rays(w, h, 1.20, -0.185))
    eye = np.array([0.0, 2.15, -7.4], np.float32)
    d = np.stack([dx, dy, dz], -1)

    def length(*parts):
        return np.sqrt(sum(p * p for p in parts))

    def union(a, b, k):
        t = np.clip(0.5 + 0.5 * (b - a) / k, 0, 1)
        return b * (1 - t) + a * t - k * t * (1 - t)

    def apple(p, c, r, tilt):
        x, y, z = p[:, 0] - c[0], p[:, 1] - c[1], p[:, 2] - c[2]
        x, y = x * np.cos(tilt) - y * np.sin(tilt), x * np.sin(tilt) + y * np.cos(tilt)
        q = length(x, z)
        angle = np.arctan2(y, q)
        shape = r * (1.0 + 0.05 * np.cos(2 * angle) - 0.50 * np.exp(-((angle - np.pi / 2) / 0.30) ** 2)
                     - 0.16 * np.exp(-((angle + np.pi / 2) / 0.35) ** 2) + 0.04 * np.sin(angle))
        body = (length(q, y) - shape) * 0.72
        stem_x = x - 0.10 * np.clip(y / r, 0, 2) ** 2
        stem = np.maximum(length(stem_x, z) - 0.026 * r - 0.015 * np.clip(y - r, 0, 1), np.abs(y - r * 0.92) - 0.36 * r)
        return body, stem * 0.8

    def pear(p, c, r, tilt):
        x, y, z = p[:, 0] - c[0], p[:, 1] - c[1], p[:, 2] - c[2]
        x, y = x * np.cos(tilt) - y * np.sin(tilt), x * np.sin(tilt) + y * np.cos(tilt)
        body = union(length(x, y, z) - r, length(x - 0.03, y - 1.18 * r, z) - 0.50 * r, 0.85 * r)
        bend = x - 0.03 - 0.16 * np.clip(y - 1.5 * r, 0, 2)
        stem = np.maximum(length(bend, z) - 0.032 * r, np.abs(y - 1.85 * r) - 0.32 * r)
        return body * 0.9, stem * 0.8

    def lemon(p, c, r, turn):
        x, y, z = p[:, 0] - c[0], p[:, 1] - c[1], p[:, 2] - c[2]
        x, z = x * np.cos(turn) - z * np.sin(turn), x * np.sin(turn) + z * np.cos(turn)
        q = length(y, z)
        body = (length(x / 1.26, q) - r) * 0.86
        tip = length((np.abs(x) - 1.26 * r) / 1.2, q) - 0.16 * r
        return union(body, tip, 0.30 * r) * 0.85

    rng = np.random.default_rng(3)
    grapes = []
    for row, count in enumerate((7, 5, 2)):
        for n in range(count):
            grapes.append((1.02 + row * 0.10 + (n - (count - 1) / 2) * 0.37 + rng.normal(0, 0.03) + 0.20,
                           0.21 + 0.29 * row + rng.normal(0, 0.015), -1.25 + (n % 2) * 0.30 + row * 0.10 + rng.normal(0, 0.04), 0.205 + rng.normal(0, 0.01)))
    grapes += [(0.30, 0.2, -1.85, 0.2), (0.05, 0.2, -2.35, 0.2)]

    def scene(p):
        parts = [p[:, 1]]
        body, stem1 = apple(p, (-1.75, 0.80, 0.05), 0.86, 0.16)
        parts.append(body)
        body, stem2 = pear(p, (0.35, 0.83, 0.75), 0.84, -0.10)
        parts += [body, length(p[:, 0] - 1.95, p[:, 1] - 0.74, p[:, 2] - 0.35) - 0.75]
        parts.append(lemon(p, (-0.42, 0.50, -0.95), 0.50, 0.45))
        bunch = np.full(p.shape[0], 9.0, np.float32)
        for gx, gy, gz, gr in grapes:
            np.minimum(bunch, length(p[:, 0] - gx, p[:, 1] - gy, p[:, 2] - gz) - gr, out=bunch)
        parts += [bunch, np.minimum(stem1, stem2)]
        return np.stack(parts, -1)

    t = np.full(d.shape[0], 4.0, np.float32)
    active = np.arange(d.shape[0])
    for _ in range(110):
        step = scene(eye + d[active] * t[active, None]).min(-1)
        t[active] += step
        active = active[(step > 0.0006 * t[active] * 0.25) & (t[active] < 14)]
        if not active.size:
            break
    hit = (t < 14) & ((eye[2] + d[:, 2] * t) < 3.4)
    y, x = np.mgrid[0:1:h * 1j, 0:1:w * 1j]
    wall = fbm(w, h, 300, 8, 5)
    back = (colour(66, 60, 52) * (0.42 + 1.25 * np.exp(-((x - 0.30) / 0.40) ** 2 - ((y - 0.28) / 0.42) ** 2))[..., None]
            * (0.86 + 0.28 * wall)[..., None] * np.array([0.92, 1.0, 1.03]))
    picture = back.reshape(-1, 3)
    who = np.flatnonzero(hit)
    p = eye + d[who] * t[who, None]
    parts = scene(p)
    kind = parts.argmin(-1)
    e = 0.002
    n = np.stack([scene(p + o).min(-1) - scene(p - o).min(-1) for o in (np.eye(3, dtype=np.float32) * e)], -1)
    n /= np.maximum(np.linalg.norm(n, axis=-1, keepdims=True), 1e-9)
    sun = np.array([-0.72, 0.62, -0.42], np.float32)
    sun /= np.linalg.norm(sun)
    shadow, reach = np.ones(who.size, np.float32), np.full(who.size, 0.03, np.float32)
    start = p + n * 0.012
    for _ in range(46):
        gap = scene(start + sun * reach[:, None]).min(-1)
        shadow = np.minimum(shadow, np.clip(0.5 + 0.5 * gap * 7 / reach, 0, 1))
        reach += np.clip(gap, 0.02, 0.25)
    shadow = smooth(0, 1, shadow)
    open_ = np.zeros(who.size, np.float32)
    for n_, s in enumerate((0.06, 0.16, 0.34, 0.62)):
        open_ += (s - np.clip(scene(p + n * s).min(-1), 0, s)) / s * (0.45 * 0.72 ** n_)
    open_ = np.clip(1 - open_ * 0.72, 0.05, 1)

    wood = Field(fbm(900, 900, 34, 19, 5, stretch=9), 0, 0, 1)
    px, pz = p[:, 0], p[:, 2]
    plank = np.floor((pz + 20) / 0.95)
    figure = wood.sample(wood.h, (px * 42 + 450 + plank * 137) % 890, ((pz * 60 + plank * 71) + 3000) % 890)
    rings = 0.5 + 0.5 * np.sin(figure * 26 + pz * 5)
    seam = np.abs(((pz + 20) / 0.95) % 1 - 0.5)
    table = ramp(0.6 * figure + 0.25 * rings, (0.1, (96, 54, 28)), (0.5, (150, 90, 48)), (0.95, (188, 124, 72)))
    table *= (1 - 0.55 * smooth(0.488, 0.499, seam))[:, None]
    ax, ay, az = px + 1.75, p[:, 1] - 0.8, pz - 0.05
    around, lift = np.arctan2(az, ax), np.arctan2(ay, np.hypot(ax, az))
    streak = fbm(1024, 256, 60, 50, 4, stretch=0.25)
    streaks = Field(streak, 0, 0, 1)
    s = streaks.sample(streaks.h, (around + np.pi) / (2 * np.pi) * 1000, (lift + 1.6) * 26 + 60)
    blush = np.clip(0.64 + 0.75 * (s - 0.5) + 0.35 * np.cos(around - 3.9) - 0.75 * smooth(0.75, 1.45, lift), 0, 1)
    red = ramp(blush, (0, (214, 176, 60)), (0.3, (222, 120, 44)), (0.6, (184, 28, 26)), (1, (122, 8, 18)))
    cheek = np.clip(0.45 + 0.9 * (fbm(512, 512, 120, 52, 3)[((p[:, 1] * 160).astype(int)) % 512, ((px * 150 + 200).astype(int)) % 512] - 0.5)
                    + 0.55 * (px - 0.35), 0, 1)
    green = ramp(cheek, (0, (176, 184, 62)), (0.5, (206, 186, 70)), (1, (204, 128, 58)))
    dots = Field(np.random.default_rng(8).random((700, 700)).astype(np.float32), 0, 0, 1)
    fleck = dots.sample(dots.h, (px * 90 + 300) % 690, (p[:, 1] * 90 + pz * 40 + 300) % 690)
    green = green * (1 - 0.22 * smooth(0.86, 1.0, fleck))[:, None]
    red = red + (0.16 * smooth(0.90, 1.0, fleck))[:, None] * colour(250, 200, 120)
    orange = np.broadcast_to(colour(238, 122, 14), p.shape)
    yellow = np.broadcast_to(colour(246, 204, 30), p.shape)
    bloom = fbm(512, 512, 40, 77, 4)[((p[:, 1] * 180).astype(int)) % 512, ((px * 180 + 40).astype(int)) % 512]
    grape = ramp(np.clip(bloom * 1.0, 0, 1), (0, (48, 14, 62)), (0.6, (74, 28, 88)), (1, (128, 96, 150)))
    stem = np.broadcast_to(colour(76, 52, 30), p.shape)
    albedo = np.select([(kind == k)[:, None] for k in range(7)], [table, red, green, orange, yellow, grape, stem])
    # Peel: the normals of the citrus fruit are pitted.
    rough = np.isin(kind, (3, 4))
    pits = Field(fbm(1024, 1024, 9, 61, 1), 0, 0, 1)
    bx = pits.sample(pits.h, (px * 210 + 512) % 1020, (p[:, 1] * 210 + pz * 120 + 512) % 1020) - 0.5
    by = pits.sample(pits.h, (px * 210 + 100) % 1020, (p[:, 1] * 210 + pz * 120 + 800) % 1020) - 0.5
    n = n + (rough * 0.10)[:, None] * np.stack([bx, by, bx * 0], -1)
    n /= np.linalg.norm(n, axis=-1, keepdims=True)
    lambert = (n * sun).sum(-1)
    wrap = np.where(kind == 0, np.clip(lambert, 0, 1), np.clip((lambert + 0.18) / 1.18, 0, 1))
    view = -d[who]
    halfway = sun + view
    halfway /= np.linalg.norm(halfway, axis=-1, keepdims=True)
    shine = np.array([24, 90, 46, 34, 40, 140, 12])[kind]
    gloss = np.array([0.10, 0.75, 0.30, 0.34, 0.34, 0.85, 0.05])[kind]
    spec = np.clip((n * halfway).sum(-1), 0, 1) ** shine * gloss * shadow
    rim = (1 - np.clip((n * view).sum(-1), 0, 1)) ** 4 * np.array([0.05, 0.16, 0.10, 0.08, 0.08, 0.22, 0])[kind]
    key = colour(255, 236, 204) * 1.62
    fill = colour(120, 132, 158) * (0.30 + 0.24 * n[:, 1:2])
    bounce = colour(196, 110, 56) * 0.30 * np.clip(-n[:, 1:2] + 0.35, 0, 1)
    thick = np.where(kind == 5, 0.35, 0.0) * np.clip(1 - np.abs((n * view).sum(-1)), 0, 1) ** 2
    body = albedo * (key * (wrap * shadow)[:, None] + (fill + bounce) * open_[:, None])
    body += spec[:, None] * colour(255, 248, 236) + (rim * open_)[:, None] * colour(190, 210, 240) + thick[:, None] * colour(150, 40, 90) * shadow[:, None] * 0.5
    edge = smooth(2.2, 3.4, p[:, 2])[:, None]
    fall = np.clip(1.08 - 0.085 * np.hypot(px + 1.2, pz), 0.25, 1)[:, None]
    behind = picture[who]
    picture[who] = (body * fall) * (1 - edge) + behind * edge
    picture = picture.reshape(h, w, 3)
    picture = np.clip(picture, 0, None)
    picture = picture * (1 + 0.12 * picture) / (1 + 0.34 * picture ** 2)
    picture = array(image(picture * 1.06).resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS))
    return grain(vignette(picture, 0.35), 0.006, 2)


def mandelbrot():
    """A spiral in the valley of the sea horses: a palette of 192 colours."""
    w, h, s = 640, 480, 4
    cx, cy, span = -0.743235, 0.131262, 0.00105
    y, x = np.mgrid[0:h * s, 0:w * s]
    c = ((x / (w * s) - 0.5) * span + cx) + 1j * ((0.5 - y / (h * s)) * span * h / w + cy)
    c = c.ravel()
    count = np.zeros(c.size)
    z, active = np.zeros_like(c), np.arange(c.size)
    zz, cc = z.copy(), c.copy()
    for n in range(1400):
        zz = zz * zz + cc
        size = zz.real ** 2 + zz.imag ** 2
        out = size > 400
        if out.any():
            count[active[out]] = n + 1 - np.log2(np.log(size[out]) / 2 / np.log(2))
            active, zz, cc = active[~out], zz[~out], cc[~out]
            if not active.size:
                break
    t = np.log(np.maximum(count, 1) / 60.0) / np.log(1400 / 60.0)
    cycle = (t * 3.1 + 0.06) % 1
    paint = ramp(cycle, (0, (8, 14, 48)), (0.18, (16, 74, 140)), (0.36, (120, 196, 214)), (0.48, (252, 246, 222)),
                 (0.62, (250, 186, 72)), (0.78, (176, 62, 38)), (0.9, (66, 18, 56)), (1, (8, 14, 48)))
    paint[count == 0] = 0.02
    picture = paint.reshape(h, s, w, s, 3).mean((1, 3))
    return image(picture).quantize(192, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def glass():
    """Translucent discs on nothing at all."""
    w, h, s = 800, 600, 2
    y, x = np.mgrid[0:h * s, 0:w * s] / s
    discs = [  # centre, radius, colour
        (270, 246, 146, (255, 84, 92)), (436, 196, 128, (255, 176, 40)), (548, 322, 138, (64, 190, 130)),
        (410, 392, 140, (48, 142, 240)), (240, 412, 92, (150, 92, 230)), (640, 176, 78, (250, 110, 180)),
        (692, 452, 64, (255, 150, 60)), (108, 178, 62, (60, 196, 220)), (330, 72, 44, (130, 200, 80)),
        (560, 528, 40, (240, 90, 120)), (84, 524, 46, (255, 196, 70)), (736, 284, 30, (110, 120, 240)),
    ]
    rgb, a = np.zeros((h * s, w * s, 3)), np.zeros((h * s, w * s))

    def over(paint, cover):
        nonlocal rgb, a
        total = cover + a * (1 - cover)
        rgb = (paint * cover[..., None] + rgb * (a * (1 - cover))[..., None]) / np.maximum(total, 1e-6)[..., None]
        a = total

    for px, py, r, tone in discs:
        u, v = (x - px) / r, (y - py) / r
        q = np.hypot(u, v)
        inside = smooth(1 + 0.9 / r, 1 - 0.9 / r, q)
        tone = colour(*tone)
        light = np.clip(0.5 - 0.5 * v, 0, 1)
        body = mix(np.broadcast_to(tone * 0.72, rgb.shape), tone * 0.8 + 0.2, light)
        rim = smooth(0.82, 1.0, q) ** 2
        over(body, inside * (0.60 + 0.24 * rim))
        line_ = (q > 0.93) * np.exp(-((q - 0.972) / (1.7 / r + 0.008)) ** 2) * inside
        over(np.ones_like(rgb), line_ * np.clip(0.18 - 0.5 * v - 0.3 * u, 0.06, 0.62))
        gu, gv = (u + 0.30) / 0.50, (v + 0.52) / 0.30
        tilt = -0.45
        gu, gv = gu * np.cos(tilt) - gv * np.sin(tilt) * 0.6, gu * np.sin(tilt) * 1.4 + gv * np.cos(tilt)
        over(np.ones_like(rgb), smooth(1, 0.15, np.hypot(gu, gv)) * 0.46 * inside)
        caustic = np.exp(-((np.hypot(u - 0.30, v - 0.48)) / 0.22) ** 2)
        caustic[caustic < 0.03] = 0
        over(np.broadcast_to(np.minimum(tone * 0.5 + 0.55, 1), rgb.shape), caustic * 0.36 * inside)
    pre = np.dstack([rgb * a[..., None], a]).reshape(h, s, w, s, 4).mean((1, 3))
    alpha = pre[..., 3]
    straight = pre[..., :3] / np.maximum(alpha, 1e-6)[..., None]
    out = np.dstack([straight, alpha])
    out[alpha < 0.5 / 255] = 0
    # Steps of 5 are hardly seen here, and halve the file.
    return Image.fromarray(np.clip(np.round(out * 255 / 5) * 5, 0, 255).astype(np.uint8), "RGBA")


# Files.


def orientation(value):
    return b"Exif\0\0II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, value, 0, 0)


def jpeg(picture, **options):
    out = io.BytesIO()
    picture.save(out, "JPEG", **{"quality": 80, "optimize": True, "subsampling": "4:2:0", **options})
    return out.getvalue()


def png(picture, **options):
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True, **options)
    return out.getvalue()


def turned(picture):
    """Stored a quarter turn counter-clockwise: EXIF orientation 6 turns it back."""
    return jpeg(picture.transpose(Image.Transpose.ROTATE_90), quality=77, exif=orientation(6))


SAMPLES = {
    "mountains.jpg": (lambda: jpeg(image(mountains()), quality=77, progressive=True), "ridges at dusk; progressive JPEG"),
    "ocean.jpg": (lambda: jpeg(image(ocean()), quality=68), "waves in the morning; baseline JPEG"),
    "night.jpg": (lambda: jpeg(image(night()), progressive=True), "moon and stars over a lake; progressive JPEG"),
    "autumn.jpg": (lambda: turned(image(autumn())), "a wood; baseline JPEG, EXIF orientation 6, upright 853×1280"),
    "dunes.jpg": (lambda: jpeg(image(dunes()), progressive=True), "a desert; progressive JPEG"),
    "still-life.jpg": (lambda: jpeg(image(still_life())), "fruit on a table; baseline JPEG"),
    "mandelbrot.png": (lambda: png(mandelbrot()), "the Mandelbrot set; palette PNG"),
    "glass.png": (lambda: png(glass()), "translucent discs; RGBA PNG"),
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    chosen = sys.argv[1:] or list(SAMPLES)
    for name in chosen:
        data = SAMPLES[name][0]()
        (FOLDER / name).write_bytes(data)
        print(f"{name}: {len(data):,} bytes", flush=True)
    if not sys.argv[1:]:
        rows = []
        for name, (_, note) in SAMPLES.items():
            with Image.open(FOLDER / name) as picture:
                rows.append(f"| `{name}` | {picture.width}×{picture.height} | {note} |")
        (FOLDER / "PROVENANCE.md").write_text(
            "# Where these pictures come from\n\n"
            "`scripts/make-samples.py` computed every picture here from formulas and seeded noise; there is no source\n"
            "material. They are dedicated to the public domain under\n"
            "[CC0 1.0](https://creativecommons.org/publicdomain/zero/1.0/).\n\n"
            f"Made with Python {sys.version.split()[0]}, Pillow {PIL.__version__} (libjpeg-turbo "
            f"{features.version('libjpeg_turbo')}) and numpy {np.__version__}.\n\n"
            "| File | As stored | What it is |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n")
        total = sum((FOLDER / name).stat().st_size for name in SAMPLES)
        print(f"{total:,} bytes in all")
        assert total <= 700_000


main()
