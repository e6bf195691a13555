// For x86-64 since 2013.
#include "variants.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VARIANT avx2
#define VECTOR_BYTES 32
#define HAS_SUM_OF_TAPS
#define HAS_TWO_ROWS
#define TWO_ROWS "two_rows_avx2.h"
#define DOWN_VECTORS "down_avx2.h"
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "Bodies/vectors.h"

#include "Bodies/sum_sse41.h"

#include "Bodies/all.h"
#pragma clang attribute pop
#endif
