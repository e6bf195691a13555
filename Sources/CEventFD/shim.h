// eventfd(2), openat2(2) and rtnetlink(7), which the Glibc module does not export.
#if __has_include(<sys/eventfd.h>)
#include <sys/eventfd.h>
#endif

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

// Opens a file relative to a directory, and fails with ELOOP if any component of the path is a symbolic link. Fails
// with ENOSYS before Linux 5.6.
static inline int tintype_open_without_links(int directory, const char *path, unsigned int flags) {
#if defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
    struct open_how how = {.flags = flags, .resolve = RESOLVE_NO_SYMLINKS};
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
#else
    errno = ENOSYS;
    return -1;
#endif
}

#if __has_include(<linux/rtnetlink.h>)
#include <linux/rtnetlink.h>
#endif

// Opens a socket that becomes readable when an interface or an address of the machine changes (rtnetlink(7)). Returns
// -1 and sets errno on failure.
//
// The family is AF_NETLINK, and the type SOCK_RAW with its flags. They are arguments, because <sys/socket.h> would
// bring the types of threads into this module, where Swift would then look for them.
static inline int tintype_open_network_changes(int family, int type) {
#if defined(RTMGRP_LINK) && defined(SYS_socket) && defined(SYS_bind)
    struct sockaddr_nl address = {
        .nl_family = (unsigned short)family, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
    int descriptor = (int)syscall(SYS_socket, family, type, NETLINK_ROUTE);
    if (descriptor >= 0 && syscall(SYS_bind, descriptor, &address, sizeof address) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
#else
    errno = ENOSYS;
    return -1;
#endif
}
