"""What a row is. The tables are in caches.py, codecs.py, transforms.py, network.py and command.py."""

import dataclasses
import functools
from typing import Callable

from . import measuring
from .programs import Failure, run


@dataclasses.dataclass(frozen=True)
class Ours:
    """A side of a row of BenchmarkProgram. `operations` is how many a repetition has."""

    row: str
    side: str = "ours"
    arguments: tuple = ()
    operations: int = 1

    def run(self, bench, count):
        return bench.ours.measure(self.row, self.side, count, *bench.named(self.arguments))

    def write(self, bench, path):
        return bench.ours.write(self.row, self.side, path, *bench.named(self.arguments))


@dataclasses.dataclass(frozen=True)
class Peer:
    """A task of peer.py. `simd` runs it with Pillow-SIMD."""

    task: str
    arguments: tuple = ()
    simd: bool = False
    operations: int = 1

    def run(self, bench, count):
        return bench.peer(self.simd).measure(self.task, "peer", count, *bench.named(self.arguments))

    def write(self, bench, path):
        return bench.peer(self.simd).write(self.task, "peer", path, *bench.named(self.arguments))


@dataclasses.dataclass(frozen=True)
class Whole:
    """Processes that run at once, whole. `commands` receives the bench and an empty folder, and returns them."""

    commands: Callable
    operations: int = 1
    # How many files must be in the folder afterwards.
    files: int | None = None

    def run(self, bench, count):
        samples = []
        for _ in range(count):
            folder = bench.empty_folder()
            samples.append(run(*self.commands(bench, folder), cwd=folder))
            made = len(list(folder.iterdir()))
            if self.files is not None and made != self.files:
                raise Failure(f"{made} files instead of {self.files}")
        return measuring.Sample(*(sum(getattr(sample, part) for sample in samples) / count
                                  for part in ("wall", "processor", "memory")))


def nothing(_bench):
    """For rows in which the program checks each result itself."""
    return "checked in each repetition"


@dataclasses.dataclass(frozen=True)
class Row:
    """Two sides, and how their ratio should be. A ratio is what ours takes, divided by what the peer takes."""

    id: str
    what: str
    ours: object
    peer: object
    peer_name: str
    # The largest ratio that meets the target; `None` for a row without one.
    target: float | None
    # What decides: "processor", "wall" or "memory".
    part: str = "processor"
    check: Callable = nothing
    # What must be installed, by the names of versions.py.
    needs: tuple = ()

    def measure(self, bench, pairs):
        # Rows that differ only in the part that they compare share their samples.
        sides = self.ours, self.peer
        if sides not in bench.samples:
            bench.samples[sides] = measuring.in_turns(*(functools.partial(side.run, bench) for side in sides), pairs)
        samples = bench.samples[sides]
        ratios = [ratio * self.peer.operations / self.ours.operations
                  for ratio in measuring.ratios(samples, self.part)]
        interval = measuring.Interval.of(ratios)
        return {
            "kind": "ratio", "interval": dataclasses.asdict(interval), "part": self.part, "pairs": pairs,
            "ours": measuring.median(samples[0], self.part) / self.ours.operations,
            "peer": measuring.median(samples[1], self.part) / self.peer.operations,
            "wall": measuring.Interval.of(measuring.ratios(samples, "wall")).median
            * self.peer.operations / self.ours.operations,
        }


@dataclasses.dataclass(frozen=True)
class Value:
    """A number of ours that has a limit by itself. `read` receives the bench."""

    id: str
    what: str
    read: Callable
    unit: str
    target: float | None
    check: Callable = nothing
    needs: tuple = ()
    times: int = 15
    ours, peer_name = None, "a limit"

    def measure(self, bench, pairs):
        interval = measuring.Interval.of([self.read(bench) for _ in range(min(pairs, self.times))])
        return {"kind": "value", "interval": dataclasses.asdict(interval), "unit": self.unit}


def value(row, name, *arguments):
    """Returns what reads a number of BenchmarkProgram."""
    return lambda bench: bench.ours.value(row, name, *bench.named(arguments))


def time_of(row, side, *arguments, operations=1, unit=1e6, part="processor"):
    """Returns what reads the time of one operation, in parts of a second."""
    return lambda bench: unit / operations * getattr(
        bench.ours.measure(row, side, 1, *bench.named(arguments)), part)
