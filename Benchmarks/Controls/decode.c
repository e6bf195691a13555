#include "CBenchmarkControls.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <jpeglib.h>
#include <png.h>

void control_keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

/// Allocates memory for pixels as Tintype does, aligned to a cache line.
static uint8_t *make_pixels(size_t count) {
    void *pixels = NULL;
    return posix_memalign(&pixels, 64, count) == 0 ? pixels : NULL;
}

void control_decode_jpeg(const uint8_t *bytes, size_t count, unsigned eighths) {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, bytes, count);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_EXT_RGBA;
    jpeg.scale_num = eighths;
    jpeg.scale_denom = 8;
    jpeg_start_decompress(&jpeg);
    size_t stride = (size_t)jpeg.output_width * 4;
    uint8_t *pixels = make_pixels(stride * jpeg.output_height);
    while (pixels && jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = pixels + stride * jpeg.output_scanline;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    if (pixels) { jpeg_finish_decompress(&jpeg); }
    jpeg_destroy_decompress(&jpeg);
    free(pixels);
}

bool control_decode_png(const uint8_t *bytes, size_t count) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&png, bytes, count)) { return false; }
    png.format = PNG_FORMAT_RGBA;
    uint8_t *pixels = make_pixels(PNG_IMAGE_SIZE(png));
    bool is_decoded = pixels && png_image_finish_read(&png, NULL, pixels, 0, NULL);
    png_image_free(&png);
    free(pixels);
    return is_decoded;
}
