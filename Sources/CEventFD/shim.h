// eventfd(2) and openat2(2), which the Glibc module does not export.
#if __has_include(<sys/eventfd.h>)
#include <sys/eventfd.h>
#endif

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

// Opens a file relative to a directory, and fails with ELOOP if any component of the path is a symbolic link. Fails with
// ENOSYS before Linux 5.6.
static inline int tintype_open_without_links(int directory, const char *path, unsigned int flags) {
#if defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
    struct open_how how = {.flags = flags, .resolve = RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
#else
    errno = ENOSYS;
    return -1;
#endif
}
