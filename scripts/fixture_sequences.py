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


def with_alpha(film):
    """Makes of the second track of a film the alpha of the first."""
    def inside(place, *kinds):
        places = [place]
        for kind in kinds:
            head = {b"stsd": 16, b"hvc1": 86}.get(film[places[-1] + 4:places[-1] + 8], 8)
            end = places[-1] + int.from_bytes(film[places[-1]:places[-1] + 4], "big")
            places.append(next(p for k, p, _ in fixture_boxes.boxes(film, places[-1] + head, end) if k == kind))
        return places

    def second():
        movie, size = fixture_boxes.find(film, b"moov")
        return movie, [p for k, p, _ in fixture_boxes.boxes(film, movie + 8, movie + size) if k == b"trak"][1]

    movie, track = second()
    kind = fixture_boxes.full_box(b"auxi", 0, 0, b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")
    entry = inside(track, b"mdia", b"minf", b"stbl", b"stsd", b"hvc1")
    film = fixture_boxes.put(film, kind, entry[-1] + 86, movie, *entry)
    reference = fixture_boxes.box(b"tref", fixture_boxes.box(b"auxl", b"\0\0\0\1"))
    header = inside(track, b"tkhd")[-1]
    film = fixture_boxes.put(
        film, reference, header + int.from_bytes(film[header:header + 4], "big"), movie, track)
    handler = inside(track, b"mdia", b"hdlr")[-1]
    assert film[handler + 16:handler + 20] == b"vide"
    return film[:handler + 16] + b"auxv" + film[handler + 20:]


def make_alpha_sequence(kit, folder):
    """Colours and alpha without loss, each track with key frames of its own, and frames in another order."""
    (w, h), given = (48, 32), ["-f", "rawvideo", "-s", "48x32", "-framerate", "10"]
    frames = [np.roll(kit.picture(w, h), 4 * i, axis=1) for i in range(5)]
    alphas = [np.roll(kit.alpha(w, h), -4 * i, axis=1) for i in range(5)]
    (folder / "colours").write_bytes(planes_of(frames))
    (folder / "alpha").write_bytes(b"".join(a.tobytes() for a in alphas))
    ffmpeg(folder, *given, "-pix_fmt", "yuvj444p", "-i", "colours", *given, "-pix_fmt", "gray", "-i", "alpha", "-map", "0",
           "-map", "1", "-tag:v", "hvc1", "-movflags", "+faststart", "-c:v", "libx265", "-pix_fmt:v:0", "yuvj444p",
           "-pix_fmt:v:1", "gray", "-x265-params:v:0", "log-level=none:info=0:range=full:lossless=1:bframes=2:b-adapt=0",
           "-x265-params:v:1", "log-level=none:info=0:range=full:lossless=1:bframes=0:keyint=2:scenecut=0", "film.mp4")
    planes = ffmpeg(folder, "-i", "film.mp4", "-map", "0:0", "-f", "rawvideo", "-pix_fmt", "yuvj444p", "-")
    judged = ffmpeg(folder, "-i", "film.mp4", "-map", "0:1", "-f", "rawvideo", "-pix_fmt", "gray", "-")
    assert judged == b"".join(a.tobytes() for a in alphas)
    shown = [np.dstack([c[..., :3], a]) for c, a in zip(colours_of(planes, w, h), alphas)]
    data = with_alpha(as_sequence((folder / "film.mp4").read_bytes()))
    kit.add("sequence-alpha.heics", data, format="heic", expect=shown, frames=5, loops=0, durations=[0.1] * 5, has_alpha=True,
            lossless=True, near=1, note="a sequence of 5 frames with a track of their alpha, whose key frames are others")


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
    make_alpha_sequence(kit, folder)
