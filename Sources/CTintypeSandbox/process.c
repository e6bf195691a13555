#define _GNU_SOURCE
#include "CTintypeSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// MARK: Starting

/// The variables that the system libraries, the runtimes and the codecs read. Others may be secrets of the host.
static const char *const variables[] = {
    "PATH=", "HOME=", "LANG=", "LC_", "LANGUAGE=", "TZ=", "TMPDIR=", "LD_", "GLIBC_TUNABLES=", "MALLOC_", "XDG_",
    "FONTCONFIG_", "FREETYPE_", "PANGO", "GDK_PIXBUF_", "G_MESSAGES_DEBUG=", "LLVM_PROFILE_FILE=", "SWIFT_", "SWT_",
};

static bool is_for_workers(const char *variable) {
    for (size_t index = 0; index < sizeof variables / sizeof variables[0]; index++) {
        if (strncmp(variable, variables[index], strlen(variables[index])) == 0) {
            return true;
        }
    }
    const char *suffix = strstr(variable, "SAN_OPTIONS=");
    return suffix != NULL && suffix < strchr(variable, '=');
}

/// Returns the environment of a worker, which refers to that of this process. To be freed.
static char **worker_environment(void) {
    size_t count = 0;
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
        count++;
    }
    char **result = calloc(count + 1, sizeof *result), **next = result;
    for (size_t index = 0; result != NULL && index < count && environ[index] != NULL; index++) {
        if (is_for_workers(environ[index])) {
            *next++ = environ[index];
        }
    }
    return result;
}

/// Starts a program with three descriptors. Returns an error number, or 0.
static int spawn(const char *path, int socket, int lifeline, int log, pid_t *process) {
    char **environment = worker_environment();
    if (environment == NULL) {
        return ENOMEM;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, socket, TINTYPE_WORKER_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, lifeline, TINTYPE_WORKER_LIFELINE);
    posix_spawn_file_actions_addclosefrom_np(&actions, TINTYPE_WORKER_LIFELINE + 1);
    // A host may block or ignore signals, and both are inherited.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    // Ctrl-C in a terminal goes to the group of the host, which decides what it means for its images.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    char *arguments[] = {TINTYPE_WORKER_NAME, NULL};
    int error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return error;
}

pid_t tintype_worker_spawn(const char *path, int socket, int lifeline, int log) {
    // Above the numbers that they get in the worker, so that none overwrites another.
    int originals[] = {socket, lifeline, log}, copies[] = {-1, -1, -1};
    int error = 0;
    for (size_t index = 0; index < 3 && error == 0; index++) {
        copies[index] = fcntl(originals[index], F_DUPFD_CLOEXEC, 10);
        error = copies[index] < 0 ? errno : 0;
    }
    pid_t process = -1;
    if (error == 0) {
        error = spawn(path, copies[0], copies[1], copies[2], &process);
    }
    for (size_t index = 0; index < 3; index++) {
        if (copies[index] >= 0) {
            close(copies[index]);
        }
    }
    errno = error;
    return error == 0 ? process : -1;
}

int tintype_pipe(int ends[2], bool waits) {
    return pipe2(ends, O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
}

int tintype_process_open(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

void tintype_process_kill(int process) {
    syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
}

static tintype_process_end reap(int kind, int process) {
    siginfo_t info = {0};
    tintype_process_end end = {0};
    long result;
    do {
        // Older C libraries do not know all kinds of identifiers.
        result = syscall(SYS_waitid, kind, process, &info, WEXITED, NULL);
    } while (result != 0 && errno == EINTR);
    if (result != 0 || info.si_pid == 0) {
        return end;
    }
    end.is_known = true;
    end.signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    end.status = info.si_code == CLD_EXITED ? info.si_status : 0;
    return end;
}

tintype_process_end tintype_process_reap(int process) {
    return reap(P_PIDFD, process);
}

void tintype_process_abandon(pid_t process) {
    int error = errno;
    kill(process, SIGKILL);
    reap(P_PID, process);
    errno = error;
}

uint64_t tintype_process_thread_count(pid_t process) {
    char path[32];
    struct stat info;
    // The folder has a link for each thread, besides its two own. Unlike the name of the process, the worker cannot
    // choose it.
    snprintf(path, sizeof path, "/proc/%d/task", process);
    return stat(path, &info) == 0 && info.st_nlink > 2 ? info.st_nlink - 2 : 0;
}

double tintype_process_seconds(pid_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        return -1;
    }
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/// The address space of libraries and threads, which reserve far more than they use.
static const uint64_t address_slack = (uint64_t)16 << 30;

static int set_soft_limit(pid_t process, int resource, uint64_t value) {
    struct rlimit limit;
    if (value == 0) {
        return 0;
    }
    if (prlimit(process, resource, NULL, &limit) != 0) {
        return -1;
    }
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    return prlimit(process, resource, &limit, NULL);
}

int tintype_process_limit(pid_t process, uint64_t memory, uint64_t seconds) {
    // Memory that is only read is not private, but needs page tables: 1/512 of its size.
    uint64_t addresses = memory == 0 ? 0 : 4 * memory + address_slack;
    return set_soft_limit(process, RLIMIT_DATA, memory) | set_soft_limit(process, RLIMIT_AS, addresses) |
           set_soft_limit(process, RLIMIT_CPU, seconds);
}

// MARK: Shared memory

int tintype_memory_create(size_t size) {
    int memory = memfd_create("tintype", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) {
        return -1;
    }
    if (ftruncate(memory, (off_t)size) != 0 ||
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int error = errno;
        close(memory);
        errno = error;
        return -1;
    }
    return memory;
}

bool tintype_memory_is_fixed(int memory, size_t size) {
    int seals = fcntl(memory, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
        return false;
    }
    // Not fstat(3): since version 2.33, glibc calls newfstatat(2), which is refused to workers that read no files.
    off_t end = lseek(memory, 0, SEEK_END);
    return end >= 0 && (uint64_t)end >= size;
}

// MARK: Messages

/// Room for one descriptor. Aligned like the header of a control message.
typedef union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
} control;

static ssize_t send_some(int socket, const void *bytes, size_t count, int descriptor) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    control control;
    if (descriptor >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

int tintype_send(int socket, const void *bytes, size_t count, int descriptor) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t sent = send_some(socket, next, count, descriptor);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            return -1;
        }
        next += sent;
        count -= (size_t)sent;
        descriptor = -1;
    }
    return 0;
}

/// Stores the first descriptor of a control message, and closes the others: aligned room for one is room for two.
static void take_descriptors(struct cmsghdr *header, int *descriptor) {
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < count; index++) {
        int received;
        memcpy(&received, CMSG_DATA(header) + index * sizeof received, sizeof received);
        if (*descriptor < 0) {
            *descriptor = received;
        } else {
            close(received);
        }
    }
}

ssize_t tintype_receive(int socket, void *bytes, size_t count, int *descriptor) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    control control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor != NULL) {
        *descriptor = -1;
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    ssize_t received;
    do {
        received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    if (received <= 0 || descriptor == NULL) {
        // Without room for control data, the kernel discards descriptors.
        return received;
    }
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
            take_descriptors(header, descriptor);
        }
    }
    return received;
}
