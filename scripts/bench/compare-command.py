"""The measurements of scripts/bench/compare-command, which passes the path of `tintype` and the names of the parts."""

import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from timing_tools import all_in_turns, ratio

SAMPLES = pathlib.Path(__file__).parents[2] / "Sources/CTintypeSamples/Samples"
PHOTOS = ["ocean.jpg", "dunes.jpg", "mountains.jpg", "night.jpg"]
PORT = int(os.environ.get("TINTYPE_BENCH_PORT", 18481))
ROUNDS = int(os.environ.get("ROUNDS", 7))
CONFIGURATION = """
daemon off; worker_processes 1; pid {root}/nginx.pid; error_log {root}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=2000;
    client_body_temp_path {root}/b; proxy_temp_path {root}/p; fastcgi_temp_path {root}/f; uwsgi_temp_path {root}/u;
    scgi_temp_path {root}/s; types {{ image/jpeg jpg; }}
    server {{ listen 127.0.0.1:{port}; root {www}; }}
}}
"""


class Usage:
    """What some processes have used that ran at once: seconds, and bytes.

    The kernel counts this program, which has forked them, as memory of theirs: a peak below 20 MB may be less."""

    def __init__(self, wall, processor, memory):
        self.wall, self.processor, self.memory = wall, processor, memory

    def __str__(self):
        return f"{self.wall * 1000:8.1f} ms  {self.processor * 1000:8.1f} ms processor  {self.memory / 1e6:6.1f} MB"


def run(*commands, cwd=None, output=subprocess.DEVNULL):
    """Runs commands at once to their end. The peaks of their memory are added."""
    start = time.perf_counter()
    processes = [
        subprocess.Popen([str(word) for word in command], cwd=cwd, stdout=output, stderr=subprocess.PIPE)
        for command in commands]
    processor, memory = 0, 0
    for process, command in zip(processes, commands):
        errors = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"compare-command: {command[0]} has failed: {errors.decode(errors='replace')[-500:]}")
        processor += used.ru_utime + used.ru_stime
        memory += used.ru_maxrss * 1024
    return Usage(time.perf_counter() - start, processor, memory)


class Table:
    """The contestants of one measurement, and whether their goals are met."""

    missed = False

    def __init__(self, title, contestants):
        print(f"\n{title}", flush=True)
        self.usages = all_in_turns(ROUNDS, contestants)
        for name, usages in self.usages.items():
            median = Usage(*(statistics.median(getattr(usage, part) for usage in usages)
                             for part in ("wall", "processor", "memory")))
            print(f"  {name:34}{median}", flush=True)

    def of(self, name, part="wall"):
        return [getattr(usage, part) for usage in self.usages[name]]

    def better(self, *names):
        """Returns the contestant with the shorter time."""
        return min(names, key=lambda name: statistics.median(self.of(name)))

    def goal(self, text, value, limit):
        """Prints a value, which must be at most `limit`."""
        Table.missed |= value > limit
        print(f"  {'met   ' if value <= limit else 'MISSED'} {text}: {value:.2f}, at most {limit}", flush=True)


@contextlib.contextmanager
def fresh_folder(parent):
    folder = parent / "out"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    yield folder


@contextlib.contextmanager
def nginx(folder, www):
    root = folder / "nginx"
    root.mkdir()
    (root / "nginx.conf").write_text(CONFIGURATION.format(root=root, port=PORT, www=www))
    for path in (folder, www):
        path.chmod(0o755)
    process = subprocess.Popen(["nginx", "-c", root / "nginx.conf", "-p", root])
    try:
        for _ in range(100):
            if subprocess.run(["curl", "-so", "/dev/null", f"http://127.0.0.1:{PORT}/"]).returncode == 0:
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{PORT}"
    finally:
        process.terminate()
        process.wait()


def fetch(tintype, folder, count=1000):
    """1,000 JPEGs of 58 KB from loopback into a folder, 32 at once."""
    www = folder / "www"
    www.mkdir()
    for number in range(count):
        shutil.copy(SAMPLES / "dunes.jpg", www / f"{number:04}.jpg")
    with nginx(folder, www) as origin:
        urls = [f"{origin}/{number:04}.jpg" for number in range(count)]
        (folder / "urls.txt").write_text("\n".join(urls) + "\n")
        (folder / "curl.txt").write_text("".join(f'url = "{url}"\nremote-name\n' for url in urls))

        def ours(*options):
            with fresh_folder(folder) as out:
                usage = run([tintype, "fetch", "--quiet", "--no-cache", "--concurrency", 32,
                             "--from", folder / "urls.txt", "--output", out, *options])
                assert len(list(out.iterdir())) == count
                return usage

        def theirs(*command):
            with fresh_folder(folder) as out:
                usage = run(command, cwd=out)
                assert len(list(out.iterdir())) == count
                return usage

        table = Table(f"{count} JPEGs of 58 KB from nginx on loopback into a folder, 32 at once", {
            "tintype --no-verify": lambda: ours("--no-verify"),
            "tintype": ours,
            "curl": lambda: theirs(
                "curl", "-s", "--parallel", "--parallel-max", 32, "--parallel-immediate", "-K", folder / "curl.txt"),
            "curl, one connection": lambda: theirs("curl", "-s", "-K", folder / "curl.txt"),
            "aria2c": lambda: theirs(
                "aria2c", "-q", "-j", 32, "-x", 1, "--file-allocation=none", "--allow-overwrite=true", "-i",
                folder / "urls.txt"),
        })
    peer = table.better("curl", "curl, one connection")
    table.goal(f"--no-verify, time of {peer}", ratio(table.of("tintype --no-verify"), table.of(peer)), 1.5)
    table.goal("verified, time of aria2c", ratio(table.of("tintype"), table.of("aria2c")), 1)
    for name in ("tintype", "tintype --no-verify"):
        table.goal(f"{name}, MB", statistics.median(table.of(name, "memory")) / 1e6, 60)


def info(tintype, folder, count=1000):
    """The headers of 1,000 local files, and the start and end of the process."""
    files = [folder / f"{number:04}.jpg" for number in range(count)]
    for number, file in enumerate(files):
        shutil.copy(SAMPLES / PHOTOS[number % len(PHOTOS)], file)
    (folder / "files.txt").write_text("\n".join(map(str, files)) + "\n")
    table = Table("info of local files", {
        "1 file": lambda: run([tintype, "info", files[0]]),
        "1,000 files": lambda: run([tintype, "info", "--from", folder / "files.txt"]),
        "1,000 files, --json": lambda: run([tintype, "info", "--json", "--from", folder / "files.txt"]),
        "--version": lambda: run([tintype, "--version"]),
        "vipsthumbnail --version": lambda: run(["vipsthumbnail", "--vips-version"]),
    })
    table.goal("1 file, ms", statistics.median(table.of("1 file")) * 1000, 30)
    for name in ("1,000 files", "1,000 files, --json"):
        times = [(many - one) * 1e6 / (count - 1) for many, one in zip(table.of(name), table.of("1 file"))]
        table.goal(f"{name}, µs each", statistics.median(times), 40)


def thumbnails(tintype, folder, count=40):
    """40 JPEGs of 12 megapixels to JPEGs of at most 256 × 256 pixels."""
    files = [folder / f"{number:02}.jpg" for number in range(count)]
    for number, photo in enumerate(PHOTOS):
        run([tintype, "convert", SAMPLES / photo, files[number], "--resize", "4000x3000", "--mode", "stretch",
             "--enlarge", "--quality", 90])
    for number, file in enumerate(files[len(PHOTOS):]):
        shutil.copy(files[number % len(PHOTOS)], file)

    def ours(*options):
        with fresh_folder(folder) as out:
            usage = run([tintype, "convert", "--quiet", "--no-cache", "--thumbnail", "256x256", "--quality", 75,
                         "-o", out, *options, *files])
            assert len(list(out.iterdir())) == count
            return usage

    def theirs(parts):
        with fresh_folder(folder) as out:
            usage = run(*(
                ["vipsthumbnail", "--size", "256x256", "-o", f"{out}/%s.jpg[Q=75]", *files[part::parts]]
                for part in range(parts)))
            assert len(list(out.iterdir())) == count
            return usage

    table = Table(f"{count} JPEGs of 12 megapixels to 256 pixels", {
        "tintype": ours,
        "vipsthumbnail": lambda: theirs(1),
        "2 × vipsthumbnail": lambda: theirs(2),
    })
    peer = table.better("vipsthumbnail", "2 × vipsthumbnail")
    table.goal(f"time of {peer}", ratio(table.of("tintype"), table.of(peer)), 0.67)
    table.goal(f"memory of {peer}", ratio(table.of("tintype", "memory"), table.of(peer, "memory")), 1)


def webp(tintype, folder, count=200):
    """200 PNGs of 1 megapixel to WebP: libwebp at quality 80 and effort 4 everywhere."""
    files = [folder / f"{number:03}.png" for number in range(count)]
    for number, photo in enumerate(PHOTOS):
        run([tintype, "convert", SAMPLES / photo, files[number], "--resize", "1155x866", "--mode", "stretch"])
    for number, file in enumerate(files[len(PHOTOS):]):
        shutil.copy(files[number % len(PHOTOS)], file)

    def checked(commands):
        with fresh_folder(folder) as out:
            usage = run(*commands(out))
            assert len(list(out.iterdir())) == count
            return usage

    def mogrify(out, part, parts):
        return ["mogrify", "-path", out, "-format", "webp", "-quality", 80, "-define", "webp:method=4",
                *files[part::parts]]

    def ffmpeg(out, start, length):
        return ["ffmpeg", "-v", "error", "-start_number", start, "-i", folder / "%03d.png", "-frames:v", length,
                "-c:v", "libwebp", "-quality", 80, "-compression_level", 4, "-start_number", start, out / "%03d.webp"]

    half = count // 2
    table = Table(f"{count} PNGs of 1 megapixel to WebP, quality 80, effort 4", {
        "tintype": lambda: checked(lambda out: [
            [tintype, "convert", "--quiet", "--no-cache", "--format", "webp", "--quality", 80, "-o", out, *files]]),
        "mogrify": lambda: checked(lambda out: [mogrify(out, 0, 1)]),
        "2 × mogrify": lambda: checked(lambda out: [mogrify(out, part, 2) for part in range(2)]),
        "ffmpeg": lambda: checked(lambda out: [ffmpeg(out, 0, count)]),
        "2 × ffmpeg": lambda: checked(lambda out: [ffmpeg(out, 0, half), ffmpeg(out, half, count - half)]),
    })
    # Two processes are shown only to compare: a user starts one.
    peer = table.better("mogrify", "ffmpeg")
    table.goal(f"time of {peer}", ratio(table.of("tintype"), table.of(peer)), 1)


PARTS = {"fetch": fetch, "info": info, "thumbnails": thumbnails, "webp": webp}


def main(tintype, *names):
    for name in names or PARTS:
        if name not in PARTS:
            sys.exit(f"compare-command: expected one of {', '.join(PARTS)}, got {name}")
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](tintype, pathlib.Path(folder))
    sys.exit(Table.missed)


main(*sys.argv[1:])
