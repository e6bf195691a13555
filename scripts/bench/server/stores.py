"""The load profiles with caches: a Zipf distribution over each tier, and shared stores that stop or die meanwhile."""

import pathlib
import random
import re
import sys
import threading
import time
import urllib.request

import load
import servers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))
import cluster

# The bytes of a result are about these.
RESULT = 12_000


def zipf(count, requests, seed):
    """Returns numbers below a count, of which small ones are more frequent (exponent 0.99), in an order without a trend."""
    generator = random.Random(seed)
    numbers = list(range(count))
    generator.shuffle(numbers)
    weights = [1 / (rank + 1) ** 0.99 for rank in range(count)]
    return generator.choices(numbers, weights, k=requests)


def paths(arguments, numbers, run=0):
    """Paths of results of 160 to 300 pixels, of as many keys as there are numbers. Each run has results of its own."""
    origin = f"plain/http://127.0.0.1:{servers.ORIGIN}"
    return [f"/_/rs:fit:{160 + number // arguments.count % 140}:400/q:{70 + number // arguments.count // 140}/f:jpg/cb:{run}/"
            f"{origin}/{number % arguments.count}.jpg" for number in numbers]


class Stores:
    """Redis and SeaweedFS, and the settings with which the server uses them."""

    def __init__(self, folder, weed):
        self.parts = cluster.Cluster(str(folder / "stores"), "", weed)
        self.redis, self.seaweed = self.parts.redis, self.parts.seaweed
        self.redis_settings = {"REDIS_URL": f"redis://127.0.0.1:{self.parts.redis_port}"}
        self.s3_settings = {"S3_BUCKET": cluster.BUCKET, "S3_ENDPOINT": f"http://127.0.0.1:{self.parts.s3_port}"}
        self.environment = {"AWS_ACCESS_KEY_ID": cluster.ACCESS, "AWS_SECRET_ACCESS_KEY": cluster.SECRET}

    def start(self):
        for part in (self.redis, self.seaweed):
            part.start()
            part.wait(90)

    def end(self):
        for part in (self.redis, self.seaweed):
            part.end()


def metrics():
    """Returns hits and lookups of each tier so far."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{servers.METRICS}/metrics", timeout=10).read().decode()
    counts = {}
    for result, tier, number in re.findall(
            r'tintype_cache_requests_total\{result="(\w+)",tier="(\w+)"\} (\d+)', text):
        hits, lookups = counts.get(tier, (0, 0))
        counts[tier] = (hits + int(number) * (result == "hit"), lookups + int(number))
    return counts


def mixed(arguments, folder):
    """A Zipf distribution over more results than a tier can hold."""
    count = arguments.keys
    share = count * RESULT // 10
    print(f"\n## Mixed: {count} results, Zipf 0.99, caches of a tenth of their bytes, 16 connections\n")
    print("| tiers | hits of each tier | requests a second | p50, p99 in ms | failures |")
    print("| --- | --- | ---: | ---: | ---: |")
    stores = Stores(folder, arguments.weed)
    stores.start()
    little = {"CACHE_MEMORY_BYTES": "1", "CACHE_DISK_BYTES": "0", "QUEUE": "1000"}
    contenders = {
        "memory": little | {"CACHE_MEMORY_BYTES": share},
        "disk": little | {"CACHE_DISK_BYTES": 2 * share},
        "Redis": little | stores.redis_settings,
        "S3": little | stores.s3_settings,
        "all": little | {"CACHE_MEMORY_BYTES": share // 4, "CACHE_DISK_BYTES": 2 * share} | stores.redis_settings
               | stores.s3_settings,
    }
    try:
        for seed, (name, settings) in enumerate(contenders.items()):
            server = servers.ours(folder, arguments.server, True, stores.environment, **settings)
            requests = paths(arguments, zipf(count, 100_000, seed), seed)
            load.closed(servers.OURS, requests[:50_000], arguments.mixed, 16, folder)
            before = metrics()
            result = load.closed(servers.OURS, requests[50_000:], arguments.mixed, 16, folder)
            print(f"| {name} | {ratios(before, metrics())} | {result['rate']:.0f} | {result['p50']:.1f}, "
                  f"{result['p99']:.0f} | {result['failures']} |", flush=True)
            server.stop()
    finally:
        stores.end()


def ratios(before, after):
    texts = []
    for tier, (hits, lookups) in after.items():
        hits, lookups = hits - before.get(tier, (0, 0))[0], lookups - before.get(tier, (0, 0))[1]
        if lookups and tier in ("memory", "disk", "redis", "s3"):
            texts.append(f"{tier} {hits / lookups:.2f}")
    return ", ".join(texts)


def failing(arguments, folder):
    """Shared stores that stop or die while requests arrive at a fixed rate."""
    print(f"\n## Stores that fail: {arguments.rate} requests a second, Zipf 0.99 over {arguments.keys // 5} results\n")
    stores = Stores(folder, arguments.weed)
    stores.start()
    small = {"CACHE_MEMORY_BYTES": "1M", "CACHE_DISK_BYTES": "4M", "QUEUE": "1000"}
    server = servers.ours(folder, arguments.server, True, stores.environment, **small, **stores.redis_settings,
                          **stores.s3_settings)
    try:
        requests = paths(arguments, zipf(arguments.keys // 5, 40_000, 5))
        load.closed(servers.OURS, requests[20_000:], arguments.mixed, 4, folder)
        acts = [("all work", lambda: None)]
        for name, store in (("SeaweedFS", stores.seaweed), ("Redis", stores.redis)):
            acts += [(f"{name} stopped", store.stop), (f"{name} goes on", store.resume),
                     (f"{name} killed", store.kill), (f"{name} started", store.start)]
        starts = {}

        def act():
            for name, function in acts:
                function()
                starts[name] = time.monotonic()
                time.sleep(arguments.phase)

        thread = threading.Thread(target=act)
        begin = time.monotonic()
        thread.start()
        rows = load.open_loop(servers.OURS, requests, arguments.phase * len(acts), arguments.rate)
        thread.join()
        print("| | requests | failures | p50 in ms | p99 | slowest | p99, ratio |\n| --- | ---: | ---: | ---: | ---: | "
              "---: | ---: |")
        ends = list(starts.values())[1:] + [float("inf")]
        base = None
        for (name, start), end in zip(starts.items(), ends):
            own = [row for row in rows if start <= begin + row[0] < end]
            times = [row[2] for row in own]
            p99 = load.percentile(times, 0.99)
            base = base or p99
            print(f"| {name} | {len(own)} | {sum(row[1] != 200 for row in own)} | {load.percentile(times, 0.5):.1f} | "
                  f"{p99:.0f} | {max(times):.0f} | {p99 / base:.2f} |", flush=True)
    finally:
        server.stop()
        stores.end()
