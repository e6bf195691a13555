// The kernels for SSE4.1 (x86-64 processors since 2008). avx2.c explains the structure of the variants.
#include "variants.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VARIANT sse41
#define VECTOR_BYTES 16
#define HAS_SUM_OF_TAPS
#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)
#include "Bodies/vectors.h"

#include "Bodies/sum_sse41.h"

#include "Bodies/all.h"
#pragma clang attribute pop
#endif
