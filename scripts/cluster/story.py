"""What happens to the cluster, and what came of it. Started by run."""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import chart
import load
from cluster import Cluster

SOURCES, WIDTHS = 40, range(120, 800, 40)
# The longest run, in seconds.
LONGEST = 140
TIERS = ["memory", "disk", "shared", "joined", "made"]


def acts(cluster):
    """Returns what is done when: seconds, a text, and a function."""
    second, third = cluster.servers[1:]

    def lose_disk():
        second.kill()
        cluster.wipe(second)

    return [
        (14, "kill server 2, with its disk", lose_disk),
        (18, "start server 2", second.start),
        (28, "stop server 3", third.stop),
        (33, "let server 3 go on", third.resume),
        (40, "stop Redis", cluster.redis.stop),
        (46, "let Redis go on", cluster.redis.resume),
        (50, "kill Redis", cluster.redis.kill),
        (55, "start Redis, empty", cluster.redis.start),
        (60, "stop SeaweedFS", cluster.seaweed.stop),
        (66, "let SeaweedFS go on", cluster.seaweed.resume),
        (70, "kill SeaweedFS", cluster.seaweed.kill),
        (75, "start SeaweedFS", cluster.seaweed.start),
    ]


async def act(cluster, begin):
    """Does what is due, and waits until all parts work again."""
    waits = {}
    for seconds, text, function in acts(cluster):
        await asyncio.sleep(max(0, begin + seconds - time.monotonic()))
        print(f"{seconds:5.0f} s  {text}", flush=True)
        await asyncio.to_thread(function)
        for part in cluster.parts:
            if part.states[-1][1] == "starting" and part.name not in waits:
                waits[part.name] = asyncio.create_task(asyncio.to_thread(part.wait, 90))
    await asyncio.gather(*waits.values())
    await asyncio.sleep(4)


async def run(cluster, rate, herd_size):
    """Lets everything happen. Returns the samples of the load and those of the herd."""
    paths = [cluster.url(source, width) for source in range(SOURCES) for width in WIDTHS]
    samples, begin = [], time.monotonic()
    print(f"    0 s  {rate} requests a second for {len(paths)} images of {SOURCES} sources", flush=True)
    story = asyncio.create_task(act(cluster, begin))
    await load.steady(
        cluster.front_port, paths, rate, lambda: story.done() or time.monotonic() > begin + LONGEST, samples)
    await story
    print(f"{time.monotonic() - begin:5.0f} s  {herd_size} clients ask the three servers for one new image", flush=True)
    herd = await load.herd(cluster.server_ports, cluster.url(0, 333), herd_size, "herd", samples)
    await asyncio.sleep(0.5)
    return begin, samples, herd


def logged(cluster):
    """Returns how each request was answered, by its identifier."""
    ways = {}
    for server in cluster.servers:
        with open(f"{server.folder}/log", encoding="utf-8") as log:
            for line in log:
                try:
                    entry = json.loads(line)
                except ValueError:
                    # The last line of a server that was killed.
                    continue
                if entry["status"] == 200:
                    ways[entry["id"]] = entry.get("tier") or ("made" if "decode_ms" in entry else "joined")
    return ways


def milliseconds(samples, part):
    times = sorted(sample.latency * 1000 for sample in samples if sample.latency is not None)
    return times[min(len(times) - 1, int(len(times) * part))] if times else 0


def outages(cluster, begin, end):
    """Returns the parts that were down, and when: triples of a part, its state and the times."""
    spans = []
    for part in cluster.parts:
        for (since, state), (until, _) in zip(part.states, part.states[1:] + [(end, "")]):
            if since >= begin and state in ("dead", "stopped", "starting"):
                spans.append((part, state, since - begin, until - begin))
    return sorted(spans, key=lambda span: span[2])


def report(cluster, begin, samples, herd, ways):
    """Prints what happened. Returns the expectations that were not met."""
    steady = [sample for sample in samples if sample.identifier.startswith("steady")]
    failures = [sample for sample in samples if sample.status != 200]
    print(f"\n{len(samples)} requests, {len(failures)} failed; steady load: median {milliseconds(steady, 0.5):.0f} ms, "
          f"p99 {milliseconds(steady, 0.99):.0f} ms")
    for tier in TIERS:
        own = [sample for sample in steady if ways.get(sample.identifier) == tier]
        print(f"  {tier:7} {len(own):6}  median {milliseconds(own, 0.5):5.0f} ms, p99 {milliseconds(own, 0.99):5.0f} ms")
    for part, state, since, until in outages(cluster, begin, time.monotonic()):
        inside = [sample for sample in steady if since <= sample.began - begin < until]
        print(f"  {part.name} {state} from {since:.1f} to {until:.1f} s: {len(inside)} requests, "
              f"{sum(sample.status != 200 for sample in inside)} failed, p99 {milliseconds(inside, 0.99):.0f} ms")
    made = [ways.get(sample.identifier) for sample in herd].count("made")
    print(f"  herd: {len(herd)} requests, made {made} time{'s' * (made != 1)}, "
          f"last answer after {milliseconds(herd, 1):.0f} ms")
    problems = [f"request {sample.identifier} failed: {sample.status or sample.error}" for sample in failures[:20]]
    if made != 1:
        problems.append(f"the image of the herd was made {made} times instead of once")
    unknown = [sample for sample in samples if sample.status == 200 and sample.identifier not in ways]
    # A server that was killed may have answered without writing it down.
    if len(unknown) > 0.01 * len(samples):
        problems.append(f"{len(unknown)} answers are in no log")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--tintype", required=True)
    parser.add_argument("--weed", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--rate", type=int, default=30)
    parser.add_argument("--herd", type=int, default=300)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="tintype-cluster-")
    # Started by the superuser, nginx reads the images as another user.
    os.chmod(folder, 0o755)
    cluster = Cluster(folder, arguments.server, arguments.weed)
    try:
        cluster.draw_sources(SOURCES, arguments.tintype)
        for part in reversed(cluster.parts):
            part.start()
        for part in cluster.parts:
            part.wait()
        begin, samples, herd = asyncio.run(run(cluster, arguments.rate, arguments.herd))
        end = time.monotonic()
        ways = logged(cluster)
        problems = report(cluster, begin, samples, herd, ways)
        spans = [(part.name, state, since, until) for part, state, since, until in outages(cluster, begin, end)]
        events = [(at, text) for at, text, _ in acts(cluster)]
        picture = chart.draw(
            [(sample.began - begin, sample.latency, ways.get(sample.identifier), sample.status == 200)
             for sample in samples], spans, events, [part.name for part in cluster.parts], herd[0].began - begin,
            [ways.get(sample.identifier) for sample in herd].count("made"), end - begin)
        path = f"{arguments.output}/cluster.svg"
        with open(path, "w", encoding="utf-8") as file:
            file.write(picture)
        image = path.replace(".svg", ".png")
        subprocess.run([arguments.tintype, "convert", "--quiet", path, image], check=True)
        print(f"\nThe picture is {image}.")
    finally:
        for part in cluster.parts:
            part.end()
        if arguments.keep:
            print(f"The logs are in {folder}.")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for problem in problems:
        print(f"cluster-demo: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
