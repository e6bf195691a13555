#include "CLibZstd.h"

TINTYPE_CALLS(tintype_zstd)
