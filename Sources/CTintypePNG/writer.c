#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_CAPACITY = 64 * 1024,
    LAST_FAST_LEVEL = 3,
};

typedef struct {
    png_structp png;
    png_infop info;
    tintype_png_fence fence;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    const uint8_t *rgba;
    size_t stride;
    uint32_t width;
    uint32_t height;
    bool is_opaque;
    int compression_level;
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

/// Returns the filters to try. Trying all on every row pays off at levels at which deflate is slow anyway.
static int filters_for(int compression_level) {
    if (compression_level == 0) {
        return PNG_NO_FILTERS;
    }
    return compression_level <= LAST_FAST_LEVEL ? PNG_FAST_FILTERS : PNG_ALL_FILTERS;
}

static void write_header(encoding *job) {
    int color = job->is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA;
    png_set_IHDR(
        job->png, job->info, job->width, job->height, 8, color, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(job->png, job->compression_level);
    png_set_filter(job->png, PNG_FILTER_TYPE_BASE, filters_for(job->compression_level));
    png_write_info(job->png, job->info);
}

static void write_rows(encoding *job) {
    if (job->is_opaque) {
        png_set_filler(job->png, 0, PNG_FILLER_AFTER);
    }
    for (uint32_t y = 0; y < job->height; y++) {
        png_write_row(job->png, job->rgba + y * job->stride);
    }
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
    write_rows(job);
    png_write_end(job->png, NULL);
    return TINTYPE_PNG_OK;
}

static tintype_png_status check(const encoding *job) {
    bool has_pixels = job->width > 0 && job->height > 0 && job->stride >= (size_t)job->width * 4;
    if (!has_pixels || job->compression_level < 0 || job->compression_level > 9) {
        return TINTYPE_PNG_MISUSE;
    }
    bool fits = job->width <= TINTYPE_PNG_LONGEST_SIDE && job->height <= TINTYPE_PNG_LONGEST_SIDE;
    return fits ? TINTYPE_PNG_OK : TINTYPE_PNG_UNSUPPORTED;
}

tintype_png_status tintype_png_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, bool is_opaque, int compression_level,
    uint8_t **out, size_t *out_count, char *message, size_t message_size) {
    encoding job = {
        .rgba = rgba,
        .stride = stride,
        .width = width,
        .height = height,
        .is_opaque = is_opaque,
        .compression_level = compression_level,
    };
    *out = NULL;
    *out_count = 0;
    tintype_png_status status = check(&job);
    if (status != TINTYPE_PNG_OK) {
        snprintf(message, message_size, "Bad arguments");
        return status;
    }
    status = encode(&job);
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
