"""What compare-animations.py, compare-decoders.py and compare-transforms.py share: contestants that take turns."""

import statistics
import subprocess
import time


class Program:
    """One of Benchmarks/, which answers every line that it is given with one."""

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
    """How long it takes, in milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def in_turns(rounds, contestants):
    """The least time of each: what else the machine does only adds to it."""
    return {name: min(taken) for name, taken in all_in_turns(rounds, contestants).items()}


def all_in_turns(rounds, contestants):
    """The times of each, round by round, after one round that does not count.

    Every other round goes backwards: who follows another with the same file finds it, and the library, in the caches."""
    times = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name in list(contestants)[::1 if turn % 2 else -1]:
            taken = contestants[name]()
            if turn:
                times[name].append(taken)
    return times


def ratio(ours, theirs):
    """The median of what each round's two times make: what slows a round down slows both."""
    return statistics.median(a / b for a, b in zip(ours, theirs))
