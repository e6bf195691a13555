// The functions used of OpenJPEG (2.1 and later): FUNCTION(result, name, parameters) for each, and OPTIONAL_FUNCTION
// for those that came later. Define one before including this file, which undefines it.

#ifndef FUNCTION
#define FUNCTION(result, name, parameters)
#endif
#ifndef OPTIONAL_FUNCTION
#define OPTIONAL_FUNCTION(result, name, parameters)
#endif

FUNCTION(void *, opj_create_decompress, (int))
FUNCTION(void, opj_destroy_codec, (void *))
FUNCTION(void, opj_set_default_decoder_parameters, (opj_dparameters_t *))
FUNCTION(int, opj_setup_decoder, (void *, opj_dparameters_t *))
FUNCTION(int, opj_set_error_handler, (void *, void (*)(const char *, void *), void *))
FUNCTION(int, opj_read_header, (void *, void *, opj_image_t **))
FUNCTION(int, opj_set_decoded_resolution_factor, (void *, uint32_t))
FUNCTION(int, opj_decode, (void *, void *, opj_image_t *))
FUNCTION(int, opj_end_decompress, (void *, void *))
FUNCTION(void, opj_image_destroy, (opj_image_t *))
FUNCTION(opj_codestream_info_v2_t *, opj_get_cstr_info, (void *))
FUNCTION(void, opj_destroy_cstr_info, (opj_codestream_info_v2_t **))
FUNCTION(void *, opj_stream_create, (size_t, int))
FUNCTION(void, opj_stream_destroy, (void *))
FUNCTION(void, opj_stream_set_read_function, (void *, size_t (*)(void *, size_t, void *)))
FUNCTION(void, opj_stream_set_skip_function, (void *, int64_t (*)(int64_t, void *)))
FUNCTION(void, opj_stream_set_seek_function, (void *, int (*)(int64_t, void *)))
FUNCTION(void, opj_stream_set_user_data, (void *, void *, void (*)(void *)))
FUNCTION(void, opj_stream_set_user_data_length, (void *, uint64_t))

// Since 2.5. Earlier versions always refuse truncated tiles.
OPTIONAL_FUNCTION(int, opj_decoder_set_strict_mode, (void *, int))

#undef FUNCTION
#undef OPTIONAL_FUNCTION
