// fstatfs(2) of Linux, which the Glibc module does not export.
#if __has_include(<sys/vfs.h>)
#include <sys/vfs.h>
#include <unistd.h>
#endif

// Returns whether the file system of an open file stores changed blocks where they were, so that a change needs no
// space: ext2 to ext4, XFS, tmpfs, and overlayfs, whose upper file system is one of these in containers. Btrfs, F2FS
// and ZFS need space for each change, and those of a network or of other programs do whatever they like. XFS needs
// space for the first change of a block that a file shares with a copy of it (a reflink), but the cache makes no such
// copies.
static inline int tintype_stores_in_place(int descriptor) {
#if __has_include(<sys/vfs.h>)
    struct statfs facts;
    if (fstatfs(descriptor, &facts) != 0) { return 0; }
    switch ((unsigned long)facts.f_type) {
    case 0xEF53: case 0x58465342: case 0x01021994: case 0x794C7630: return 1;
    }
#endif
    return 0;
}

// Returns whether the first bytes of a file have no hole, so that a change of them needs no space.
static inline int tintype_has_no_hole(int descriptor, long long length) {
#if __has_include(<sys/vfs.h>)
    // 4 is SEEK_HOLE. Returns the end of the file if there is none.
    return lseek(descriptor, 0, 4) >= length;
#else
    return 0;
#endif
}
