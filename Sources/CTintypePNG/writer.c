#include "internal.h"

#include "filters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

enum {
    FIRST_CAPACITY = 64 * 1024,
    LAST_FAST_LEVEL = 3,
    /// The bytes of filtered rows beyond which libpng deflates row by row, in little memory.
    LARGEST_WHOLE = 64 << 20,
};

typedef struct {
    png_structp png;
    png_infop info;
    tintype_png_fence fence;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    const uint8_t *rows;
    size_t stride;
    uint32_t width;
    uint32_t height;
    tintype_png_layout layout;
    /// The samples of a row as libpng takes them.
    uint8_t *row;
    /// The deflated pixels, if they are not written by libpng.
    uint8_t *stream;
} encoding;

// MARK: Functions that libpng calls

static void make_room(encoding *job, size_t count) {
    size_t needed = job->count + count;
    if (needed <= job->capacity) {
        return;
    }
    size_t capacity = needed > FIRST_CAPACITY ? needed * 2 : FIRST_CAPACITY;
    uint8_t *bytes = realloc(job->bytes, capacity);
    if (bytes == NULL) {
        tintype_png_fence_escape(&job->fence, TINTYPE_PNG_MEMORY, "Out of memory");
    }
    job->bytes = bytes;
    job->capacity = capacity;
}

static void take(png_structp png, png_bytep bytes, size_t count) {
    encoding *job = png_get_io_ptr(png);
    make_room(job, count);
    memcpy(job->bytes + job->count, bytes, count);
    job->count += count;
}

static void flush(png_structp png) {
    (void)png;
}

// MARK: Encoding

/// Returns the filters to try. Trying all on every row pays off at levels at which deflate is slow anyway. Indices and
/// samples that share bytes are not close to their neighbours in value (PNG third edition, 12.7).
static int filters_for(const tintype_png_layout *layout) {
    if (layout->compression_level == 0 || layout->color == TINTYPE_PNG_COLOR_PALETTE || layout->bit_depth < 8) {
        return PNG_NO_FILTERS;
    }
    return layout->compression_level <= LAST_FAST_LEVEL ? PNG_FAST_FILTERS : PNG_ALL_FILTERS;
}

static int channels_of(tintype_png_color color) {
    switch (color) {
    case TINTYPE_PNG_COLOR_GREY:
    case TINTYPE_PNG_COLOR_PALETTE:
        return 1;
    case TINTYPE_PNG_COLOR_GREY_ALPHA:
        return 2;
    case TINTYPE_PNG_COLOR_RGB:
        return 3;
    case TINTYPE_PNG_COLOR_RGB_ALPHA:
        return 4;
    }
}

/// Sets the colours, and the alpha of those up to the last that is not opaque.
static void set_palette(encoding *job) {
    png_color colors[256];
    png_byte alphas[256];
    int alpha_count = 0;
    for (uint32_t index = 0; index < job->layout.palette_count; index++) {
        const uint8_t *entry = job->layout.palette + 4 * index;
        colors[index] = (png_color){entry[0], entry[1], entry[2]};
        alphas[index] = entry[3];
        alpha_count = entry[3] == 255 ? alpha_count : (int)index + 1;
    }
    png_set_PLTE(job->png, job->info, colors, (int)job->layout.palette_count);
    if (alpha_count > 0) {
        png_set_tRNS(job->png, job->info, alphas, alpha_count, NULL);
    }
}

static void write_header(encoding *job) {
    png_set_IHDR(
        job->png, job->info, job->width, job->height, job->layout.bit_depth, job->layout.color, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (job->layout.color == TINTYPE_PNG_COLOR_PALETTE) {
        set_palette(job);
    }
    png_set_compression_level(job->png, job->layout.compression_level);
    png_set_filter(job->png, PNG_FILTER_TYPE_BASE, filters_for(&job->layout));
    png_write_info(job->png, job->info);
    // libpng takes one sample in each byte, and 16-bit samples with the high byte first.
    png_set_packing(job->png);
    const uint16_t probe = 1;
    if (job->layout.bit_depth == 16 && *(const uint8_t *)&probe == 1) {
        png_set_swap(job->png);
    }
}

/// Copies the channels of RGBA that are stored.
static void pick_samples(uint8_t *row, const uint8_t *rgba, uint32_t width, int channels, size_t sample_bytes) {
    if (channels == 4) {
        memcpy(row, rgba, (size_t)width * 4 * sample_bytes);
        return;
    }
    // The usual case, in which the compiler knows how many bytes it copies.
    if (channels == 3 && sample_bytes == 1) {
        for (uint32_t x = 0; x < width; x++) {
            memcpy(row + 3 * (size_t)x, rgba + 4 * (size_t)x, 3);
        }
        return;
    }
    for (uint32_t x = 0; x < width; x++) {
        const uint8_t *pixel = rgba + (size_t)x * 4 * sample_bytes;
        uint8_t *target = row + (size_t)x * (size_t)channels * sample_bytes;
        if (channels == 2) {
            memcpy(target, pixel, sample_bytes);
            memcpy(target + sample_bytes, pixel + 3 * sample_bytes, sample_bytes);
        } else {
            memcpy(target, pixel, (size_t)channels * sample_bytes);
        }
    }
}

static void pick_bits(uint8_t *row, const uint8_t *rgba, uint32_t width, int bits) {
    for (uint32_t x = 0; x < width; x++) {
        row[x] = rgba[4 * (size_t)x] >> (8 - bits);
    }
}

static void write_rows(encoding *job) {
    const tintype_png_layout *layout = &job->layout;
    size_t sample_bytes = layout->bit_depth == 16 ? 2 : 1;
    for (uint32_t y = 0; y < job->height; y++) {
        const uint8_t *source = job->rows + y * job->stride;
        if (layout->color == TINTYPE_PNG_COLOR_PALETTE) {
            png_write_row(job->png, source);
            continue;
        }
        if (layout->bit_depth < 8) {
            pick_bits(job->row, source, job->width, layout->bit_depth);
        } else {
            pick_samples(job->row, source, job->width, channels_of(layout->color), sample_bytes);
        }
        png_write_row(job->png, job->row);
    }
}

// MARK: Encoding at once

static size_t pixel_size(const tintype_png_layout *layout) {
    return (size_t)channels_of(layout->color) * (layout->bit_depth == 16 ? 2 : 1);
}

/// Whether the rows are deflated at once by libdeflate, which takes a third of the time at the same size.
static bool is_whole(const encoding *job) {
    const size_t row = pixel_size(&job->layout) * job->width + 1;
    return job->layout.bit_depth >= 8 && job->layout.compression_level > 0 && row <= LARGEST_WHOLE / job->height;
}

/// Writes the samples of a row as they are stored: 16-bit samples with the high byte first.
static void store_row(const encoding *job, uint8_t *row, const uint8_t *source) {
    const tintype_png_layout *layout = &job->layout;
    if (layout->color == TINTYPE_PNG_COLOR_PALETTE) {
        memcpy(row, source, job->width);
        return;
    }
    const size_t sample_bytes = layout->bit_depth == 16 ? 2 : 1;
    pick_samples(row, source, job->width, channels_of(layout->color), sample_bytes);
    for (size_t i = 0; sample_bytes == 2 && i < pixel_size(layout) * job->width; i += 2) {
        uint16_t sample;
        memcpy(&sample, row + i, 2);
        row[i] = (uint8_t)(sample >> 8);
        row[i + 1] = (uint8_t)sample;
    }
}

/// Filters all rows. `rows` has room for two stored rows and a candidate.
static void filter_rows(const encoding *job, uint8_t *out, uint8_t *rows, size_t row_size) {
    const int filters = filters_for(&job->layout);
    const int count = filters == PNG_NO_FILTERS ? 1 : filters == PNG_FAST_FILTERS ? FILTER_UP + 1 : FILTER_COUNT;
    uint8_t *above = rows, *row = rows + row_size;
    memset(above, 0, row_size);
    for (uint32_t y = 0; y < job->height; y++) {
        store_row(job, row, job->rows + y * job->stride);
        tintype_png_filter(
            out + y * (row_size + 1), rows + 2 * row_size, row, above, row_size, pixel_size(&job->layout), count);
        uint8_t *other = above;
        above = row;
        row = other;
    }
}

/// Deflates filtered rows. Returns the number of bytes; 0 if there is not enough memory.
static size_t deflate_rows(const uint8_t *filtered, size_t size, int level, uint8_t **out) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    const size_t bound = compressor != NULL ? libdeflate_zlib_compress_bound(compressor, size) : 0;
    *out = bound > 0 ? malloc(bound) : NULL;
    const size_t count = *out != NULL ? libdeflate_zlib_compress(compressor, filtered, size, *out, bound) : 0;
    libdeflate_free_compressor(compressor);
    return count;
}

/// Makes the stream of the pixels. Returns its number of bytes; 0 if there is not enough memory.
static size_t make_stream(const encoding *job, uint8_t **stream) {
    const size_t row_size = pixel_size(&job->layout) * job->width, size = (row_size + 1) * job->height;
    uint8_t *filtered = malloc(size), *rows = malloc(3 * row_size);
    size_t count = 0;
    if (filtered != NULL && rows != NULL) {
        filter_rows(job, filtered, rows, row_size);
        count = deflate_rows(filtered, size, job->layout.compression_level, stream);
    }
    free(rows);
    free(filtered);
    return count;
}

static void write_whole(encoding *job) {
    const size_t count = make_stream(job, &job->stream);
    if (count == 0) {
        tintype_png_fence_escape(&job->fence, TINTYPE_PNG_MEMORY, "Out of memory");
    }
    png_write_chunk(job->png, (png_const_bytep)"IDAT", job->stream, count);
    png_write_chunk(job->png, (png_const_bytep)"IEND", NULL, 0);
}

static tintype_png_status encode(encoding *job) {
    tintype_png_fence_raise(&job->fence);
    if (setjmp(job->fence.escape) != 0) {
        return job->fence.status;
    }
    job->png = tintype_png_create_write(&job->fence);
    job->info = tintype_png_create_info(&job->fence, job->png);
    png_set_write_fn(job->png, job, take, flush);
    write_header(job);
    if (is_whole(job)) {
        write_whole(job);
        return TINTYPE_PNG_OK;
    }
    write_rows(job);
    png_write_end(job->png, NULL);
    return TINTYPE_PNG_OK;
}

/// Returns whether the format has such samples (PNG third edition, 11.2.1).
static bool is_valid(const tintype_png_layout *layout) {
    int bits = layout->bit_depth;
    bool is_small = bits == 1 || bits == 2 || bits == 4;
    switch (layout->color) {
    case TINTYPE_PNG_COLOR_PALETTE:
        return (is_small || bits == 8) && layout->palette != NULL && layout->palette_count > 0
            && layout->palette_count <= 1u << bits;
    case TINTYPE_PNG_COLOR_GREY:
        return is_small || bits == 8 || bits == 16;
    case TINTYPE_PNG_COLOR_GREY_ALPHA:
    case TINTYPE_PNG_COLOR_RGB:
    case TINTYPE_PNG_COLOR_RGB_ALPHA:
        return bits == 8 || bits == 16;
    }
    return false;
}

static tintype_png_status check(const encoding *job) {
    const tintype_png_layout *layout = &job->layout;
    if (!is_valid(layout) || layout->compression_level < 0 || layout->compression_level > 9) {
        return TINTYPE_PNG_MISUSE;
    }
    size_t pixel_bytes = layout->color == TINTYPE_PNG_COLOR_PALETTE ? 1 : layout->bit_depth == 16 ? 8 : 4;
    if (job->width == 0 || job->height == 0 || job->stride < job->width * pixel_bytes) {
        return TINTYPE_PNG_MISUSE;
    }
    bool fits = job->width <= TINTYPE_PNG_LONGEST_SIDE && job->height <= TINTYPE_PNG_LONGEST_SIDE;
    return fits ? TINTYPE_PNG_OK : TINTYPE_PNG_UNSUPPORTED;
}

tintype_png_status tintype_png_encode(
    const uint8_t *rows, uint32_t width, uint32_t height, size_t stride, tintype_png_layout layout, uint8_t **out,
    size_t *out_count, char *message, size_t message_size) {
    encoding job = {.rows = rows, .stride = stride, .width = width, .height = height, .layout = layout};
    *out = NULL;
    *out_count = 0;
    tintype_png_status status = check(&job);
    if (status != TINTYPE_PNG_OK) {
        snprintf(message, message_size, "Bad arguments");
        return status;
    }
    job.row = malloc((size_t)width * 8);
    if (job.row == NULL) {
        snprintf(message, message_size, "Out of memory");
        return TINTYPE_PNG_MEMORY;
    }
    status = encode(&job);
    free(job.row);
    free(job.stream);
    png_destroy_write_struct(&job.png, &job.info);
    snprintf(message, message_size, "%s", job.fence.message);
    if (status != TINTYPE_PNG_OK) {
        free(job.bytes);
        return status;
    }
    *out = job.bytes;
    *out_count = job.count;
    return TINTYPE_PNG_OK;
}

void tintype_png_free(uint8_t *bytes) {
    free(bytes);
}
