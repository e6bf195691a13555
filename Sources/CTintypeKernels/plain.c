// For every machine: what the compiler makes of plain C.
#include "variants.h"

#define VARIANT plain
#define VECTOR_BYTES 16
#include "Bodies/all.h"
