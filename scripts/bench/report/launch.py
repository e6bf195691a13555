"""Runs processes for programs.py, and reports what they use.

The kernel counts the memory of the process that has forked a child as the child's own, until it runs its program. The
report has hundreds of megabytes, so this small program forks instead.
"""

import json
import os
import subprocess
import sys
import time


def run(commands, cwd):
    """Runs commands at once to their end. The peaks of their memory are added."""
    start = time.perf_counter()
    processes = [
        subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for command in commands]
    processor, memory, failures = 0, 0, []
    for process, command in zip(processes, commands):
        errors = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            failures.append(f"{command[0]} has failed: {errors.decode(errors='replace')[-300:]}")
        processor += used.ru_utime + used.ru_stime
        memory += used.ru_maxrss * 1024
    if failures:
        return {"error": failures[0]}
    return {"wall": time.perf_counter() - start, "processor": processor, "memory": memory}


for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = run(asked["commands"], asked["cwd"])
    except OSError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
