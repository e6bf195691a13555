#define _GNU_SOURCE
#include "CTintypeSandbox.h"
#include "opening.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

bool tintype_filter_is_supported(void) {
#ifdef ARCHITECTURE
    // Fails with EFAULT where filters exist, because it has no program.
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 && errno == EFAULT;
#else
    return false;
#endif
}

#ifdef ARCHITECTURE

/// What a decoder needs in memory that is mapped, with files that are open, and with its own threads.
static const int allowed[] = {
    SYS_read, SYS_write, SYS_recvmsg, SYS_sendmsg, SYS_futex, SYS_brk, SYS_munmap, SYS_madvise,
    SYS_clock_gettime, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_lseek, SYS_fstat, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_exit,
    SYS_exit_group, SYS_set_robust_list, SYS_getrandom, SYS_getpid, SYS_gettid, SYS_clock_nanosleep, SYS_nanosleep,
    SYS_clock_getres, SYS_gettimeofday, SYS_restart_syscall, SYS_sendto, SYS_recvfrom, SYS_ppoll,
    SYS_membarrier, SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_getpriority, SYS_set_tid_address, SYS_mincore, SYS_msync,
    SYS_getcpu, SYS_fadvise64,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_poll
    SYS_poll, SYS_time, SYS_arch_prctl,
#endif
#ifdef SYS_riscv_hwprobe
    SYS_riscv_hwprobe,
#endif
};

/// What finding and reading files needs besides opening them. Landlock decides which files.
static const int reading[] = {
    SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_statfs, SYS_fstatfs, SYS_getcwd,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_access
    SYS_access, SYS_readlink, SYS_stat, SYS_lstat,
#endif
};

/// What no decoder calls unless it is taken over.
static const int deadly[] = {
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_socket, SYS_socketpair,
    SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_bpf, SYS_mount, SYS_umount2, SYS_pivot_root,
    SYS_chroot, SYS_unshare, SYS_setns, SYS_memfd_create, SYS_init_module, SYS_finit_module, SYS_delete_module,
    SYS_kexec_load, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_perf_event_open, SYS_userfaultfd, SYS_truncate,
    SYS_personality, SYS_mknodat, SYS_open_by_handle_at,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#endif
#ifdef SYS_fork
    SYS_fork, SYS_vfork, SYS_creat,
#endif
};

/// The program while it is written.
typedef struct {
    struct sock_filter code[512];
    unsigned short count;
} program;

static void add(program *program, struct sock_filter instruction) {
    program->code[program->count++] = instruction;
}

static void load(program *program, size_t offset) {
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void finish(program *program, unsigned verdict) {
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/// Skips `count` instructions unless the system call is `number`.
static void skip_unless(program *program, int number, unsigned char count) {
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, count));
}

static void judge(program *program, int number, unsigned verdict) {
    skip_unless(program, number, 1);
    finish(program, verdict);
}

static void judge_all(program *program, const int *numbers, size_t count, unsigned verdict) {
    for (size_t index = 0; index < count; index++) {
        judge(program, numbers[index], verdict);
    }
}

#define COUNT(list) (sizeof list / sizeof list[0])
#define ERRNO(number) (SECCOMP_RET_ERRNO | (number))

/// Loads the low half of an argument. The flags that are checked all lie in it.
static void load_argument(program *program, int index) {
    load(program, offsetof(struct seccomp_data, args) + 8 * (size_t)index);
}

/// Judges a call by the bits of an argument.
static void judge_bits(
    program *program, int number, int argument, unsigned bits, unsigned with_any, unsigned without) {
    skip_unless(program, number, 4);
    load_argument(program, argument);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    finish(program, with_any);
    finish(program, without);
}

/// Judges a call by the value of an argument.
static void judge_value(
    program *program, int number, int argument, unsigned value, unsigned equal, unsigned other) {
    skip_unless(program, number, 4);
    load_argument(program, argument);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    finish(program, equal);
    finish(program, other);
}

static const unsigned writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
/// Judges a call that opens a file for reading: traps it unless it comes from one instruction. An attempt to write gets
/// an error, because libraries that look for files keep caches of them.
static void judge_reading(program *program, int number, int flags, uint64_t address) {
    size_t origin = offsetof(struct seccomp_data, instruction_pointer);
    skip_unless(program, number, 9);
    load_argument(program, flags);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, writing, 0, 1));
    finish(program, ERRNO(EACCES));
    load(program, origin);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)address, 0, 3));
    load(program, origin + 4);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(address >> 32), 0, 1));
    finish(program, SECCOMP_RET_ALLOW);
    finish(program, SECCOMP_RET_TRAP);
}

static const unsigned namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                   CLONE_NEWPID | CLONE_NEWNET;

static void begin(program *program) {
    load(program, offsetof(struct seccomp_data, arch));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    finish(program, SECCOMP_RET_KILL_PROCESS);
    load(program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    // System calls of the x32 ABI.
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    finish(program, SECCOMP_RET_KILL_PROCESS);
#endif
}

/// Judges a call that opens a file. Without `reads_files`, an attempt to write ends the process.
static void judge_opening(program *program, int number, int flags, bool reads_files) {
    if (reads_files) {
        judge_reading(program, number, flags, tintype_opening_address());
    } else {
        judge_bits(program, number, flags, writing, SECCOMP_RET_KILL_PROCESS, ERRNO(EACCES));
    }
}

static void judge_threads(program *program) {
    // glibc then calls clone, whose flags can be checked.
#ifdef SYS_clone3
    judge(program, SYS_clone3, ERRNO(ENOSYS));
#endif
    skip_unless(program, SYS_clone, 6);
    load_argument(program, 0);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, namespaces, 0, 1));
    finish(program, ERRNO(EPERM));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
    finish(program, SECCOMP_RET_KILL_PROCESS);
    finish(program, SECCOMP_RET_ALLOW);
    judge_value(program, SYS_tgkill, 0, (unsigned)getpid(), SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
    judge_value(program, SYS_prctl, 0, PR_SET_NAME, SECCOMP_RET_ALLOW, ERRNO(EPERM));
}

/// Forbids further code, which is loaded before, and memory that RLIMIT_DATA does not count: anonymous memory that is
/// shared or grows like a stack.
static void judge_mapping(program *program) {
    judge_bits(program, SYS_mprotect, 2, PROT_EXEC, ERRNO(EPERM), SECCOMP_RET_ALLOW);
    skip_unless(program, SYS_mmap, 8);
    load_argument(program, 2);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 4, 0));
    load_argument(program, 3);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_GROWSDOWN, 2, 0));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 2));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1));
    finish(program, ERRNO(EPERM));
    finish(program, SECCOMP_RET_ALLOW);
}

/// Forbids to enlarge the stack by mremap(2), which RLIMIT_DATA does not count either.
static void judge_remapping(program *program, uint64_t stack) {
    size_t address = offsetof(struct seccomp_data, args);
    skip_unless(program, SYS_mremap, 7);
    load(program, address + 4);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (unsigned)(stack >> 32), 3, 0));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(stack >> 32), 0, 3));
    load(program, address);
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)stack, 0, 1));
    finish(program, ERRNO(EPERM));
    finish(program, SECCOMP_RET_ALLOW);
}

/// Forbids to choose which process gets a signal for a descriptor, because any of this user would do, to change the
/// flags that a descriptor may share with the host, and to disarm the lifeline.
static void judge_descriptors(program *program) {
    static const int deadly_commands[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_NOTIFY, F_SETLEASE};
    skip_unless(program, SYS_fcntl, 4 + 2 * COUNT(deadly_commands));
    load_argument(program, 1);
    judge_all(program, deadly_commands, COUNT(deadly_commands), SECCOMP_RET_KILL_PROCESS);
    judge(program, F_SETFL, ERRNO(EPERM));
    finish(program, SECCOMP_RET_ALLOW);
    judge_value(program, SYS_close, 0, TINTYPE_WORKER_LIFELINE, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW);
}

/// Returns an address below everything that the stack can become, and above what is mapped elsewhere.
static uint64_t stack_begin(void) {
    struct rlimit size;
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    return getrlimit(RLIMIT_STACK, &size) == 0 && size.rlim_cur < here ? here - size.rlim_cur : here;
}

int tintype_filter_install(bool reads_files) {
    static program program;
    if (reads_files && tintype_opening_watch() != 0) {
        return -1;
    }
    begin(&program);
    judge_mapping(&program);
    judge_remapping(&program, stack_begin());
    judge_all(&program, allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
    judge_descriptors(&program);
    judge_threads(&program);
    judge_opening(&program, SYS_openat, 2, reads_files);
#ifdef SYS_open
    judge_opening(&program, SYS_open, 1, reads_files);
#endif
    if (reads_files) {
        judge_all(&program, reading, COUNT(reading), SECCOMP_RET_ALLOW);
    }
    judge_all(&program, deadly, COUNT(deadly), SECCOMP_RET_KILL_PROCESS);
    finish(&program, ERRNO(EPERM));
    struct sock_fprog filter = {.len = program.count, .filter = program.code};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
}

#else

int tintype_filter_install(bool reads_files) {
    (void)reads_files;
    errno = ENOSYS;
    return -1;
}

#endif
