"""The measurements of scripts/bench/compare-decoders, which passes the directory of its programs and the number of rounds."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pyvips
from PIL import Image

from timing_tools import Program, all_in_turns, ratio, timed

SAMPLE = pathlib.Path(__file__).parents[2] / "Sources/CTintypeSamples/Samples/mountains.jpg"
LARGE, SMALL = (4000, 3000), (1600, 1200)
SIDE = 256
PROFILE = pathlib.Path(__file__).parents[2] / "Tests/TintypeCodecTests/Fixtures/profiles/p3.icc"
# The offset of the profile's description text.
DESCRIPTION = 240 + 12

VIPS = """
import sys, pyvips
pyvips.Image.thumbnail_buffer(open(sys.argv[2], "rb").read(), int(sys.argv[1])).write_to_memory()
"""
# The same without decoding, to subtract the memory of start-up and reading.
VIPS_IDLE = """
import sys, pyvips
pyvips.version(0), open(sys.argv[2], "rb").read()
"""


def samples(folder, program):
    """Writes a photograph in every format, smaller for slow formats."""
    photo = Image.open(SAMPLE).convert("RGB")
    large, small = (photo.resize(size, Image.BICUBIC) for size in (LARGE, SMALL))
    files = {}

    def save(image, name, **options):
        files[name] = folder / f"sample.{name}"
        image.save(files[name], **options)

    save(large, "jpg", quality=90)
    save(large, "png", compress_level=6)
    save(large, "tiff", compression="tiff_lzw")
    save(large, "webp", quality=85, method=2)
    save(small, "gif")
    save(small, "avif", quality=70, speed=8)
    for name, form in (("jxl", "jxl"), ("heic", "heic")):
        save(small, "source.png", compress_level=1)
        files[name] = folder / f"sample.{name}"
        subprocess.run([program, "encode", files["source.png"], form, files[name]], check=True)
    files.pop("source.png")
    return files


def thumbnails(folder, count=40):
    """Writes small Display P3 photographs: some with one common profile, some with a profile of their own."""
    photo = Image.open(SAMPLE).convert("RGB").resize((256, 170), Image.LANCZOS)
    profile = PROFILE.read_bytes()
    same, own = [], []
    for index in range(count):
        named = bytearray(profile)
        named[DESCRIPTION] = ord("0") + index
        for kind, bytes_ in ((same, profile), (own, bytes(named))):
            kind.append(folder / f"{'own' if kind is own else 'same'}-{index}.jpg")
            photo.save(kind[-1], quality=85, icc_profile=bytes_)
    return {"same": same, "own": own}


def peak(command):
    """Returns the peak memory of a process in megabytes."""
    script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);" \
             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    out = subprocess.run([sys.executable, "-c", script, *map(str, command)], check=True, capture_output=True, text=True)
    return int(out.stdout) / 1024


def bombs(program):
    """Measures the first refusal of each bomb, by its header and by decoding, against its limits of time and memory."""
    goals = {}
    told = subprocess.run([program, "bombs"], check=True, capture_output=True, text=True).stdout
    print(told, end="")
    for bomb, first, kilobytes in re.findall(r"^(.*): first (\S+) ms, best \S+ ms, (\d+) KB$", told, re.MULTILINE):
        goals[f"{bomb}: time / 10 ms, at most 1"] = (float(first) / 10, 1)
        goals[f"{bomb}: memory / 4 MB, at most 1"] = (int(kilobytes) / 4096, 1)
    assert len(goals) >= 2 * 12, "a bomb is missing"
    return goals


def main(programs, rounds):
    program, thumbnail = (pathlib.Path(programs) / name for name in ("DecodeTimings", "JPEGThumbnail"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files = samples(folder, program)
        timings = Program(program)
        jpeg = files["jpg"].read_bytes()
        taken = all_in_turns(rounds, {
            **{(who, form): lambda who=who, file=file: timings.time(who, file)
               for form, file in files.items() for who in ("tintype", "control")},
            "tintype thumbnail": lambda: timings.time("thumbnail", SIDE, files["jpg"]),
            **{kind: lambda paths=paths: sum(timings.time("tintype", path) for path in paths) / len(paths)
               for kind, paths in thumbnails(folder).items()},
            "vips thumbnail": lambda: timed(lambda: pyvips.Image.thumbnail_buffer(jpeg, SIDE).write_to_memory()),
        })
        times = {name: min(each) for name, each in taken.items()}
        print(f"the best of {rounds} rounds, and the median of their ratios; libvips {pyvips.version(0)}.{pyvips.version(1)}")
        print("format     tintype       bare library   tintype/bare")
        goals = {}
        for form in files:
            mine, bare = taken["tintype", form], taken["control", form]
            print(f"{form:<8} {min(mine):8.2f} ms {min(bare):12.2f} ms {ratio(mine, bare):14.3f}")
            goals[f"{form}: our time / the bare library's, at most 1.05"] = (ratio(mine, bare), 1.05)
        print(f"JPEG of 256x170 with a known colour profile: {times['same']:.3f} ms, "
              f"{times['own']:.3f} ms where not, {times['same'] / times['own']:.2f}")
        ours, theirs = times["tintype thumbnail"], times["vips thumbnail"]
        print(f"JPEG of 12 megapixels to {SIDE} pixels: {ours:.2f} ms, pyvips {theirs:.2f} ms")
        goals["thumbnail: our time / pyvips's, at most 1"] = (ours / theirs, 1)
        memory, idle = peak([program, "once", SIDE, files["jpg"]]), peak([program, "idle", files["jpg"]])
        vips, vips_idle = (peak([sys.executable, "-c", script, SIDE, files["jpg"]]) for script in (VIPS, VIPS_IDLE))
        print(f"memory: ours {memory:.1f} MB, {idle:.1f} MB of it before it begins; "
              f"pyvips in Python {vips:.1f} MB, {vips_idle:.1f} MB of it before")
        goals["thumbnail: memory that our decode adds / that pyvips's adds, at most 1"] = (
            (memory - idle) / (vips - vips_idle), 1)
        if tool := shutil.which("vipsthumbnail"):
            whole = peak([tool, "--size", SIDE, "-o", folder / "small.jpg", files["jpg"]])
            alone = peak([thumbnail, SIDE, files["jpg"], folder / "small.jpg"])
            print(f"from file to file: vipsthumbnail {whole:.1f} MB, a program that links our JPEG alone {alone:.1f} MB")
            goals["thumbnail: our process's memory / vipsthumbnail's, at most 1"] = (alone / whole, 1)
        timings.close()
        goals |= bombs(program)
        for goal, (reached, most) in goals.items():
            print(f"{'met   ' if reached <= most else 'MISSED'} {reached:6.3f}   {goal}")
        return all(reached <= most for reached, most in goals.values())


sys.exit(0 if main(sys.argv[1], int(sys.argv[2])) else 1)
