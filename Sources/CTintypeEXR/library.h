#ifndef CTINTYPE_EXR_LIBRARY_H
#define CTINTYPE_EXR_LIBRARY_H

#include "CTintypeEXR.h"

// The types that functions.h uses, as the headers of OpenEXRCore 3.1 define them. Another minor version has another
// file name and may have other types.

typedef int32_t exr_result_t;
typedef struct exr_context *exr_context_t;

typedef struct {
    int32_t min_x, min_y, max_x, max_y;
} exr_attr_box2i_t;

typedef struct {
    float values[8];
} exr_attr_chromaticities_t;

typedef struct {
    struct {
        int32_t length, alloc_size;
        const char *str;
    } name;
    int pixel_type;
    uint8_t p_linear, reserved[3];
    int32_t x_sampling, y_sampling;
} exr_attr_chlist_entry_t;

typedef struct {
    int num_channels, num_alloced;
    const exr_attr_chlist_entry_t *entries;
} exr_attr_chlist_t;

/// `size` tells the library which members there are.
typedef struct {
    size_t size;
    void (*error_handler_fn)(exr_context_t, exr_result_t, const char *);
    void *alloc_fn, *free_fn, *user_data;
    int64_t (*read_fn)(exr_context_t, void *, void *, uint64_t, uint64_t, void *);
    int64_t (*size_fn)(exr_context_t, void *);
    void *write_fn, *destroy_fn;
    int max_image_width, max_image_height, max_tile_width, max_tile_height, zip_level;
    float dwa_quality;
    int flags;
} exr_context_initializer_t;

typedef struct {
    int32_t idx, start_x, start_y, height, width;
    uint8_t level_x, level_y, type, compression;
    uint64_t data_offset, packed_size, unpacked_size, sample_count_data_offset, sample_count_table_size;
} exr_chunk_info_t;

typedef struct {
    const char *channel_name;
    int32_t height, width, x_samples, y_samples;
    uint8_t p_linear;
    int8_t bytes_per_element;
    uint16_t data_type;
    int16_t user_bytes_per_element;
    uint16_t user_data_type;
    int32_t user_pixel_stride, user_line_stride;
    uint8_t *decode_to_ptr;
} exr_coding_channel_info_t;

/// A pipeline that reads and decompresses a chunk. The last member is the library's own, and larger than needed.
typedef struct exr_decode_pipeline {
    exr_coding_channel_info_t *channels;
    int16_t channel_count;
    uint16_t decode_flags;
    int part_index;
    exr_context_t context;
    exr_chunk_info_t chunk;
    void *decoding_user_data;
    void *packed_buffer;
    size_t packed_alloc_size;
    void *unpacked_buffer;
    size_t unpacked_alloc_size;
    void *packed_sample_count_table;
    size_t packed_sample_count_alloc_size;
    int32_t *sample_count_table;
    size_t sample_count_alloc_size;
    void *scratch_buffer_1;
    size_t scratch_alloc_size_1;
    void *scratch_buffer_2;
    size_t scratch_alloc_size_2;
    void *alloc_fn, *free_fn;
    exr_result_t (*read_fn)(struct exr_decode_pipeline *);
    exr_result_t (*decompress_fn)(struct exr_decode_pipeline *);
    exr_result_t (*realloc_nonimage_data_fn)(struct exr_decode_pipeline *);
    exr_result_t (*unpack_and_convert_fn)(struct exr_decode_pipeline *);
    uint8_t reserved[1024];
} exr_decode_pipeline_t;

/// The values of OpenEXRCore that are used.
enum {
    EXR_ERR_OUT_OF_MEMORY = 1,
    EXR_ERR_CORRUPT_CHUNK = 23,
    EXR_ERR_FEATURE_NOT_IMPLEMENTED = 31,
    EXR_STORAGE_SCANLINE = 0,
    EXR_STORAGE_TILED = 1,
    EXR_PIXEL_UINT = 0,
    EXR_PIXEL_HALF = 1,
    EXR_PIXEL_FLOAT = 2,
    EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION = 1 << 2,
};

/// The addresses of the functions used.
struct tintype_exr_library {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
};

#endif
