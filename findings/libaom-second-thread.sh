#!/bin/bash
# libaom writes another AVIF when it may use a second thread
#
# An encoder that gets more threads should need less time for the same file, as libjxl
# does, and as libaom itself does from two threads on: two, four and eight give equal
# bytes. But one thread gives others, because the coding of rows at once, which a
# second thread turns on, chooses differently. The file may be smaller or larger by a
# percent or two. A service that lends its encoder the threads that happen to idle
# therefore stores different bytes, under different tags, for the same image.
#
# Seen with libavif 1.4.2 (Pillow 13.0.0), 800 x 600 pixels, quality 60:
#   speed 8: 1 thread 49015 bytes; 2, 4 and 8 threads [48964] bytes, 1 different file(s)
#   speed 6: 1 thread 37819 bytes; 2, 4 and 8 threads [37290] bytes, 1 different file(s)
#
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet install pillow==13.0.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import sys

import numpy as np
from PIL import Image, features

if features.version("avif") != "1.4.2":
    print("libavif", features.version("avif"))
    sys.exit(2)
y, x = np.mgrid[0:600, 0:800]
waves = sum(30 * np.sin(x * a + y * b + a * 50) for a, b in ((0.01, 0.02), (0.05, 0.013), (0.11, 0.17)))
noise = np.random.default_rng(1).normal(0, 6, (600, 800))
grey = 128 + waves + noise
image = Image.fromarray(np.clip(np.dstack([grey, grey[::-1], grey[:, ::-1]]), 0, 255).astype(np.uint8))


def written(threads, speed):
    out = io.BytesIO()
    image.save(out, "AVIF", codec="aom", quality=60, speed=speed, max_threads=threads)
    return out.getvalue()


differs = True
for speed in (8, 6):
    one, *several = [written(threads, speed) for threads in (1, 2, 4, 8)]
    print(f"speed {speed}: 1 thread {len(one)} bytes; 2, 4 and 8 threads {sorted({len(file) for file in several})} bytes,",
          f"{len(set(several))} different file(s)")
    differs = differs and one != several[0] and len(set(several)) == 1
sys.exit(0 if differs else 1)
PYTHON
