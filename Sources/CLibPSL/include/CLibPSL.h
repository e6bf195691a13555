#include <libpsl.h>

#if __linux__
#include <CTintypeLibraries.h>

/// The functions that Tintype calls.
#define TINTYPE_FUNCTIONS(FUNCTION) FUNCTION(psl_builtin) FUNCTION(psl_is_public_suffix)

TINTYPE_FUNCTIONS(TINTYPE_RENAME)
TINTYPE_DECLARE_CALLS(tintype_psl)
#endif
