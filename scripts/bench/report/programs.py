"""Programs that answer a line with a line, and whole processes with what they use."""

import functools
import json
import os
import pathlib
import subprocess
import sys
import time

from .measuring import Sample


class Failure(Exception):
    """A program did not do what it was asked."""


class Program:
    """A program that answers each line of input with one line of JSON: BenchmarkProgram, or peer.py."""

    def __init__(self, *command, **environment):
        self.command = [str(word) for word in command]
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})

    def ask(self, *words):
        try:
            self.process.stdin.write("\t".join(map(str, words)) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Failure(f"{self.command[0]} ended at: {words}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(answer["error"])
        return answer

    def measure(self, row, side, count, *arguments):
        answer = self.ask("measure", row, side, count, *arguments)
        return Sample(answer["wall"], answer["processor"])

    def value(self, row, name, *arguments):
        return self.ask("value", row, name, *arguments)["value"]

    def write(self, row, side, path, *arguments):
        answer = self.ask("write", row, side, path, *arguments)
        return answer["width"], answer["height"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


@functools.cache
def _launcher():
    """Starts launch.py, with nothing of the packages that are installed."""
    script = pathlib.Path(__file__).with_name("launch.py")
    return subprocess.Popen(
        [sys.executable, "-S", "-E", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def run(*commands, cwd=None):
    """Runs commands at once to their end. The peaks of their memory are added."""
    asked = {"commands": [[str(word) for word in command] for command in commands], "cwd": cwd and str(cwd)}
    launcher = _launcher()
    launcher.stdin.write(json.dumps(asked) + "\n")
    launcher.stdin.flush()
    answer = json.loads(launcher.stdout.readline())
    if "error" in answer:
        raise Failure(answer["error"])
    return Sample(**answer)


def memory_over_time(command, cwd, interval=0.02):
    """Runs a command; returns seconds and bytes of resident memory, its own and that of its children."""
    process = subprocess.Popen([str(word) for word in command], cwd=cwd, stdout=subprocess.DEVNULL)
    start, series = time.perf_counter(), []
    while process.poll() is None:
        series.append((time.perf_counter() - start, sum(map(_resident, _family(process.pid)))))
        time.sleep(interval)
    if process.returncode:
        raise Failure(f"{command[0]} has failed")
    return series


def _family(pid):
    """Returns a process and its children."""
    try:
        tasks = pathlib.Path(f"/proc/{pid}/task")
        children = [int(word) for task in tasks.iterdir() for word in (task / "children").read_text().split()]
    except OSError:
        children = []
    return [pid, *children]


def _resident(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def peers(python=sys.executable):
    """Starts peer.py, in which the libraries use one thread."""
    script = pathlib.Path(__file__).with_name("peer.py")
    return Program(python, "-B", script, VIPS_CONCURRENCY="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
