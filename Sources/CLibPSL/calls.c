#include "CLibPSL.h"

TINTYPE_CALLS(tintype_psl)
