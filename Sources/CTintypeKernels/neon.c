// The kernels for NEON, which every arm64 processor has. avx2.c explains the structure of the variants.
#include "variants.h"

#if defined(__aarch64__)
#include <arm_neon.h>

#define VARIANT neon
#define HAS_SUM_OF_TAPS
#define VECTOR_BYTES 16
#include "Bodies/vectors.h"

#include "Bodies/sum_neon.h"

#include "Bodies/all.h"
#endif
