"""What is installed: the names that rows need, with their versions."""

import functools
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess

PACKAGES = ("av", "libcachesim", "numpy", "opencv-python-headless", "pillow", "pyspng", "pyvips", "pyvips-binary",
            "simplejpeg")
# Programs, with what prints their versions.
PROGRAMS = {
    "aria2c": ["--version"], "curl": ["--version"], "ffmpeg": ["-version"], "nginx": ["-v"], "sqlite3": ["--version"],
    "valgrind": ["--version"], "vipsthumbnail": ["--vips-version"], "wrk": ["-v"],
}
LIBRARIES = ("giflib", "libavif", "libdeflate", "libheif", "libjpeg", "libjxl", "libpng", "libtiff-4", "libwebp", "zlib")
PATH = os.environ.get("PATH", "") + ":/usr/sbin"


@functools.cache
def installed(simd_python):
    """Returns versions by name; `None` for what is missing."""
    found = {name: _package(name) for name in PACKAGES}
    found |= {name: _program(name, arguments) for name, arguments in PROGRAMS.items()}
    found["pillow-simd"] = _simd(simd_python)
    return found


def libraries():
    """Returns the versions of the C libraries, as pkg-config knows them."""
    found = {}
    for name in LIBRARIES:
        out = subprocess.run(["pkg-config", "--modversion", name], capture_output=True, text=True, check=False)
        if out.returncode == 0:
            found[name] = out.stdout.strip()
    return found


def machine():
    """Returns a line about the machine."""
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo", encoding="utf-8").read())
    release = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    return f"{model[1] if model else platform.machine()}, {len(os.sched_getaffinity(0))} cores, {release}"


def swift():
    out = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"Swift version (\S+)", out)
    return found[1] if found else "unknown"


def _package(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _program(name, arguments):
    path = shutil.which(name, path=PATH)
    if not path:
        return None
    out = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    found = re.search(r"\d+(\.\d+)+", out.stdout + out.stderr)
    return found[0] if found else "installed"


def _simd(python):
    if not python or not os.path.exists(python):
        return None
    out = subprocess.run(
        [python, "-c", "import importlib.metadata as m; print(m.version('pillow-simd'))"], capture_output=True, text=True,
        check=False)
    return out.stdout.strip() or None
