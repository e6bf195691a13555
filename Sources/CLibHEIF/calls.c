#include "CLibHEIF.h"

TINTYPE_CALLS(tintype_heif)
