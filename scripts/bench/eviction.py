#!/usr/bin/env python3
"""Compares eviction policies for the memory cache on generated traces of requests for images of different sizes.

    make bench-setup
    .venv-bench/bin/python scripts/bench/eviction.py                   # prints the tables that docs/decisions.md sums up
    .venv-bench/bin/python scripts/bench/eviction.py --traces FOLDER   # writes only the traces, for other simulators

The report of `make bench-report` compares the memory cache with these policies on the same traces.

libcachesim implements and simulates every policy. The same seed generates the same traces. A trace file has one line per
request: identity, bytes.
"""

import argparse
import sys
from pathlib import Path

import libcachesim
import numpy as np

SEED = 20240
IMAGES = 10_000
REQUESTS = 200_000
FRACTIONS = (0.01, 0.05, 0.10, 0.25, 0.50)
POLICIES = {
    "LRU": libcachesim.LRU,
    "SIEVE": libcachesim.Sieve,
    "S3-FIFO": libcachesim.S3FIFO,
    "W-TinyLFU": libcachesim.WTinyLFU,
}


# Traces: identities of images in the order of the requests.


def zipf(random, skew, images=IMAGES, requests=REQUESTS):
    """Independent requests, by popularity."""
    weights = 1 / np.arange(1, images + 1) ** skew
    return random.choice(images, size=requests, p=weights / weights.sum())


def scan(random):
    """Popular images, and sometimes a long run of images that are requested once."""
    popular = zipf(random, 1.0, requests=REQUESTS * 7 // 10)
    once = iter(range(IMAGES, IMAGES + REQUESTS))
    parts = []
    for part in np.array_split(popular, 40):
        parts.append(part)
        parts.append(np.fromiter((next(once) for _ in range(REQUESTS * 3 // 10 // 40)), dtype=int))
    return np.concatenate(parts)


def loop(random):
    """A slide show: the same images in a loop."""
    return np.tile(np.arange(2_000), REQUESTS // 2_000)


def scroll(random):
    """A list that is scrolled forwards and backwards by some screens, with a request for each cell that appears."""
    length, position, direction, seen = 4_000, 0, 1, []
    while len(seen) < REQUESTS:
        for _ in range(int(random.exponential(60 if direction > 0 else 40)) + 1):
            position += direction
            if not 0 <= position < length:
                position = 0
            seen.append(position)
        direction = -direction
    return np.array(seen[:REQUESTS])


def feed(random):
    """A typical program: a scrolled list, recurring avatars, and images viewed once."""
    cells, avatars = scroll(random), IMAGES + zipf(random, 1.1, images=1_000)
    once = 2 * IMAGES + np.arange(REQUESTS)
    kind = random.random(REQUESTS)
    return np.where(kind < 0.5, cells, np.where(kind < 0.85, avatars, once))


TRACES = {
    "Zipf 0.8": lambda random: zipf(random, 0.8),
    "Zipf 0.9": lambda random: zipf(random, 0.9),
    "Zipf 1.0": lambda random: zipf(random, 1.0),
    "Zipf 1.1": lambda random: zipf(random, 1.1),
    "Zipf 1.2": lambda random: zipf(random, 1.2),
    "scan": scan,
    "loop": loop,
    "scroll": scroll,
    "feed": feed,
}


def sizes(random, identities):
    """Returns decoded sizes: many thumbnails and some photographs, with log-normal sides around 200 pixels, 4 bytes per pixel."""
    sides = np.exp(random.normal(np.log(200), 0.7, size=(identities.max() + 1, 2)))
    return np.clip(sides[:, 0] * sides[:, 1] * 4, 4_096, 16 << 20).astype(int)


def make(name):
    random = np.random.default_rng(SEED)
    identities = TRACES[name](random)
    return identities, sizes(random, identities)


# Simulation.


def misses(policy, capacity, identities, bytes_of):
    """Returns the share of requests, and of their bytes, that missed."""
    cache = policy(cache_size=capacity)
    request = libcachesim.Request()
    missed = missed_bytes = 0
    for identity in identities:
        size = int(bytes_of[identity])
        request.obj_id, request.obj_size = int(identity) + 1, size
        if not cache.get(request):
            missed += 1
            missed_bytes += size
    return missed / len(identities), missed_bytes / int(bytes_of[identities].sum())


def table(name):
    identities, bytes_of = make(name)
    total = int(bytes_of[np.unique(identities)].sum())
    print(f"\n### {name}\n")
    print(f"{len(identities):,} requests for {len(np.unique(identities)):,} images of {total / 1e6:,.0f} MB.\n")
    print("| policy | " + " | ".join(f"{fraction:.0%}" for fraction in FRACTIONS) + " |")
    print("| --- |" + " ---: |" * len(FRACTIONS))
    results = {}
    for policy, make_cache in POLICIES.items():
        results[policy] = [misses(make_cache, int(total * part), identities, bytes_of) for part in FRACTIONS]
        cells = [f"{requests:.4f} / {of_bytes:.4f}" for requests, of_bytes in results[policy]]
        print(f"| {policy} | " + " | ".join(cells) + " |", flush=True)
    return results


def summary(results):
    """Prints by how much each policy exceeds the best one, on average over the traces, by cache size."""
    print("\n### Misses above those of the best policy, mean over the traces\n")
    print("| policy | " + " | ".join(f"{fraction:.0%}" for fraction in FRACTIONS) + " | all |")
    print("| --- |" + " ---: |" * (len(FRACTIONS) + 1))
    for policy in POLICIES:
        excess = [
            [
                of_trace[policy][place][0] / min(of_trace[each][place][0] for each in POLICIES) - 1
                for of_trace in results.values()
            ]
            for place in range(len(FRACTIONS))
        ]
        cells = [f"{np.mean(part):.1%}" for part in excess] + [f"{np.mean(excess):.1%}"]
        print(f"| {policy} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", type=Path)
    folder = parser.parse_args().traces
    if folder is None:
        print(f"libcachesim {libcachesim.__version__}, numpy {np.__version__}, seed {SEED}.")
        print("Columns: the size of the cache, as a share of the bytes of all images in the trace.")
        print("Cells: the share of the requests that missed / the share of the bytes.")
        summary({name: table(name) for name in TRACES})
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in TRACES:
        identities, bytes_of = make(name)
        lines = "".join(f"{identity} {bytes_of[identity]}\n" for identity in identities)
        (folder / f"{name.replace(' ', '-')}.txt").write_text(lines)


if __name__ == "__main__":
    sys.exit(main())
