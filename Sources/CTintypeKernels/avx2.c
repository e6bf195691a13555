// The kernels for AVX2 (x86-64 processors since 2013).
//
// All variants share one kernel text. Bodies/all.h contains every loop, written with clang's portable vector types, and
// the table of function pointers. Each variant is a source file that includes it once: plain.c, sse41.c, avx2.c,
// neon.c. Such a file does three things before the inclusion:
//
// 1. It defines VARIANT, which names the table (tintype_kernels_avx2), and VECTOR_BYTES, the width of a register.
// 2. It sets the instruction set. The attribute pragma applies `target("avx2")` to every function up to `pop`, so the
//    compiler may use AVX2 in the shared loops, but in no other file. <immintrin.h> is included before the pragma.
// 3. It replaces functions of Bodies/resample.h for which the compiler's vector code is too slow. With HAS_SUM_OF_TAPS,
//    the file itself defines sum_of_taps (from sum_sse41.h or sum_neon.h, after vectors.h, whose types it uses). With
//    HAS_TWO_ROWS, resample.h includes the headers named by TWO_ROWS and DOWN_VECTORS, which define resample_two_rows
//    and resample_down_vectors. It includes them itself because they use its constants, and its loops call them.
//
// A variant without hooks (plain.c) uses the portable functions. dispatch.c chooses the best variant at run time.
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
