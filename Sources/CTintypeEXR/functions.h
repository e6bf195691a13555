// The functions used of OpenEXRCore 3.1: FUNCTION(result, name, parameters) for each. Define it before including this
// file, which undefines it.

FUNCTION(exr_result_t, exr_start_read, (exr_context_t *, const char *, const exr_context_initializer_t *))
FUNCTION(exr_result_t, exr_finish, (exr_context_t *))
FUNCTION(exr_result_t, exr_get_count, (exr_context_t, int *))
FUNCTION(exr_result_t, exr_get_storage, (exr_context_t, int, int *))
FUNCTION(exr_result_t, exr_get_channels, (exr_context_t, int, const exr_attr_chlist_t **))
FUNCTION(exr_result_t, exr_get_data_window, (exr_context_t, int, exr_attr_box2i_t *))
FUNCTION(exr_result_t, exr_get_display_window, (exr_context_t, int, exr_attr_box2i_t *))
FUNCTION(exr_result_t, exr_get_scanlines_per_chunk, (exr_context_t, int, int32_t *))
FUNCTION(exr_result_t, exr_get_tile_descriptor, (exr_context_t, int, uint32_t *, uint32_t *, int *, int *))
FUNCTION(exr_result_t, exr_attr_get_chromaticities, (exr_context_t, int, const char *, exr_attr_chromaticities_t *))
FUNCTION(exr_result_t, exr_read_scanline_chunk_info, (exr_context_t, int, int, exr_chunk_info_t *))
FUNCTION(exr_result_t, exr_read_tile_chunk_info, (exr_context_t, int, int, int, int, int, exr_chunk_info_t *))
FUNCTION(exr_result_t, exr_decoding_initialize, (exr_context_t, int, const exr_chunk_info_t *, exr_decode_pipeline_t *))
FUNCTION(exr_result_t, exr_decoding_choose_default_routines, (exr_context_t, int, exr_decode_pipeline_t *))
FUNCTION(exr_result_t, exr_decoding_run, (exr_context_t, int, exr_decode_pipeline_t *))
FUNCTION(exr_result_t, exr_decoding_destroy, (exr_context_t, exr_decode_pipeline_t *))
FUNCTION(const char *, exr_get_default_error_message, (exr_result_t))

#undef FUNCTION
