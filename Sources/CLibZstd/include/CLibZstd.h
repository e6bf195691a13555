#include <zstd.h>

#if __linux__
#include <CTintypeLibraries.h>

/// The functions that Tintype calls.
#define TINTYPE_FUNCTIONS(FUNCTION)                                                                                    \
    FUNCTION(ZSTD_DCtx_setParameter) FUNCTION(ZSTD_createDCtx) FUNCTION(ZSTD_decompressStream) FUNCTION(ZSTD_freeDCtx) \
    FUNCTION(ZSTD_isError)

TINTYPE_FUNCTIONS(TINTYPE_RENAME)
TINTYPE_DECLARE_CALLS(tintype_zstd)
#endif
