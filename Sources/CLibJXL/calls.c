#include "CLibJXL.h"

TINTYPE_CALLS(tintype_jxl)
