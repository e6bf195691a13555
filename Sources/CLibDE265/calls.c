#include "CLibDE265.h"

TINTYPE_CALLS(tintype_de265)
