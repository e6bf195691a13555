#define _GNU_SOURCE
#include "CTintypeSandbox.h"
#include "opening.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__x86_64__)
__asm__(
    ".text\n"
    "tintype_opening_call:\n"
    "  movq %rdi, %rax\n"
    "  movq %rsi, %rdi\n"
    "  movq %rdx, %rsi\n"
    "  movq %rcx, %rdx\n"
    "  movq %r8, %r10\n"
    "  syscall\n"
    "tintype_opening_return:\n"
    "  ret\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    "tintype_opening_call:\n"
    "  mov x8, x0\n"
    "  mov x0, x1\n"
    "  mov x1, x2\n"
    "  mov x2, x3\n"
    "  mov x3, x4\n"
    "  svc #0\n"
    "tintype_opening_return:\n"
    "  ret\n");
#endif

#if defined(__x86_64__) || defined(__aarch64__)

extern long tintype_opening_call(long number, long first, long second, long third, long fourth);
extern const char tintype_opening_return[];

uint64_t tintype_opening_address(void) {
    return (uint64_t)(uintptr_t)tintype_opening_return;
}

static volatile int refused_count = 0;
static char refused_path[256];

/// Files that libraries look for and do without.
static const char *const dispensable[] = {"/proc/", "/sys/", "/dev/", "/run/", "/etc/ld.so", "/etc/localtime", "/etc/passwd", "/usr/share/zoneinfo/"};

static void record(const char *path, long flags) {
    if ((flags & O_ACCMODE) != O_RDONLY) {
        return;
    }
    for (size_t index = 0; index < sizeof dispensable / sizeof dispensable[0]; index++) {
        if (strncmp(path, dispensable[index], strlen(dispensable[index])) == 0) {
            return;
        }
    }
    strncpy(refused_path, path, sizeof refused_path - 1);
    __atomic_add_fetch(&refused_count, 1, __ATOMIC_RELAXED);
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
#if defined(__x86_64__)
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    long number = registers[REG_RAX], first = registers[REG_RDI], second = registers[REG_RSI];
    long third = registers[REG_RDX], fourth = registers[REG_R10];
#else
    unsigned long long *registers = ((ucontext_t *)context)->uc_mcontext.regs;
    long number = (long)registers[8], first = (long)registers[0], second = (long)registers[1];
    long third = (long)registers[2], fourth = (long)registers[3];
#endif
    long result = tintype_opening_call(number, first, second, third, fourth);
    if (result == -EACCES || result == -EPERM) {
#ifdef SYS_open
        if (number == SYS_open) {
            record((const char *)first, second);
        } else
#endif
        {
            record((const char *)second, third);
        }
    }
#if defined(__x86_64__)
    registers[REG_RAX] = result;
#else
    registers[0] = (unsigned long long)result;
#endif
}

int tintype_opening_watch(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    return sigaction(SIGSYS, &action, NULL);
}

int tintype_refused_files(char *path, size_t size) {
    int count = __atomic_exchange_n(&refused_count, 0, __ATOMIC_RELAXED);
    strncpy(path, refused_path, size - 1);
    path[size - 1] = 0;
    return count;
}

#else

uint64_t tintype_opening_address(void) {
    return 0;
}

int tintype_opening_watch(void) {
    errno = ENOSYS;
    return -1;
}

int tintype_refused_files(char *path, size_t size) {
    (void)path;
    (void)size;
    return 0;
}

#endif
