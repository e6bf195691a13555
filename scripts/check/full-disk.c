// Simulates a full disk: loaded before the C library (LD_PRELOAD), it fails calls that need space below a directory.
//
//   FULL_DISK_DIRECTORY  the directory
//   FULL_DISK_AT         the number of the first call that fails, from 1
//   FULL_DISK_MODE       `once` or `ever`: whether later calls fail too
//   FULL_DISK_NOTE       a file that is created when a call has failed
//
// Built by `make crash-test`: cc -shared -fPIC -o full-disk.so scripts/check/full-disk.c -ldl

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_int calls;

static void note_failure(void) {
    const char *path = getenv("FULL_DISK_NOTE");
    if (path) { close((int)syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, 0600)); }
}

static bool is_full(void) {
    const char *at = getenv("FULL_DISK_AT"), *mode = getenv("FULL_DISK_MODE");
    if (!at) { return false; }
    int call = atomic_fetch_add(&calls, 1) + 1, first = atoi(at);
    bool fails = call == first || (call > first && mode && strcmp(mode, "ever") == 0);
    if (fails) { note_failure(); }
    return fails;
}

static bool is_below(const char *path) {
    const char *directory = getenv("FULL_DISK_DIRECTORY");
    return directory && path && strncmp(path, directory, strlen(directory)) == 0;
}

static bool is_file_below(int descriptor) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) { return false; }
    path[length] = 0;
    return is_below(path);
}

#define FAIL_IF(condition)                                                                                             \
    if ((condition) && is_full()) {                                                                                    \
        errno = ENOSPC;                                                                                                \
        return -1;                                                                                                     \
    }

ssize_t write(int descriptor, const void *bytes, size_t count) {
    FAIL_IF(is_file_below(descriptor))
    return NEXT(write)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    FAIL_IF(is_file_below(descriptor))
    return NEXT(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    FAIL_IF(is_file_below(descriptor))
    return NEXT(pwrite64)(descriptor, bytes, count, offset);
}

// As disks do: some bytes still have room, and the next call has none.
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (is_file_below(descriptor) && is_full()) {
        if (count > 0 && parts[0].iov_len > 1) { return NEXT(write)(descriptor, parts[0].iov_base, parts[0].iov_len / 2); }
        errno = ENOSPC;
        return -1;
    }
    return NEXT(writev)(descriptor, parts, count);
}

// A file that becomes shorter needs no room.
static bool grows(int descriptor, off64_t length) {
    struct stat facts;
    return fstat(descriptor, &facts) != 0 || length > facts.st_size;
}

int ftruncate(int descriptor, off_t length) {
    FAIL_IF(grows(descriptor, length) && is_file_below(descriptor))
    return NEXT(ftruncate)(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    FAIL_IF(grows(descriptor, length) && is_file_below(descriptor))
    return NEXT(ftruncate64)(descriptor, length);
}

// These return the error.
int posix_fallocate(int descriptor, off_t offset, off_t length) {
    if (is_file_below(descriptor) && is_full()) { return ENOSPC; }
    return NEXT(posix_fallocate)(descriptor, offset, length);
}

int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
    if (is_file_below(descriptor) && is_full()) { return ENOSPC; }
    return NEXT(posix_fallocate64)(descriptor, offset, length);
}

int mkdir(const char *path, mode_t mode) {
    FAIL_IF(is_below(path))
    return NEXT(mkdir)(path, mode);
}

int rename(const char *from, const char *to) {
    FAIL_IF(is_below(to))
    return NEXT(rename)(from, to);
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                      \
        va_end(rest);                                                                                                  \
        FAIL_IF((flags & O_CREAT) && is_below(path) && access(path, F_OK) != 0)                                        \
        return NEXT(name)(path, flags, mode);                                                                          \
    }

OPEN(open)
OPEN(open64)
