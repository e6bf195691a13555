#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct tintype_png_incremental {
    png_structp png;
    png_infop info;
    tintype_png_fence fence;
    tintype_png_limits limits;
    tintype_png_cancel_hook is_cancelled;
    void *context;
    /// The pixels as RGBA without padding; those not received are transparent.
    uint8_t *rows;
    uint32_t width;
    uint32_t height;
    uint32_t rows_valid;
    bool has_changed;
    bool has_ended;
    /// The error that ended decoding for good, or OK.
    tintype_png_status failure;
};

static size_t row_bytes(const tintype_png_incremental *incremental) {
    return (size_t)incremental->width * 4;
}

// MARK: Functions that libpng calls

static void take_header(png_structp png, png_infop info) {
    tintype_png_incremental *incremental = png_get_progressive_ptr(png);
    // libpng calls this at every IDAT chunk that another chunk separates from the first ones.
    if (incremental->rows != NULL) {
        tintype_png_fence_escape(&incremental->fence, TINTYPE_PNG_CORRUPT, "Pixels in two places");
    }
    incremental->width = png_get_image_width(png, info);
    incremental->height = png_get_image_height(png, info);
    tintype_png_ask_for_rgba(png, info, false);
    if (png_get_rowbytes(png, info) != row_bytes(incremental)) {
        tintype_png_fence_escape(&incremental->fence, TINTYPE_PNG_CORRUPT, "Rows are not RGBA");
    }
    incremental->rows = calloc(incremental->height, row_bytes(incremental));
    if (incremental->rows == NULL) {
        tintype_png_fence_escape(&incremental->fence, TINTYPE_PNG_MEMORY, "Out of memory");
    }
}

/// libpng reports every row in every pass, with null for rows that the pass does not have.
static void take_row(png_structp png, png_bytep row, png_uint_32 y, int pass) {
    (void)pass;
    tintype_png_incremental *incremental = png_get_progressive_ptr(png);
    if (incremental->is_cancelled != NULL && incremental->is_cancelled(incremental->context)) {
        tintype_png_fence_escape(&incremental->fence, TINTYPE_PNG_CANCELLED, "Cancelled");
    }
    if (row == NULL || y >= incremental->height) {
        return;
    }
    png_progressive_combine_row(png, incremental->rows + y * row_bytes(incremental), row);
    incremental->has_changed = true;
    incremental->rows_valid = y + 1 > incremental->rows_valid ? y + 1 : incremental->rows_valid;
}

static void take_end(png_structp png, png_infop info) {
    (void)info;
    tintype_png_incremental *incremental = png_get_progressive_ptr(png);
    incremental->has_ended = true;
}

// MARK: Creation and destruction

static tintype_png_status fail(tintype_png_incremental *incremental) {
    incremental->failure = incremental->fence.status;
    return incremental->failure;
}

static tintype_png_status create_decoder(tintype_png_incremental *incremental) {
    tintype_png_fence_raise(&incremental->fence);
    if (setjmp(incremental->fence.escape) != 0) {
        return fail(incremental);
    }
    incremental->png = tintype_png_create_read(&incremental->fence);
    incremental->info = tintype_png_create_info(&incremental->fence, incremental->png);
    tintype_png_keep_pixels_alone(incremental->png, &incremental->limits);
    png_set_progressive_read_fn(incremental->png, incremental, take_header, take_row, take_end);
    return TINTYPE_PNG_OK;
}

tintype_png_incremental *tintype_png_incremental_create(
    tintype_png_limits limits, tintype_png_cancel_hook is_cancelled, void *context) {
    tintype_png_incremental *incremental = calloc(1, sizeof *incremental);
    if (incremental == NULL) {
        return NULL;
    }
    incremental->limits = limits;
    incremental->is_cancelled = is_cancelled;
    incremental->context = context;
    if (create_decoder(incremental) != TINTYPE_PNG_OK) {
        tintype_png_incremental_destroy(incremental);
        return NULL;
    }
    return incremental;
}

void tintype_png_incremental_destroy(tintype_png_incremental *incremental) {
    if (incremental != NULL) {
        png_destroy_read_struct(&incremental->png, &incremental->info, NULL);
        free(incremental->rows);
        free(incremental);
    }
}

const char *tintype_png_incremental_message(const tintype_png_incremental *incremental) {
    return incremental->fence.message;
}

// MARK: Taking bytes in

tintype_png_status tintype_png_incremental_append(
    tintype_png_incremental *incremental, const uint8_t *bytes, size_t count, bool *changed) {
    *changed = false;
    if (incremental->failure != TINTYPE_PNG_OK || incremental->has_ended) {
        return incremental->failure;
    }
    incremental->has_changed = false;
    // A failing call may have changed pixels before it fails.
    if (setjmp(incremental->fence.escape) != 0) {
        *changed = incremental->has_changed;
        return fail(incremental);
    }
    // libpng does not write to the bytes.
    png_process_data(incremental->png, incremental->info, (png_bytep)bytes, count);
    *changed = incremental->has_changed;
    return TINTYPE_PNG_OK;
}

// MARK: Previewing

tintype_png_status tintype_png_incremental_preview(
    const tintype_png_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid) {
    *rows_valid = incremental->rows_valid;
    if (incremental->rows_valid == 0) {
        return TINTYPE_PNG_NEEDS_MORE;
    }
    size_t count = row_bytes(incremental);
    if (stride < count) {
        return TINTYPE_PNG_MISUSE;
    }
    for (uint32_t y = 0; y < incremental->height; y++) {
        memcpy(dest + y * stride, incremental->rows + y * count, count);
    }
    return TINTYPE_PNG_OK;
}
