#define _GNU_SOURCE
#include "CTintypeSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/// Serves the host until it ends. Defined in Swift.
void tintype_worker_main(void);

typedef void (*constructor)(int argc, char **argv, char **environment);

/// The constructors of the executable or shared library that contains this file, in order. Defined by the linker.
extern constructor __init_array_start[] __attribute__((weak, visibility("hidden")));
extern constructor __init_array_end[] __attribute__((weak, visibility("hidden")));

static bool is_worker = false;

bool tintype_worker_is_current(void) {
    return is_worker;
}

bool tintype_process_is_privileged(void) {
    return getauxval(AT_SECURE) != 0;
}

static int socket_option(int option) {
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(TINTYPE_WORKER_SOCKET, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

/// A name alone is not enough, because anyone can choose the name of a program.
static bool has_descriptors(void) {
    struct stat lifeline;
    return socket_option(SO_DOMAIN) == AF_UNIX && socket_option(SO_TYPE) == SOCK_STREAM &&
           fstat(TINTYPE_WORKER_LIFELINE, &lifeline) == 0 && S_ISFIFO(lifeline.st_mode);
}

/// Runs the constructors that would follow ours. Foundation has one, without which parts of it call a null pointer, and
/// if it is linked statically, that is the last one.
static void run_constructors_after(constructor own, int argc, char **argv, char **environment) {
    constructor *next = __init_array_start;
    while (next != __init_array_end && *next != own) { next++; }
    if (next == __init_array_end) { return; }
    while (++next != __init_array_end) { (*next)(argc, argv, environment); }
}

/// Runs before `main`, in every program that contains the module. A worker never reaches `main`.
__attribute__((constructor)) static void start(int argc, char **argv, char **environment) {
    if (argc != 1 || strcmp(argv[0], TINTYPE_WORKER_NAME) != 0 || !has_descriptors()) {
        return;
    }
    if (tintype_process_is_privileged()) {
        tintype_worker_exit(1);
    }
    is_worker = true;
    run_constructors_after(start, argc, argv, environment);
    tintype_worker_main();
    tintype_worker_exit(0);
}

void tintype_worker_exit(int status) {
    _exit(status);
}
