"""Measures the image server with the load profiles, beside its peers, and prints tables in Markdown.

    profiles.py --server PATH [--thumbor PATH] [--bare PATH] [--pairs N] [--seconds N] PROFILE…

The profiles are `misses` (every request is decoded, resized and encoded), `widths` (misses of many sizes), `hits` (every
response is in a cache), `mixed` (a Zipf distribution over each tier), `overload` (four times as many requests as can be
served), `stores` (shared stores stop and die under load) and `soak` (a mixture with damaged, missing, huge and slow sources).
"""

import argparse
import itertools
import pathlib
import random
import statistics
import tempfile
import time
import urllib.request

from PIL import Image

import load
import quality
import servers
import stores

FORMATS = ("jpg", "png", "webp")


def source(name):
    return f"plain/http://127.0.0.1:{servers.ORIGIN}/{name}"


def our_paths(arguments, extension, sizes=(512,)):
    """Paths of results, of each source in each size. Equal bytes of a source with equal options are made once."""
    options = f"q:{arguments.quality[extension]}/f:{extension}"
    return [f"/_/rs:fit:{size}:{size}/{options}/{source(f'{number}.{extension}')}"
            for size in sizes for number in range(arguments.count)]


def thumbor_paths(arguments, extension):
    place = f"127.0.0.1:{servers.ORIGIN}"
    return [f"/unsafe/fit-in/512x512/{place}/{number}.{extension}" for number in range(arguments.count)]


def body(port, path):
    return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60).read()


# Misses


def misses(arguments, folder):
    print("\n## Misses: 2040×1356 to 512 pixels, two connections\n")
    print("| format | server | requests a second | p50, p99 in ms | bytes | SSIMULACRA 2 | processor ms | memory |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for extension in arguments.formats.split(","):
        contenders = {"tintype-server": (lambda: servers.ours(folder, arguments.server), servers.OURS,
                                         our_paths(arguments, extension))}
        if arguments.thumbor:
            contenders["thumbor"] = (lambda: servers.thumbor(folder, arguments.thumbor), servers.THUMBOR,
                                     thumbor_paths(arguments, extension))
        if extension == "jpg" and arguments.filter:
            contenders["nginx image_filter"] = (None, servers.ORIGIN,
                                                [f"/filter/{n}.jpg" for n in range(arguments.count)])
        results = {name: [] for name in contenders}
        for _ in range(arguments.pairs):
            for name in itertools.chain(contenders, reversed(contenders)):
                results[name].append(miss(arguments, folder, contenders[name]))
        for name, runs in results.items():
            _, port, paths = contenders[name]
            report_misses(arguments, extension, name, runs)
        report_ratios(results)


def miss(arguments, folder, contender):
    start, port, paths = contender
    server = start() if start else None
    load.closed(port, paths, arguments.warm, 2, folder)
    before = server.seconds() if server else 0
    result = load.closed(port, paths, arguments.seconds, 2, folder)
    result["processor"] = (server.seconds() - before) * 1e3 / result["requests"] if server else float("nan")
    result["score"] = quality.mean_score(arguments.data, [(path, body(port, path)) for path in paths[:4]])
    result["peak"] = server.peak / (1 << 20) if server else float("nan")
    if server:
        server.stop()
    return result


def report_misses(arguments, extension, name, runs):
    middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    failures = sum(run["failures"] for run in runs)
    print(f"| {extension} | {name} | {middle['rate']:.1f} | {middle['p50']:.0f}, {middle['p99']:.0f} | "
          f"{middle['bytes']:.0f} | {middle['score']:.1f} | {middle['processor']:.1f} | {middle['peak']:.0f} MB |"
          + (f" {failures} failures" if failures else ""), flush=True)


def report_ratios(results):
    names = list(results)
    for other in names[1:]:
        ratios = [a["rate"] / b["rate"] for a, b in zip(results[names[0]], results[other])]
        print(f"| | ratio to {other} | {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) "
              "| | | | | |", flush=True)


def widths(arguments, folder):
    """Sizes that no request before has had."""
    print("\n## Many widths: JPEG to 320…1024 pixels, each URL once, two connections\n")
    print("| server | requests a second | p50, p99 in ms | bytes | processor ms |\n| --- | ---: | ---: | ---: | ---: |")
    generator = random.Random(3)
    pairs = [(width, number) for width in range(320, 1025) for number in range(arguments.count)]
    generator.shuffle(pairs)
    pairs = pairs[:10000]
    place = f"127.0.0.1:{servers.ORIGIN}"
    contenders = {"tintype-server": (lambda: servers.ours(folder, arguments.server, True), servers.OURS, [
        f"/_/rs:fit:{width}:{width}/q:{arguments.quality['jpg']}/f:jpg/{source(f'{number}.jpg')}"
        for width, number in pairs])}
    if arguments.thumbor:
        contenders["thumbor"] = (lambda: servers.thumbor(folder, arguments.thumbor), servers.THUMBOR, [
            f"/unsafe/fit-in/{width}x{width}/{place}/{number}.jpg" for width, number in pairs])
    results = {name: [] for name in contenders}
    for _ in range(arguments.pairs):
        for name in itertools.chain(contenders, reversed(contenders)):
            start, port, paths = contenders[name]
            server = start()
            load.closed(port, paths[5000:], arguments.warm, 2, folder)
            before = server.seconds()
            result = load.closed(port, paths[:5000], arguments.seconds, 2, folder)
            result["processor"] = (server.seconds() - before) * 1e3 / result["requests"]
            server.stop()
            results[name].append(result)
    for name, runs in results.items():
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        print(f"| {name} | {middle['rate']:.1f} | {middle['p50']:.0f}, {middle['p99']:.0f} | {middle['bytes']:.0f} | "
              f"{middle['processor']:.1f} |" + (f" {middle['failures']} failures" if middle["failures"] else ""))
    if arguments.thumbor:
        shares = [a["rate"] / b["rate"] for a, b in zip(*results.values())]
        print(f"| ratio to thumbor | {statistics.median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f}) | | | |",
              flush=True)


# Hits


def hits(arguments, folder):
    print("\n## Hits: the same 100 results of about 40 KB, 64 connections\n")
    print("| server | requests a second | p50, p99 in ms | processor µs |\n| --- | ---: | ---: | ---: |")
    paths = our_paths(arguments, "jpg")
    contenders = {"tintype-server, memory": lambda: (servers.ours(folder, arguments.server, True), servers.OURS, paths)}
    if arguments.bare:
        contenders["bare Hummingbird"] = lambda: (bare(arguments, folder), servers.OURS, ["/"])
    contenders["nginx, static"] = lambda: (None, servers.ORIGIN, [f"/results/{n}" for n in range(arguments.count)])
    (arguments.data / "results").mkdir(exist_ok=True)
    server = servers.ours(folder, arguments.server)
    for number, path in enumerate(paths):
        (arguments.data / "results" / str(number)).write_bytes(body(servers.OURS, path))
    server.stop()
    results = {name: [] for name in contenders}
    for _ in range(arguments.pairs):
        for name in itertools.chain(contenders, reversed(contenders)):
            server, port, names = contenders[name]()
            for path in names:
                body(port, path)
            load.closed(port, names, 2, 64, folder)
            before = server.seconds() if server else 0
            result = load.closed(port, names, arguments.seconds, 64, folder)
            result["processor"] = (server.seconds() - before) * 1e6 / result["requests"] if server else float("nan")
            results[name].append(result)
            if server:
                server.stop()
    for name, runs in results.items():
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        print(f"| {name} | {middle['rate']:.0f} | {middle['p50']:.1f}, {middle['p99']:.1f} | "
              f"{middle['processor']:.0f} |")
    for other in list(results)[1:]:
        ratios = [a["rate"] / b["rate"] for a, b in zip(results["tintype-server, memory"], results[other])]
        print(f"| ratio to {other} | {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) | | |",
              flush=True)


def bare(arguments, folder):
    environment = {"BARE_PORT": str(servers.OURS), "BARE_FILE": str(arguments.data / "results" / "0")}
    server = servers.Server("bare", [arguments.bare], environment, folder / "bare.log")
    return server.wait(f"http://127.0.0.1:{servers.OURS}/")


# Overload


def overload(arguments, folder):
    print("\n## Overload: four times the rate that can be served\n")
    server = servers.ours(folder, arguments.server)
    paths = our_paths(arguments, "jpg", range(312, 712))
    unloaded = load.open_loop(servers.OURS, paths[-400:], 10, 4)
    capacity = load.closed(servers.OURS, our_paths(arguments, "jpg"), arguments.seconds, 2, folder)["rate"]
    rows = load.open_loop(servers.OURS, paths, arguments.overload, 4 * capacity)
    begin = time.monotonic()
    while True:
        start = time.monotonic()
        body(servers.OURS, our_paths(arguments, "jpg", (713,))[0])
        if (time.monotonic() - start) * 1e3 < 3 * load.percentile([row[2] for row in unloaded], 0.99):
            break
    recovery = time.monotonic() - begin
    accepted = [row[2] for row in rows if row[1] == 200]
    shed = sum(row[1] == 429 for row in rows)
    others = len(rows) - len(accepted) - shed
    reference = load.percentile([row[2] for row in unloaded], 0.99)
    p99 = load.percentile(accepted, 0.99)
    print("| requests a second | served | 429 | others | p99 of the served | without load | ratio | recovery | memory |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(f"| {4 * capacity:.0f} | {len(accepted)} | {shed} | {others} | {p99:.0f} ms | {reference:.0f} ms | "
          f"{p99 / reference:.1f} | {recovery:.2f} s | {server.peak >> 20} MB |", flush=True)
    server.stop()


# Soak


def soak(arguments, folder):
    print(f"\n## Soak: {arguments.soak} s of a Zipf distribution, one source in a hundred damaged, missing, huge or slow\n")
    server = servers.ours(folder, arguments.server, True, CACHE_MEMORY_BYTES="16M", CACHE_DISK_BYTES="64M")
    (arguments.data / "damaged.jpg").write_bytes((arguments.data / "0.jpg").read_bytes()[:3000])
    Image.new("1", (12000, 12000)).save(arguments.data / "huge.png")
    generator = random.Random(1)
    weights = [1 / (rank + 1) ** 0.99 for rank in range(10000)]
    print("| minute | requests | others than 200, 404 and 422 | p50, p99 in ms | memory | descriptors |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for minute in range(arguments.soak // 60):
        paths = [soak_path(arguments, rank)
                 for rank in generator.choices(range(10000), weights, k=int(60 * arguments.soak_rate))]
        rows = load.open_loop(servers.OURS, paths, 60, arguments.soak_rate)
        others = sum(row[1] not in (200, 404, 422) for row in rows)
        times = [row[2] for row in rows]
        print(f"| {minute + 1} | {len(rows)} | {others} | {load.percentile(times, 0.5):.1f}, "
              f"{load.percentile(times, 0.99):.0f} | {server.memory() / (1 << 20):.1f} MB | {server.descriptors()} |",
              flush=True)
    server.stop()


def soak_path(arguments, rank):
    special = {51: "damaged.jpg", 77: f"missing-{rank}.jpg", 31: "huge.png", 93: f"slow/{rank % arguments.count}.jpg"}
    if rank % 100 in special:
        return f"/_/rs:fit:{300 + rank // 100}:300/{source(special[rank % 100])}"
    extension = FORMATS[rank % 3]
    return f"/_/rs:fit:{200 + rank // 40}:600/q:80/{source(f'{rank % arguments.count}.{extension}')}"


PROFILES = {"misses": misses, "widths": widths, "hits": hits, "mixed": stores.mixed, "overload": overload,
            "stores": stores.failing, "soak": soak}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--thumbor")
    parser.add_argument("--bare")
    parser.add_argument("--filter", action="store_true", help="measure nginx's image_filter")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--warm", type=int, default=3)
    parser.add_argument("--overload", type=int, default=60)
    parser.add_argument("--soak", type=int, default=1800)
    parser.add_argument("--soak-rate", type=float, default=30, help="requests a second of the profile soak")
    parser.add_argument("--mixed", type=int, default=60, help="seconds for each tier")
    parser.add_argument("--keys", type=int, default=10000, help="results of the profile mixed")
    parser.add_argument("--rate", type=float, default=40, help="requests a second of the profile stores")
    parser.add_argument("--phase", type=float, default=10, help="seconds of each state of the profile stores")
    parser.add_argument("--weed", help="the program of SeaweedFS, for mixed and stores")
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--quality", default="jpg=80,png=80,webp=80")
    parser.add_argument("profiles", nargs="+", choices=list(PROFILES))
    arguments = parser.parse_args()
    arguments.quality = dict(pair.split("=") for pair in arguments.quality.split(","))
    arguments.count = len(list(arguments.data.glob("[0-9]*.jpg")))
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = pathlib.Path(name)
        nginx = servers.origin(folder, arguments.data)
        try:
            for profile in arguments.profiles:
                PROFILES[profile](arguments, folder)
        finally:
            nginx.stop()


if __name__ == "__main__":
    main()
