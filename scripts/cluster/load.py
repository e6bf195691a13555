"""The load: requests at a fixed rate, whatever the time that the responses take, and a herd that asks for one image."""

import asyncio
import random
import time

# The seconds after which the load has its full rate.
RAMP = 12


class Sample:
    """A request and what became of it."""

    __slots__ = ("identifier", "began", "latency", "status", "error")

    def __init__(self, identifier, began):
        self.identifier, self.began = identifier, began
        self.latency, self.status, self.error = None, None, None


class Client:
    """Sends requests over connections that are used again."""

    def __init__(self, port):
        self.port = port
        self.idle = []

    async def get(self, path, sample, deadline=20):
        try:
            sample.status = await asyncio.wait_for(self.exchange(path, sample.identifier), deadline)
        except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
            sample.error = type(error).__name__
        sample.latency = time.monotonic() - sample.began
        return sample

    async def exchange(self, path, identifier):
        reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection("127.0.0.1", self.port)
        is_whole = False
        try:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: images\r\nX-Request-Id: {identifier}\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
            body = await reader.readexactly(int(fields["content-length"]))
            if fields.get("content-type") == "image/jpeg" and body[:3] != b"\xff\xd8\xff":
                raise ValueError("not a JPEG")
            is_whole = True
            return int(head[0].split(" ")[1])
        finally:
            if is_whole:
                self.idle.append((reader, writer))
            else:
                writer.close()


def zipf(count, exponent, chance):
    """Returns a function that draws numbers below a count, small ones more often (Zipf's law)."""
    weights = [1 / (rank + 1) ** exponent for rank in range(count)]
    total, sums = 0, []
    for weight in weights:
        total += weight
        sums.append(total)
    numbers = list(range(count))
    chance.shuffle(numbers)
    return lambda: chance.choices(numbers, cum_weights=sums)[0]


async def steady(port, paths, rate, is_over, samples):
    """Sends requests until it is over, at a rate that is reached after some seconds, because the caches are empty.

    A late response does not delay the next request."""
    draw, client, tasks = zipf(len(paths), 0.9, random.Random(42)), Client(port), set()
    start = due = time.monotonic()
    while not is_over() and len(samples) < 100_000:
        due += 1 / (rate * min(1, 0.2 + (due - start) / RAMP))
        await asyncio.sleep(max(0, due - time.monotonic()))
        sample = Sample(f"steady-{len(samples)}", due)
        samples.append(sample)
        task = asyncio.create_task(client.get(paths[draw()], sample))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)


async def herd(ports, path, count, name, samples):
    """Asks all servers for one image at the same time."""
    clients = [Client(port) for port in ports]
    now = time.monotonic()
    requests = [Sample(f"{name}-{number}", now) for number in range(count)]
    samples += requests
    await asyncio.gather(
        *(clients[number % len(ports)].get(path, sample) for number, sample in enumerate(requests)))
    return requests
