#include "variants.h"

#include <stdatomic.h>

/// Whether this processor supports a variant.
static bool is_runnable(const tintype_kernels *kernels) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (kernels == &tintype_kernels_avx2) { return __builtin_cpu_supports("avx2"); }
    if (kernels == &tintype_kernels_sse41) { return __builtin_cpu_supports("sse4.1"); }
#endif
    return kernels != NULL;
}

/// The variants of this architecture, from the slowest to the fastest.
static const tintype_kernels *const variants[] = {
    &tintype_kernels_plain,
#if defined(__x86_64__)
    &tintype_kernels_sse41,
    &tintype_kernels_avx2,
#elif defined(__aarch64__)
    &tintype_kernels_neon,
#endif
};

enum { variant_count = sizeof variants / sizeof variants[0] };

const tintype_kernels *tintype_kernels_at(size_t index) {
    for (size_t i = 0; i < variant_count; i++) {
        if (is_runnable(variants[i]) && index-- == 0) { return variants[i]; }
    }
    return NULL;
}

static const tintype_kernels *fastest(void) {
    const tintype_kernels *best = &tintype_kernels_plain;
    for (size_t i = 0; i < variant_count; i++) {
        if (is_runnable(variants[i])) { best = variants[i]; }
    }
    return best;
}

const tintype_kernels *tintype_kernels_current(void) {
    // Threads that race here all store the same value.
    static _Atomic(const tintype_kernels *) chosen;
    const tintype_kernels *current = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!current) {
        current = fastest();
        atomic_store_explicit(&chosen, current, memory_order_relaxed);
    }
    return current;
}
