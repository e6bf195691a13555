"""Shared by compare-animations.py, compare-decoders.py and compare-transforms.py: contestants that run in alternating order."""

import statistics
import subprocess
import time


class Program:
    """A program of Benchmarks/, which answers each line of input with one line."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def time(self, *words):
        return float(self.ask(*words)[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(work):
    """Returns the duration in milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def in_turns(rounds, contestants):
    """Returns the shortest time of each, because other load on the machine only adds time."""
    return {name: min(taken) for name, taken in all_in_turns(rounds, contestants).items()}


def all_in_turns(rounds, contestants):
    """Returns the times of each, round by round, after a warm-up round.

    Every other round runs backwards, because a contestant finds the file and library of its predecessor in the CPU caches."""
    times = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name in list(contestants)[::1 if turn % 2 else -1]:
            taken = contestants[name]()
            if turn:
                times[name].append(taken)
    return times


def ratio(ours, theirs):
    """Returns the median of the ratios of each round, because other load slows down both contestants of a round."""
    return statistics.median(a / b for a, b in zip(ours, theirs))
