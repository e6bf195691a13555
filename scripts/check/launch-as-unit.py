"""Runs a program under the restrictions of a systemd unit that a kernel without systemd can impose: the filter of system
calls, no new privileges, no capabilities, another user, and no memory that is writable and executable.

    python3 scripts/check/launch-as-unit.py UNIT PROGRAM [ARGUMENT ...]

The superuser must start it. It needs libseccomp and systemd-analyze, which are parts of systemd."""

import ctypes
import errno
import os
import subprocess
import sys

NOBODY = 65534
PR_SET_NO_NEW_PRIVS, PR_SET_MDWE, MDWE_REFUSE_EXEC_GAIN = 38, 65, 1
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def members(name):
    """Returns the system calls of a group, with those of the groups in it."""
    if not name.startswith("@"):
        return {name}
    text = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in text.splitlines()[1:]]
    return set().union(*(members(line) for line in lines if line and not line.startswith("#")))


def allowed(unit):
    """Returns the system calls that a unit allows (systemd.exec(5))."""
    calls = members("@default")
    for line in open(unit, encoding="utf-8"):
        name, _, value = line.strip().partition("=")
        if name != "SystemCallFilter":
            continue
        group = set().union(*(members(word) for word in value.lstrip("~").split()))
        calls = calls - group if value.startswith("~") else calls | group
    return calls


def restrict(calls):
    seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(ERRNO | errno.EPERM)))
    for call in sorted(calls):
        number = seccomp.seccomp_syscall_resolve_name(call.encode())
        # Others belong to other architectures, or to newer kernels than the library.
        if number >= 0:
            seccomp.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), number, 0)
    if seccomp.seccomp_load(context) != 0:
        raise SystemExit("launch-as-unit: the filter of system calls cannot be loaded")


def main():
    unit, program = sys.argv[1], sys.argv[2:]
    calls = allowed(unit)
    libc = ctypes.CDLL(None, use_errno=True)
    os.setgroups([])
    os.setgid(NOBODY)
    # All capabilities end with the superuser's number.
    os.setuid(NOBODY)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0:
        print("launch-as-unit: this kernel (before 6.3) cannot refuse executable memory", file=sys.stderr)
    os.umask(0o077)
    restrict(calls)
    os.execv(program[0], program)


main()
