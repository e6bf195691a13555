"""Sends requests: as fast as they are answered (wrk), or at a fixed rate."""

import asyncio
import re
import subprocess
import time

CYCLE = """
local paths = {{}}
for line in io.lines("{paths}") do paths[#paths + 1] = line end
local next = 0
request = function()
  next = next % #paths + 1
  return wrk.format("GET", paths[next])
end
"""

UNITS = {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}


def milliseconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(us|ms|s|m)", text).groups()
    return float(number) * UNITS[unit]


def closed(port, paths, seconds, connections, folder, threads=1):
    """Requests paths in turn, with a number of connections that wait for each response.

    Returns the rate, the latencies in milliseconds, the bytes of a response, and how many failed.
    """
    (folder / "paths").write_text("\n".join(paths) + "\n")
    script = folder / "cycle.lua"
    script.write_text(CYCLE.format(paths=folder / "paths"))
    command = ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}", "--timeout", "60", "--latency", "-s", script]
    command += [f"http://127.0.0.1:{port}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if not re.search(r"\n +99% +[0-9.]+\w+ *\n", text):
        raise SystemExit(f"port {port} did not answer {paths[0]} in {seconds} s:\n{text}")
    requests = int(re.search(r"(\d+) requests in", text)[1])
    size, unit = re.search(r"requests in [0-9.]+\w+, ([0-9.]+)(KB|MB|GB|B) read", text).groups()
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    return {
        "rate": float(re.search(r"Requests/sec:\s+([0-9.]+)", text)[1]),
        "p50": milliseconds(re.search(r"\n +50% +(\S+)", text)[1]),
        "p99": milliseconds(re.search(r"\n +99% +(\S+)", text)[1]),
        "bytes": float(size) * {"B": 1, "KB": 1024, "MB": 1 << 20, "GB": 1 << 30}[unit] / max(requests, 1),
        "requests": requests,
        "failures": (int(wrong[1]) if wrong else 0) + (sum(map(int, broken.groups())) if broken else 0),
    }


def open_loop(port, paths, seconds, rate):
    """Requests paths in turn at a rate, whether or not the responses come, each over a connection of its own.

    Returns for each request its start in seconds, its status (0 if it failed) and its duration in milliseconds.
    """
    return asyncio.run(arrivals(port, paths, seconds, rate))


async def arrivals(port, paths, seconds, rate):
    begin = time.monotonic()
    tasks = []
    for number in range(int(seconds * rate)):
        await asyncio.sleep(max(0, begin + number / rate - time.monotonic()))
        tasks.append(asyncio.create_task(one(port, paths[number % len(paths)], begin)))
    return await asyncio.gather(*tasks)


async def one(port, path, begin):
    start, status = time.monotonic(), 0
    try:
        async with asyncio.timeout(60):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            status = int((await reader.readline()).split()[1])
            await reader.read()
            writer.close()
    except (OSError, TimeoutError, IndexError, ValueError):
        status = 0
    return start - begin, status, (time.monotonic() - start) * 1e3


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")
