#define _GNU_SOURCE
#include "CTintypeSandbox.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TINTYPE_SANITIZED 1
#endif
#endif

bool tintype_has_sanitizer(void) {
#ifdef TINTYPE_SANITIZED
    return true;
#else
    return false;
#endif
}

/// The stack of the thread that decodes. The kernel grows it on demand.
static const rlim_t stack_size = 64 << 20;
/// The stack of further threads, which counts as private memory in full.
static const size_t thread_stack_size = 1 << 20;
static const rlim_t descriptors = 256;

/// Sets both limits, or keeps a lower one.
static int limit(int resource, rlim_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) {
        return -1;
    }
    limit.rlim_max = value < limit.rlim_max ? value : limit.rlim_max;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit);
}

static int limit_stack(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) {
        return -1;
    }
    limit.rlim_cur = stack_size < limit.rlim_max ? stack_size : limit.rlim_max;
    return setrlimit(RLIMIT_STACK, &limit);
}

/// No file can be written, except standard error with a sanitizer, whose reports go there.
static int limit_files(void) {
#ifdef TINTYPE_SANITIZED
    return 0;
#else
    return limit(RLIMIT_FSIZE, 0);
#endif
}

/// Has the kernel kill this process as soon as the host closes its end of the pipe or ends. A parent-death signal would
/// come when the thread ends that started the worker.
static int arm_lifeline(void) {
    return fcntl(TINTYPE_WORKER_LIFELINE, F_SETSIG, SIGKILL) | fcntl(TINTYPE_WORKER_LIFELINE, F_SETOWN, getpid()) |
           fcntl(TINTYPE_WORKER_LIFELINE, F_SETFL, O_ASYNC | O_NONBLOCK);
}

/// Ends at once if the host ended before the lifeline was armed.
static bool host_is_gone(void) {
    char byte;
    return read(TINTYPE_WORKER_LIFELINE, &byte, 1) == 0;
}

/// A crash ends the worker at once: handlers of the runtime would start another program to describe it.
static void reset_signals(void) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT, SIGSYS};
    for (size_t index = 0; index < sizeof crashes / sizeof crashes[0]; index++) {
        signal(crashes[index], SIG_DFL);
    }
    signal(SIGXFSZ, SIG_IGN);
}

/// Keeps the private memory of threads small. Sanitizers need larger stacks.
static void limit_threads(void) {
#ifndef TINTYPE_SANITIZED
    mallopt(M_ARENA_MAX, 1);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, thread_stack_size);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
#endif
}

void tintype_worker_trim(void) {
#ifndef TINTYPE_SANITIZED
    malloc_trim(0);
#endif
}

int tintype_worker_enter(void) {
    prctl(PR_SET_NAME, TINTYPE_WORKER_NAME);
    reset_signals();
    limit_threads();
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("RAYON_NUM_THREADS", "1", 1);
    if (arm_lifeline() != 0 || host_is_gone()) {
        return -1;
    }
#ifndef TINTYPE_SANITIZED
    if (limit_stack() != 0) {
        return -1;
    }
#endif
    return limit(RLIMIT_CORE, 0) | limit_files() | limit(RLIMIT_NOFILE, descriptors);
}

uint64_t tintype_worker_data_bytes(void) {
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) {
        return 0;
    }
    char line[128];
    unsigned long kilobytes = 0;
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "VmData: %lu", &kilobytes) != 1) {
    }
    fclose(file);
    return (uint64_t)kilobytes << 10;
}
