#include <xxhash.h>

// XXH3 with the widest registers of the processor, at four times the speed of SSE2. Only libraries that are built with
// DISPATCH=1 have it, so the symbol is weak.
#if defined(__x86_64__) && defined(__linux__)
extern XXH64_hash_t XXH3_64bits_dispatch(const void *input, size_t length) __attribute__((weak));
#endif

// Returns the XXH3 checksum with 64 bits.
static inline XXH64_hash_t tintype_xxh3(const void *input, size_t length) {
#if defined(__x86_64__) && defined(__linux__)
    // Choosing the code costs more than it saves for a few bytes.
    if (length >= 1024 && XXH3_64bits_dispatch && __builtin_cpu_supports("avx2")) {
        XXH64_hash_t result = XXH3_64bits_dispatch(input, length);
        // The library leaves the upper halves of the registers in use, which makes SSE code after it four times as
        // slow.
        __asm__ volatile("vzeroupper");
        return result;
    }
#endif
    return XXH3_64bits(input, length);
}
