// Starts a program as a container or an ordinary user does, to test the sandbox of decoders there.
//
//   launch-restricted [--docker] [--user] [--no-pidfd] [--no-execve] [--no-proc] [--as-worker] PROGRAM ARGUMENT…
//
//   --docker  with the capabilities of a Docker container, without new privileges, and under Docker's default filter of system
//             calls (docs.docker.com/engine/security/seccomp, as of version 25): those of the list are permitted, clone3 does
//             not exist (ENOSYS), and all others are forbidden (EPERM)
//   --user    as the user and group 65534
//   --no-pidfd   with pidfd_open(2) forbidden
//   --no-execve  with execve(2) forbidden to the program
//   --no-proc    without /proc
//   --as-worker  with the name and the descriptors of a worker whose host has ended
//
// Must be started by the superuser. Built by scripts/check/sandbox-hosts.

#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static const int permitted[] = {
    // Files.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2, SYS_pwritev2,
    SYS_lseek, SYS_openat, SYS_openat2, SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_fcntl, SYS_ioctl, SYS_flock, SYS_fsync,
    SYS_fdatasync, SYS_sync, SYS_syncfs, SYS_sync_file_range, SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_readahead,
    SYS_fadvise64, SYS_copy_file_range, SYS_sendfile, SYS_splice, SYS_tee, SYS_vmsplice, SYS_fstat, SYS_newfstatat, SYS_statx,
    SYS_statfs, SYS_fstatfs, SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_chdir, SYS_fchdir,
    SYS_mkdirat, SYS_mknodat, SYS_unlinkat, SYS_linkat, SYS_symlinkat, SYS_renameat2, SYS_fchmod, SYS_fchmodat, SYS_fchown,
    SYS_fchownat, SYS_utimensat, SYS_umask, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_setxattr, SYS_lsetxattr,
    SYS_fsetxattr, SYS_listxattr, SYS_llistxattr, SYS_flistxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    SYS_name_to_handle_at, SYS_fanotify_mark, SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch,
    // Waiting.
    SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd2, SYS_signalfd4,
    SYS_timerfd_create, SYS_timerfd_gettime, SYS_timerfd_settime, SYS_io_setup, SYS_io_submit, SYS_io_getevents,
    SYS_io_pgetevents, SYS_io_cancel, SYS_io_destroy, SYS_pipe2, SYS_futex, SYS_nanosleep, SYS_clock_nanosleep,
    SYS_restart_syscall,
#ifdef SYS_futex_waitv
    SYS_futex_waitv,
#endif
    // Memory.
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_mincore, SYS_msync, SYS_mlock, SYS_mlock2,
    SYS_mlockall, SYS_munlock, SYS_munlockall, SYS_memfd_create, SYS_membarrier, SYS_remap_file_pages, SYS_pkey_alloc,
    SYS_pkey_free, SYS_pkey_mprotect, SYS_shmat, SYS_shmctl, SYS_shmdt, SYS_shmget,
    // Processes and signals.
    SYS_execve, SYS_execveat, SYS_exit, SYS_exit_group, SYS_wait4, SYS_waitid, SYS_kill, SYS_tkill, SYS_tgkill, SYS_pidfd_open,
    SYS_pidfd_send_signal, SYS_rt_sigaction, SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_rt_sigqueueinfo, SYS_rt_sigreturn,
    SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_rt_tgsigqueueinfo, SYS_sigaltstack, SYS_set_robust_list, SYS_get_robust_list,
    SYS_set_tid_address, SYS_rseq, SYS_prctl, SYS_seccomp, SYS_landlock_create_ruleset, SYS_landlock_add_rule,
    SYS_landlock_restrict_self, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_setsid, SYS_getsid, SYS_setpgid,
    SYS_getpgid, SYS_prlimit64, SYS_getrlimit, SYS_setrlimit, SYS_getrusage, SYS_times, SYS_capget, SYS_capset,
    // Identity.
    SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid,
    SYS_getresgid, SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid,
    SYS_setfsgid, SYS_setgroups,
    // Scheduling and time.
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getattr, SYS_sched_setattr, SYS_sched_getparam,
    SYS_sched_setparam, SYS_sched_getscheduler, SYS_sched_setscheduler, SYS_sched_get_priority_max,
    SYS_sched_get_priority_min, SYS_sched_rr_get_interval, SYS_getpriority, SYS_setpriority, SYS_ioprio_get, SYS_ioprio_set,
    SYS_getcpu, SYS_clock_gettime, SYS_clock_getres, SYS_clock_adjtime, SYS_adjtimex, SYS_gettimeofday, SYS_getitimer,
    SYS_setitimer, SYS_timer_create, SYS_timer_delete, SYS_timer_getoverrun, SYS_timer_gettime, SYS_timer_settime,
    // Sockets and queues.
    SYS_socketpair, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_connect, SYS_shutdown, SYS_getsockname, SYS_getpeername,
    SYS_getsockopt, SYS_setsockopt, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_msgctl,
    SYS_msgget, SYS_msgrcv, SYS_msgsnd, SYS_semctl, SYS_semget, SYS_semop, SYS_semtimedop, SYS_mq_getsetattr, SYS_mq_notify,
    SYS_mq_open, SYS_mq_timedreceive, SYS_mq_timedsend, SYS_mq_unlink,
    // The rest.
    SYS_getrandom, SYS_uname, SYS_sysinfo,
#ifdef __x86_64__
    SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_mkdir, SYS_rmdir, SYS_mknod,
    SYS_unlink, SYS_link, SYS_symlink, SYS_rename, SYS_renameat, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes,
    SYS_futimesat, SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_epoll_ctl_old,
    SYS_epoll_wait_old, SYS_eventfd, SYS_signalfd, SYS_inotify_init, SYS_fork, SYS_vfork, SYS_pause, SYS_alarm, SYS_time,
    SYS_getpgrp, SYS_arch_prctl, SYS_modify_ldt, SYS_get_thread_area, SYS_set_thread_area,
#endif
};

/// The namespaces that clone(2) may not create: the value of Docker's profile.
static const unsigned namespaces = 0x7E020000;

/// chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service, net_raw, sys_chroot, mknod,
/// audit_write and setfcap.
static const unsigned capabilities = 0xA80425FB;

enum { ALLOW = SECCOMP_RET_ALLOW, FORBID = SECCOMP_RET_ERRNO | EPERM, MISSING = SECCOMP_RET_ERRNO | ENOSYS };

static struct sock_filter code[2048];
static unsigned short count = 0;

static void add(struct sock_filter instruction) {
    code[count++] = instruction;
}

static void load(size_t offset) {
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void finish(unsigned verdict) {
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/// Skips instructions unless the loaded number is `value`.
static void skip_unless(unsigned value, unsigned char skipped) {
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped));
}

static bool install_filter(void) {
    load(offsetof(struct seccomp_data, arch));
    skip_unless(ARCHITECTURE, 1);
    load(offsetof(struct seccomp_data, nr));
    for (size_t index = 0; index < sizeof permitted / sizeof permitted[0]; index++) {
        skip_unless((unsigned)permitted[index], 1);
        finish(ALLOW);
    }
    skip_unless(SYS_clone3, 1);
    finish(MISSING);
    skip_unless(SYS_clone, 4);
    load(offsetof(struct seccomp_data, args));
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, namespaces, 0, 1));
    finish(FORBID);
    finish(ALLOW);
    // Any family but AF_VSOCK.
    skip_unless(SYS_socket, 4);
    load(offsetof(struct seccomp_data, args));
    skip_unless(40, 1);
    finish(FORBID);
    finish(ALLOW);
    finish(FORBID);
    struct sock_fprog filter = {.len = count, .filter = code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

static bool forbid_process_descriptors(void) {
    load(offsetof(struct seccomp_data, nr));
    skip_unless(SYS_pidfd_open, 1);
    finish(FORBID);
    finish(ALLOW);
    struct sock_fprog filter = {.len = count, .filter = code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

/// Permits execve(2) only with this path, which is at another address in the program that is started.
static bool forbid_further_programs(const char *path) {
    load(offsetof(struct seccomp_data, nr));
    skip_unless(SYS_execve, 4);
    load(offsetof(struct seccomp_data, args));
    skip_unless((unsigned)(uintptr_t)path, 1);
    finish(ALLOW);
    finish(FORBID);
    finish(ALLOW);
    struct sock_fprog filter = {.len = count, .filter = code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

/// Unmounts /proc in a mount namespace of its own.
static bool hide_processes(void) {
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           umount2("/proc", MNT_DETACH) == 0;
}

/// Connects the descriptors 3 and 4 to nothing.
static bool become_worker(void) {
    int ends[2], lifeline[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && pipe(lifeline) == 0 && dup2(ends[0], 10) == 10 &&
           dup2(lifeline[0], 11) == 11 && dup2(10, 3) == 3 && dup2(11, 4) == 4 &&
           syscall(SYS_close_range, 5, ~0U, 0) == 0;
}

static bool drop_capabilities(void) {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if ((capability > 31 || (capabilities >> capability & 1) == 0) && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            return false;
        }
    }
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{.effective = capabilities, .permitted = capabilities}, {0}};
    return syscall(SYS_capset, &header, data) == 0;
}

static bool become_user(void) {
    return setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
}

int main(int argc, char **argv) {
    bool is_docker = false, is_user = false, has_pidfd = true, is_worker = false, has_execve = true, has_proc = true;
    int next = 1;
    for (; next < argc && strncmp(argv[next], "--", 2) == 0; next++) {
        is_docker = is_docker || strcmp(argv[next], "--docker") == 0;
        is_user = is_user || strcmp(argv[next], "--user") == 0;
        has_pidfd = has_pidfd && strcmp(argv[next], "--no-pidfd") != 0;
        has_execve = has_execve && strcmp(argv[next], "--no-execve") != 0;
        has_proc = has_proc && strcmp(argv[next], "--no-proc") != 0;
        is_worker = is_worker || strcmp(argv[next], "--as-worker") == 0;
    }
    if (next == argc) {
        fprintf(stderr, "usage: launch-restricted [--docker] [--user] [--no-pidfd] [--no-execve] [--no-proc] [--as-worker] "
                        "PROGRAM ARGUMENT…\n");
        return 2;
    }
    const char *path = argv[next];
    if ((!has_proc && !hide_processes()) || (is_docker && !drop_capabilities()) || (is_user && !become_user()) ||
        (is_docker && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !install_filter())) ||
        (!has_pidfd && !forbid_process_descriptors()) || (!has_execve && !forbid_further_programs(path)) || (is_worker && !become_worker())) {
        perror("launch-restricted");
        return 2;
    }
    if (is_worker) {
        argv[next] = "tintype-worker";
    }
    execv(path, argv + next);
    perror(path);
    return 2;
}
