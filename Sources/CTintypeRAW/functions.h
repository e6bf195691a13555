// The functions used of LibRaw (0.20 and later): FUNCTION(result, name, parameters) for each, and OPTIONAL_FUNCTION for
// those of OpenMP, which LibRaw may be built without. Define one before including this file, which undefines it.

#ifndef FUNCTION
#define FUNCTION(result, name, parameters)
#endif
#ifndef OPTIONAL_FUNCTION
#define OPTIONAL_FUNCTION(result, name, parameters)
#endif

FUNCTION(libraw_data_t *, libraw_init, (unsigned))
FUNCTION(void, libraw_close, (libraw_data_t *))
FUNCTION(int, libraw_open_buffer, (libraw_data_t *, const void *, size_t))
FUNCTION(int, libraw_adjust_sizes_info_only, (libraw_data_t *))
FUNCTION(int, libraw_get_raw_width, (libraw_data_t *))
FUNCTION(int, libraw_get_raw_height, (libraw_data_t *))
FUNCTION(int, libraw_COLOR, (libraw_data_t *, int, int))
FUNCTION(int, libraw_get_iwidth, (libraw_data_t *))
FUNCTION(int, libraw_get_iheight, (libraw_data_t *))
FUNCTION(int, libraw_unpack, (libraw_data_t *))
FUNCTION(int, libraw_unpack_thumb, (libraw_data_t *))
FUNCTION(int, libraw_dcraw_process, (libraw_data_t *))
FUNCTION(libraw_processed_image_t *, libraw_dcraw_make_mem_image, (libraw_data_t *, int *))
FUNCTION(libraw_processed_image_t *, libraw_dcraw_make_mem_thumb, (libraw_data_t *, int *))
FUNCTION(void, libraw_dcraw_clear_mem, (libraw_processed_image_t *))
FUNCTION(void, libraw_set_progress_handler, (libraw_data_t *, int (*)(void *, int, int, int), void *))
FUNCTION(void, libraw_set_dataerror_handler, (libraw_data_t *, void (*)(void *, const char *, long long), void *))
FUNCTION(void, libraw_set_output_bps, (libraw_data_t *, int))
FUNCTION(void, libraw_set_output_color, (libraw_data_t *, int))
FUNCTION(float, libraw_get_cam_mul, (libraw_data_t *, int))
FUNCTION(void, libraw_set_user_mul, (libraw_data_t *, int, float))

OPTIONAL_FUNCTION(int, omp_get_max_threads, (void))
OPTIONAL_FUNCTION(void, omp_set_num_threads, (int))

#undef FUNCTION
#undef OPTIONAL_FUNCTION
