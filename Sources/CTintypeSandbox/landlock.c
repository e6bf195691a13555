#define _GNU_SOURCE
#include "CTintypeSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The numbers of Landlock (landlock(7)), because the headers of older systems lack those of later versions.

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };
enum { READ_FILE = 1 << 2, READ_DIR = 1 << 3 };
enum { RESTRICT_ALL_THREADS = 1 << 3 };

struct ruleset {
    uint64_t files, network, scoped;
};

struct path_beneath {
    uint64_t access;
    int32_t parent;
} __attribute__((packed));

int tintype_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
    return version < 0 ? 0 : (int)version;
}

/// Returns everything that a version can forbid.
static struct ruleset everything(int version) {
    int rights = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return (struct ruleset){
        .files = (1u << rights) - 1, .network = version >= 4 ? 3 : 0, .scoped = version >= 6 ? 3 : 0};
}

static size_t size_of_ruleset(int version) {
    return version >= 6 ? 24 : version >= 4 ? 16 : 8;
}

/// Permits reading a file or everything below a folder. One that does not exist needs no permission.
static int permit(int ruleset, const char *path) {
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0) {
        return 0;
    }
    struct stat info;
    struct path_beneath rule = {.access = READ_FILE, .parent = parent};
    if (fstat(parent, &info) == 0 && S_ISDIR(info.st_mode)) {
        rule.access |= READ_DIR;
    }
    int result = (int)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(parent);
    return result;
}

int tintype_landlock_restrict(int version, const char *const *readable) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return -1;
    }
    if (version <= 0) {
        return 0;
    }
    struct ruleset attributes = everything(version);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, size_of_ruleset(version), 0);
    if (ruleset < 0) {
        return -1;
    }
    int result = 0;
    for (; *readable != NULL; readable++) {
        result |= permit(ruleset, *readable);
    }
    result |= (int)syscall(SYS_landlock_restrict_self, ruleset, version >= 8 ? RESTRICT_ALL_THREADS : 0);
    close(ruleset);
    return result;
}
