#include "CBenchmarkControls.h"

#include <stdlib.h>
#include <string.h>

#include <png.h>

typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
} output;

static void take(png_structp png, png_bytep bytes, size_t count) {
    output *to = png_get_io_ptr(png);
    if (to->count + count > to->capacity) {
        to->capacity = 2 * (to->count + count);
        uint8_t *larger = realloc(to->bytes, to->capacity);
        if (!larger) { png_error(png, "no memory"); }
        to->bytes = larger;
    }
    memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
}

static void flush(png_structp png) { (void)png; }

size_t control_encode_png(const uint8_t *rgb, size_t width, size_t height, int level, uint8_t **out) {
    output to = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    // An error ends the process, because no jump is set.
    png_set_write_fn(png, &to, take, flush);
    png_set_IHDR(
        png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, level);
    png_write_info(png, info);
    for (size_t y = 0; y < height; y++) { png_write_row(png, rgb + y * width * 3); }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    *out = to.bytes;
    return to.count;
}
