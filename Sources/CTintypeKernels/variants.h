#ifndef TINTYPE_VARIANTS_H
#define TINTYPE_VARIANTS_H

#include "CTintypeKernels.h"
#include <stdbool.h>
#include <string.h>

extern const tintype_kernels tintype_kernels_plain;

#if defined(__x86_64__)
extern const tintype_kernels tintype_kernels_sse41;
extern const tintype_kernels tintype_kernels_avx2;
#elif defined(__aarch64__)
extern const tintype_kernels tintype_kernels_neon;
#endif

#endif
