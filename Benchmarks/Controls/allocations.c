#include "CBenchmarkControls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

// Counting costs time for every allocation, so a timing can turn it off.
static _Atomic bool counting;
static _Atomic uint64_t allocations;

void control_count_allocations(void) {
    atomic_store(&allocations, 0);
    atomic_store(&counting, true);
}

uint64_t control_counted_allocations(void) {
    atomic_store(&counting, false);
    return atomic_load(&allocations);
}

#ifdef __GLIBC__

// For every library in the process, the executable's functions take precedence over those of the C library. These
// count and then call glibc's own `__libc_` functions. The memory is glibc's, so `free` needs no replacement.

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void count(void) {
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) { return; }
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count();
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count();
    void *memory = __libc_memalign(alignment, size);
    if (memory) { *result = memory; }
    return memory ? 0 : 12 /* ENOMEM */;
}

#endif
