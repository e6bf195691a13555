"""Rows H and P: transfers from an nginx on loopback, whole loads, and what a load itself costs."""

import contextlib
import os
import shutil
import socket
import subprocess
import time

from .programs import Failure
from .rows import Ours, Row, Value, Whole, time_of, value
from .samples import ICONS



def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


PORT = _free_port()
ORIGIN = f"http://127.0.0.1:{PORT}"
CONFIGURATION = """
daemon off; worker_processes 1; pid {root}/nginx.pid; error_log {root}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=2000;
    client_body_temp_path {root}/b; proxy_temp_path {root}/p; fastcgi_temp_path {root}/f; uwsgi_temp_path {root}/u;
    scgi_temp_path {root}/s; types {{ image/jpeg jpg; image/png png; }}
    server {{ listen 127.0.0.1:{port}; root {www}; }}
}}
"""
SIZE = 10 << 10


@contextlib.contextmanager
def origin(folder):
    """Serves a folder while the block runs, if nginx is installed."""
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if not program:
        yield False
        return
    (folder / "10k.bin").write_bytes(os.urandom(SIZE))
    # An image, and the same followed by zeros, which are a hole in a sparse file.
    shutil.copy(folder / "small.jpg", folder / "large.jpg")
    os.truncate(folder / "large.jpg", 1_000_000_000)
    root = folder / "nginx"
    root.mkdir()
    for path in (folder, folder / "icons", folder / "images"):
        path.chmod(0o755)
    (root / "nginx.conf").write_text(CONFIGURATION.format(root=root, port=PORT, www=folder))
    process = subprocess.Popen([program, "-c", root / "nginx.conf", "-p", root])
    try:
        for _ in range(100):
            if subprocess.run(["curl", "-so", "/dev/null", ORIGIN], check=False).returncode == 0:
                break
            time.sleep(0.1)
        yield True
    finally:
        process.terminate()
        process.wait()


def load(kind, folder, side, operations):
    return Ours("load", side, (kind, "{folder}/" + folder, ORIGIN + "/" + folder), operations)


def bodies(side, width):
    return Ours("bodies", side, (ORIGIN + "/10k.bin", str(SIZE), str(width)), 1_000)


def compared_with_wrk(bench):
    """Returns the rate of wrk, divided by ours."""
    out = subprocess.run(["wrk", "-t1", "-c64", "-d1s", ORIGIN + "/10k.bin"], capture_output=True, text=True, check=True)
    rate = next(float(line.split()[1]) for line in out.stdout.splitlines() if line.startswith("Requests/sec"))
    ours = bodies("ours", 64).run(bench, 3)
    # A repetition is 1,000 bodies.
    return rate * ours.wall / 1_000


def own_cost(bench):
    """Returns microseconds of processor time of a load, without reading and decoding."""
    ours = load("file", "icons", "ours", 1).run(bench, 1).processor
    control = load("file", "icons", "control", 1).run(bench, 1).processor
    return (ours - control) / ICONS * 1e6


def own_allocations(bench):
    arguments = bench.named(("file", "{folder}/icons"))
    if (found := bench.ours.value("load", "allocations", *arguments)) <= 0:
        raise Failure("no allocations were counted")
    return found - bench.ours.value("load", "allocations of the control", *arguments)


def memory_of_large(bench):
    """Returns megabytes. In a fresh process, whose peak nothing else has raised."""
    program = bench.program()
    try:
        return program.value("large", "MB added", ORIGIN + "/small.jpg", ORIGIN + "/large.jpg")
    finally:
        program.close()


IMAGES = 4

ROWS = [
    Row("H1 6", "bodies of 10 KB over kept connections, 6 at once", bodies("ours", 6), bodies("libcurl", 6),
        "a plain program over libcurl", 1.4, needs=("nginx",)),
    Row("H1 64", "the same, 64 at once", bodies("ours", 64), bodies("libcurl", 64), "a plain program over libcurl", 1.4,
        needs=("nginx",)),
    Value("H1 wrk", "rate of wrk, 64 bodies of 10 KB at once, divided by ours", compared_with_wrk, "", 1 / 0.6,
          needs=("nginx", "wrk"), times=9),
    Row("H2", "1 GB through a pipeline to the disk cache", Ours("large", "ours", (ORIGIN + "/small.jpg",
        ORIGIN + "/large.jpg")), Whole(lambda bench, folder: [["curl", "-so", folder / "body", ORIGIN + "/large.jpg"]]),
        "curl to a file", 1.0, part="wall", needs=("nginx", "curl")),
    Value("H2 memory", "memory that this adds", memory_of_large, "MB", 8, needs=("nginx",), times=1),
    Value("H3", "each of 10,000 callers that wait for one transfer", time_of("waiters", "ours", operations=10_000),
          "µs", 1),
    Value("H3 image", "each of 1,000 callers that wait for one image", time_of("coalescing", "ours", operations=1_000),
          "µs", 1),
    Value("H4", "memory of each of 2,000 transfers that wait for a slow origin", value("waiting", "KB each"), "KB", 24,
          times=3),
    Value("H4 threads", "threads that they add", value("waiting", "threads"), "", 0, times=1),
    Row("P1 file", "load of a local JPEG of 1.1 megapixels", load("file", "images", "ours", IMAGES),
        load("file", "images", "control", IMAGES), "read it and decode it on a thread", 1.02),
    Row("P1 disk", "the same from the disk cache", load("disk", "images", "ours", IMAGES),
        load("disk", "images", "control", IMAGES), "read it and decode it on a thread", 1.02),
    Row("P1 network", "the same from nginx", load("network", "images", "ours", IMAGES),
        load("network", "images", "control", IMAGES), "libcurl, and decode it on a thread", 1.05, needs=("nginx",)),
    Value("P3", "processor time of a local load of an icon, without reading and decoding it", own_cost, "µs", 100),
    Value("P3 allocations", "allocations of the same", own_allocations, "", 40),
]
