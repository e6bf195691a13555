#include <libde265/de265.h>

#if __linux__
#include <CTintypeLibraries.h>

/// The functions that Tintype calls.
#define TINTYPE_FUNCTIONS(FUNCTION) \
    FUNCTION(de265_decode) FUNCTION(de265_flush_data) FUNCTION(de265_free_decoder) \
    FUNCTION(de265_get_bits_per_pixel) FUNCTION(de265_get_chroma_format) \
    FUNCTION(de265_get_error_text) FUNCTION(de265_get_image_PTS) \
    FUNCTION(de265_get_image_full_range_flag) FUNCTION(de265_get_image_height) \
    FUNCTION(de265_get_image_matrix_coefficients) FUNCTION(de265_get_image_plane) \
    FUNCTION(de265_get_image_width) FUNCTION(de265_get_next_picture) FUNCTION(de265_get_warning) \
    FUNCTION(de265_new_decoder) FUNCTION(de265_push_NAL) FUNCTION(de265_push_end_of_frame) FUNCTION(de265_reset)

TINTYPE_FUNCTIONS(TINTYPE_RENAME)
TINTYPE_DECLARE_CALLS(tintype_de265)
#endif
