#include "CLibAVIF.h"

TINTYPE_CALLS(tintype_avif)
