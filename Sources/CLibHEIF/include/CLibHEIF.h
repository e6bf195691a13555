#include <libheif/heif.h>

#if __linux__
#include <CTintypeLibraries.h>

/// The functions that Tintype calls.
#define TINTYPE_FUNCTIONS(FUNCTION) \
    FUNCTION(heif_context_add_XMP_metadata) FUNCTION(heif_context_add_exif_metadata) \
    FUNCTION(heif_context_alloc) FUNCTION(heif_context_encode_image) FUNCTION(heif_context_encode_thumbnail) \
    FUNCTION(heif_context_free) FUNCTION(heif_context_get_encoder_for_format) \
    FUNCTION(heif_context_get_primary_image_handle) FUNCTION(heif_context_read_from_memory_without_copy) \
    FUNCTION(heif_context_set_max_decoding_threads) FUNCTION(heif_context_set_maximum_image_size_limit) \
    FUNCTION(heif_context_write) FUNCTION(heif_decode_image) FUNCTION(heif_decoding_options_alloc) \
    FUNCTION(heif_decoding_options_free) FUNCTION(heif_encoder_release) FUNCTION(heif_encoder_set_logging_level) \
    FUNCTION(heif_encoder_set_lossy_quality) FUNCTION(heif_encoder_set_parameter_string) \
    FUNCTION(heif_image_add_plane) FUNCTION(heif_image_create) \
    FUNCTION(heif_image_get_bits_per_pixel_range) FUNCTION(heif_image_get_height) FUNCTION(heif_encoding_options_alloc) \
    FUNCTION(heif_encoding_options_free) \
    FUNCTION(heif_image_get_plane) FUNCTION(heif_image_get_plane_readonly) FUNCTION(heif_image_get_width) \
    FUNCTION(heif_image_handle_get_height) FUNCTION(heif_image_handle_get_list_of_metadata_block_IDs) \
    FUNCTION(heif_image_handle_get_list_of_thumbnail_IDs) FUNCTION(heif_image_handle_get_luma_bits_per_pixel) \
    FUNCTION(heif_image_handle_get_metadata) FUNCTION(heif_image_handle_get_metadata_content_type) \
    FUNCTION(heif_image_handle_get_metadata_size) FUNCTION(heif_image_handle_get_nclx_color_profile) \
    FUNCTION(heif_image_handle_get_raw_color_profile) FUNCTION(heif_image_handle_get_raw_color_profile_size) \
    FUNCTION(heif_image_handle_get_thumbnail) FUNCTION(heif_image_handle_get_width) \
    FUNCTION(heif_image_handle_has_alpha_channel) FUNCTION(heif_image_handle_is_premultiplied_alpha) \
    FUNCTION(heif_image_handle_release) FUNCTION(heif_image_release) \
    FUNCTION(heif_image_set_raw_color_profile) FUNCTION(heif_image_set_nclx_color_profile) \
    FUNCTION(heif_nclx_color_profile_alloc) FUNCTION(heif_nclx_color_profile_free) \
    FUNCTION(heif_nclx_color_profile_set_color_primaries) \
    FUNCTION(heif_nclx_color_profile_set_matrix_coefficients) \
    FUNCTION(heif_nclx_color_profile_set_transfer_characteristics)

TINTYPE_FUNCTIONS(TINTYPE_RENAME)
TINTYPE_DECLARE_CALLS(tintype_heif)
#endif
