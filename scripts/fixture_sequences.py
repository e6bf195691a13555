"""HEIC sequences for make-fixtures.py. ffmpeg (of imageio-ffmpeg) encodes and muxes them as a film, and judges the planes;
numpy makes colours of these. What makes a film an image sequence, brands and the kind of the track, is put in here."""

import subprocess
import tempfile
from pathlib import Path

import imageio_ffmpeg
import numpy as np

import fixture_boxes


def ffmpeg(folder, *arguments, given=b""):
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-y", "-fflags", "+bitexact", *arguments]
    return subprocess.run(command, cwd=folder, input=given, check=True, capture_output=True).stdout


def planes_of(frames, red=0.299, blue=0.114):
    """Full-range Y'CbCr of 8 bits, one picture after the other."""
    out = b""
    for frame in frames:
        rgb = frame[..., :3] / 255.0
        luma = rgb @ np.array([red, 1 - red - blue, blue])
        cb, cr = (rgb[..., 2] - luma) / (2 - 2 * blue) + 128 / 255, (rgb[..., 0] - luma) / (2 - 2 * red) + 128 / 255
        out += b"".join(np.clip(np.round(p * 255), 0, 255).astype(np.uint8).tobytes() for p in (luma, cb, cr))
    return out


def colours_of(planes, w, h, scale=1, red=0.299, blue=0.114):
    """What each picture looks like; a sample of chroma stands for `scale` pixels across and down."""
    cw, ch = -(-w // scale), -(-h // scale)
    size = w * h + 2 * cw * ch
    shown = []
    for start in range(0, len(planes), size):
        part = np.frombuffer(planes[start:start + size], np.uint8).astype(float)
        luma = part[:w * h].reshape(h, w) / 255
        cb, cr = (p.reshape(ch, cw).repeat(scale, 0).repeat(scale, 1)[:h, :w] / 255 - 128 / 255
                  for p in (part[w * h:w * h + cw * ch], part[w * h + cw * ch:]))
        r, b = luma + (2 - 2 * red) * cr, luma + (2 - 2 * blue) * cb
        g = (luma - red * r - blue * b) / (1 - red - blue)
        rgb = np.round(np.clip(np.stack([r, g, b], -1), 0, 1) * 255).astype(np.uint8)
        shown.append(np.dstack([rgb, np.full((h, w), 255, np.uint8)]))
    return shown


def as_sequence(film):
    """The brands and the handler of an image sequence."""
    place, size = fixture_boxes.find(film, b"ftyp")
    brands = fixture_boxes.box(b"ftyp", b"hevc", b"\0\0\0\0", b"msf1", b"hevc", b"iso8")
    brands = brands[:size] if len(brands) >= size else fixture_boxes.box(
        b"ftyp", brands[8:], b"msf1" * ((size - len(brands)) // 4))
    film = brands + film[size:]
    place, _ = fixture_boxes.find(film, b"moov", b"trak", b"mdia", b"hdlr")
    assert film[place + 16:place + 20] == b"vide"
    return film[:place + 16] + b"pict" + film[place + 20:]


def make_sequences(kit):
    folder, (w, h) = Path(tempfile.mkdtemp()), (48, 32)
    frames = [np.roll(kit.picture(w, h), 4 * i, axis=1) for i in range(7)]
    common = ["-f", "rawvideo", "-pix_fmt", "yuvj444p", "-s", f"{w}x{h}", "-framerate", "10", "-i", "-", "-tag:v", "hvc1",
              "-movflags", "+faststart", "-c:v", "libx265"]

    def add(name, pix_fmt, options, note, scale=1, near=1):
        ffmpeg(folder, *common, "-pix_fmt", pix_fmt, "-x265-params", f"log-level=none:info=0:range=full:{options}", "film.mp4",
               given=planes_of(frames))
        planes = ffmpeg(folder, "-i", "film.mp4", "-f", "rawvideo", "-pix_fmt", pix_fmt, "-")
        shown = colours_of(planes, w, h, scale)
        data = as_sequence((folder / "film.mp4").read_bytes())
        kit.add(name, data, format="heic", expect=shown, frames=7, loops=0, durations=[0.1] * 7, lossless=True, near=near, note=note)
        return data

    whole = add("sequence.heics", "yuvj444p", "lossless=1:bframes=2:keyint=4:min-keyint=4:b-adapt=0:scenecut=0:open-gop=0",
                "an image sequence of 7 frames, a key frame each fourth, frames in another order than they are shown")
    add("frames-420.heics", "yuvj420p", "crf=20:bframes=0:keyint=3:scenecut=0", "4:2:0, a key frame each third", scale=2)
    kit.add("truncated.heics", whole[:len(whole) * 8 // 10], format="heic", size=(w, h), valid=False,
            note="ends in the pixels")
