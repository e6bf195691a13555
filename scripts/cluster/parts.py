"""The parts of the cluster: processes that can be killed, stopped and started again."""

import ctypes
import os
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def free_ports(count):
    """Returns ports that nothing used a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def answers(port):
    """Returns whether something accepts connections on a port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Part:
    """A process of the cluster. It ends with this script, however that ends."""

    def __init__(self, name, arguments, folder, port, environment=None, is_ready=None):
        self.name, self.arguments, self.folder, self.port = name, arguments, folder, port
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, **(environment or {})}
        self.is_ready = is_ready or (lambda: answers(port))
        self.process = None
        # Pairs of a time and a state: up, starting, stopped or dead.
        self.states = []
        os.makedirs(folder, exist_ok=True)

    def note(self, state):
        self.states.append((time.monotonic(), state))

    def start(self):
        self.note("starting")
        with open(f"{self.folder}/log", "ab") as log, open(f"{self.folder}/errors", "ab") as errors:
            self.process = subprocess.Popen(
                self.arguments, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=errors, preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))

    def check(self):
        """Returns whether the part works. Raises if its process has ended."""
        if self.process.poll() is not None:
            with open(f"{self.folder}/errors", encoding="utf-8", errors="replace") as errors:
                raise SystemExit(f"cluster-demo: {self.name} ended: {errors.read()[-2000:]}")
        if not self.is_ready():
            return False
        self.note("up")
        return True

    def wait(self, seconds=60):
        end = time.monotonic() + seconds
        while not self.check():
            if time.monotonic() > end:
                raise SystemExit(f"cluster-demo: {self.name} does not answer on port {self.port}")
            time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.note("dead")

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)
        self.note("stopped")

    def resume(self):
        self.process.send_signal(signal.SIGCONT)
        self.note("up")

    def end(self):
        """Ends the process for good."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
