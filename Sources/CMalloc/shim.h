// mallopt(3) and malloc_trim(3) of glibc, which the Glibc module does not export. With another C library, they do
// nothing.
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Sets the number of arenas.
static inline void tintype_set_arena_count(int count) {
#if defined(M_ARENA_MAX)
    mallopt(M_ARENA_MAX, count);
#endif
}

// Sets the size from which blocks have mappings of their own, in bytes. It then does not grow any more.
static inline void tintype_set_mapping_threshold(int size) {
#if defined(M_MMAP_THRESHOLD)
    mallopt(M_MMAP_THRESHOLD, size);
#endif
}

// Sets the size of the free end of the heap from which it is returned, in bytes. It then does not grow any more.
static inline void tintype_set_trim_threshold(int size) {
#if defined(M_TRIM_THRESHOLD)
    mallopt(M_TRIM_THRESHOLD, size);
#endif
}

// Returns what is free to the system.
static inline void tintype_trim(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
