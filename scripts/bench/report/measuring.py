"""Measures two sides in turns, and says how sure their ratio is."""

import dataclasses
import math
import statistics

# How long one measurement takes at least, in seconds, so that the clocks are exact enough.
LEAST = 0.03


@dataclasses.dataclass(frozen=True)
class Sample:
    """Seconds of one repetition, and the peak memory in bytes where a side is a process of its own."""

    wall: float
    processor: float
    memory: float = 0


@dataclasses.dataclass(frozen=True)
class Interval:
    """A median with its 95 % interval."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values):
        """The interval is that of the sign test, which assumes no distribution: two values by rank."""
        values = sorted(values)
        cut = _rank(len(values))
        return Interval(statistics.median(values), values[cut], values[len(values) - 1 - cut])


def _rank(count):
    """Returns how many of `count` values may be cut off at each end for a coverage of 95 %."""
    cut, tail = 0, 0.5 ** count
    while 2 * (tail + math.comb(count, cut + 1) * 0.5 ** count) <= 0.05:
        cut += 1
        tail += math.comb(count, cut) * 0.5 ** count
    return cut


def in_turns(first, second, pairs):
    """Returns the samples of both sides, after one of each to warm up.

    Every other pair runs backwards (ABBA), because a side finds the files and caches as its predecessor left them."""
    counts = [max(1, math.ceil(LEAST / max(side(1).wall, 1e-9))) for side in (first, second)]
    samples = ([], [])
    for turn in range(pairs):
        for which in ((0, 1), (1, 0))[turn % 2]:
            samples[which].append((first, second)[which](counts[which]))
    return samples


def ratios(samples, part):
    """Returns the ratio of each pair, because other load slows down both sides of a pair."""
    return [getattr(ours, part) / getattr(theirs, part) for ours, theirs in zip(*samples)]


def median(samples, part):
    return statistics.median(getattr(sample, part) for sample in samples)
