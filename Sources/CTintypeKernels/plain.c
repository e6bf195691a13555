// The kernels for any processor, as compiled for the baseline. avx2.c explains the structure of the variants.
#include "variants.h"

#define VARIANT plain
#define VECTOR_BYTES 16
#include "Bodies/all.h"
