#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/// The approximate number of pixels that one `advance` decodes.
enum { PIXELS_A_STEP = 4 * 1024 * 1024 };

typedef enum {
    STAGE_HEADER,
    STAGE_READY,
    STAGE_RUNNING,
    STAGE_ENDED,
} incremental_stage;

struct tintype_jpeg_incremental {
    struct jpeg_decompress_struct cinfo;
    tintype_jpeg_fence fence;
    tintype_jpeg_feed feed;
    tintype_jpeg_limits limits;
    tintype_jpeg_header header;
    incremental_stage stage;
    /// The error that ended decoding for good, or OK.
    tintype_jpeg_status failure;
    bool has_whole_scan;
    /// The decoded rows of an image with one scan, because libjpeg outputs each row only once. Null with several scans,
    /// of which libjpeg keeps the coefficients.
    uint8_t *rows;
};

static size_t row_bytes(const tintype_jpeg_incremental *incremental) {
    return (size_t)incremental->cinfo.output_width * 4;
}

// MARK: Creation and destruction

static tintype_jpeg_status fail(tintype_jpeg_incremental *incremental) {
    incremental->failure = incremental->fence.status;
    return incremental->failure;
}

static tintype_jpeg_status create_decompressor(tintype_jpeg_incremental *incremental) {
    j_decompress_ptr cinfo = &incremental->cinfo;
    cinfo->err = tintype_jpeg_fence_raise(&incremental->fence);
    if (setjmp(incremental->fence.escape) != 0) {
        return fail(incremental);
    }
    jpeg_create_decompress(cinfo);
    size_t bytes = incremental->limits.max_memory_bytes;
    cinfo->mem->max_memory_to_use = bytes < LONG_MAX ? (long)bytes : LONG_MAX;
    cinfo->src = tintype_jpeg_feed_prepare(&incremental->feed);
    tintype_jpeg_keep_metadata(cinfo);
    return TINTYPE_JPEG_OK;
}

tintype_jpeg_incremental *tintype_jpeg_incremental_create(tintype_jpeg_limits limits) {
    tintype_jpeg_incremental *incremental = calloc(1, sizeof *incremental);
    if (incremental == NULL) {
        return NULL;
    }
    incremental->limits = limits;
    if (create_decompressor(incremental) != TINTYPE_JPEG_OK) {
        tintype_jpeg_incremental_destroy(incremental);
        return NULL;
    }
    return incremental;
}

void tintype_jpeg_incremental_destroy(tintype_jpeg_incremental *incremental) {
    if (incremental != NULL) {
        jpeg_destroy_decompress(&incremental->cinfo);
        free(incremental->feed.storage);
        free(incremental->rows);
        free(incremental);
    }
}

const char *tintype_jpeg_incremental_message(const tintype_jpeg_incremental *incremental) {
    return incremental->fence.message;
}

// MARK: Taking bytes in

tintype_jpeg_status tintype_jpeg_incremental_append(
    tintype_jpeg_incremental *incremental, const uint8_t *bytes, size_t count) {
    bool is_of_use = incremental->failure == TINTYPE_JPEG_OK && incremental->stage != STAGE_ENDED;
    if (!is_of_use || tintype_jpeg_feed_append(&incremental->feed, bytes, count)) {
        return TINTYPE_JPEG_OK;
    }
    return TINTYPE_JPEG_MEMORY;
}

static tintype_jpeg_status read_header(tintype_jpeg_incremental *incremental) {
    if (setjmp(incremental->fence.escape) != 0) {
        return fail(incremental);
    }
    if (jpeg_read_header(&incremental->cinfo, TRUE) == JPEG_SUSPENDED) {
        return TINTYPE_JPEG_NEEDS_MORE;
    }
    if (incremental->cinfo.arith_code) {
        tintype_jpeg_fence_escape(&incremental->fence, TINTYPE_JPEG_UNSUPPORTED, "Arithmetic decoding cannot suspend");
    }
    if (!tintype_jpeg_describe(&incremental->cinfo, &incremental->header)) {
        tintype_jpeg_fence_escape(&incremental->fence, TINTYPE_JPEG_UNSUPPORTED, "Unknown colour space");
    }
    incremental->stage = STAGE_READY;
    return TINTYPE_JPEG_OK;
}

tintype_jpeg_status tintype_jpeg_incremental_read_header(
    tintype_jpeg_incremental *incremental, tintype_jpeg_header *header) {
    tintype_jpeg_status status = TINTYPE_JPEG_OK;
    if (incremental->stage == STAGE_HEADER) {
        bool has_failed = incremental->failure != TINTYPE_JPEG_OK;
        status = has_failed ? incremental->failure : read_header(incremental);
    }
    if (status == TINTYPE_JPEG_OK) {
        *header = incremental->header;
    }
    return status;
}

// MARK: Starting

static void allocate_rows(tintype_jpeg_incremental *incremental) {
    size_t limit = incremental->limits.max_memory_bytes;
    size_t height = incremental->cinfo.output_height;
    if (limit > 0 && row_bytes(incremental) * height > limit) {
        tintype_jpeg_fence_escape(&incremental->fence, TINTYPE_JPEG_LIMIT, "Rows exceed the memory limit");
    }
    incremental->rows = calloc(height, row_bytes(incremental));
    if (incremental->rows == NULL) {
        tintype_jpeg_fence_escape(&incremental->fence, TINTYPE_JPEG_MEMORY, "Insufficient memory for rows");
    }
}

static tintype_jpeg_status start(tintype_jpeg_incremental *incremental, uint32_t scale_eighths) {
    j_decompress_ptr cinfo = &incremental->cinfo;
    if (setjmp(incremental->fence.escape) != 0) {
        return fail(incremental);
    }
    tintype_jpeg_choose_output(cinfo, scale_eighths);
    cinfo->buffered_image = jpeg_has_multiple_scans(cinfo);
    jpeg_start_decompress(cinfo); // Wants no input here, so it does not suspend.
    if (!cinfo->buffered_image) {
        allocate_rows(incremental);
    }
    incremental->stage = STAGE_RUNNING;
    return TINTYPE_JPEG_OK;
}

tintype_jpeg_status tintype_jpeg_incremental_start(
    tintype_jpeg_incremental *incremental, uint32_t scale_eighths, uint32_t *width, uint32_t *height) {
    if (incremental->failure != TINTYPE_JPEG_OK) {
        return incremental->failure;
    }
    if (incremental->stage != STAGE_READY || scale_eighths < 1 || scale_eighths > 8) {
        return TINTYPE_JPEG_MISUSE;
    }
    tintype_jpeg_status status = start(incremental, scale_eighths);
    if (status == TINTYPE_JPEG_OK) {
        *width = incremental->cinfo.output_width;
        *height = incremental->cinfo.output_height;
    }
    return status;
}

// MARK: Advancing

static tintype_jpeg_status end(tintype_jpeg_incremental *incremental) {
    incremental->stage = STAGE_ENDED;
    return TINTYPE_JPEG_ENDED;
}

static tintype_jpeg_status advance_rows(tintype_jpeg_incremental *incremental, bool *changed) {
    j_decompress_ptr cinfo = &incremental->cinfo;
    size_t stride = row_bytes(incremental);
    uint32_t budget = PIXELS_A_STEP / incremental->header.width + 1;
    uint32_t last = cinfo->output_scanline + budget;
    while (cinfo->output_scanline < last) {
        if (cinfo->output_scanline == cinfo->output_height) {
            return end(incremental);
        }
        uint8_t *dest = incremental->rows + cinfo->output_scanline * stride;
        if (tintype_jpeg_read_some_rows(cinfo, dest, stride, last - cinfo->output_scanline) == 0) {
            return TINTYPE_JPEG_NEEDS_MORE;
        }
        *changed = true;
    }
    return TINTYPE_JPEG_OK;
}

static tintype_jpeg_status advance_scans(tintype_jpeg_incremental *incremental, bool *changed) {
    j_decompress_ptr cinfo = &incremental->cinfo;
    uint32_t rows_at_once = (uint32_t)cinfo->max_v_samp_factor * DCTSIZE;
    // Use the header's width: if libjpeg suspends in a second header, it has already overwritten its own with arbitrary
    // bytes, and rejects them later.
    uint32_t budget = PIXELS_A_STEP / (incremental->header.width * rows_at_once) + 1;
    while (budget-- > 0) {
        switch (jpeg_consume_input(cinfo)) {
        case JPEG_SUSPENDED:
            return TINTYPE_JPEG_NEEDS_MORE;
        case JPEG_REACHED_EOI:
            return end(incremental);
        case JPEG_SCAN_COMPLETED:
            incremental->has_whole_scan = true;
            *changed = true;
            return TINTYPE_JPEG_OK;
        case JPEG_REACHED_SOS:
            tintype_jpeg_check_scans(cinfo, incremental->limits.max_scans);
            break;
        default:
            break;
        }
    }
    return TINTYPE_JPEG_OK;
}

tintype_jpeg_status tintype_jpeg_incremental_advance(tintype_jpeg_incremental *incremental, bool *changed) {
    *changed = false;
    if (incremental->failure != TINTYPE_JPEG_OK) {
        return incremental->failure;
    }
    if (incremental->stage != STAGE_RUNNING) {
        return incremental->stage == STAGE_ENDED ? TINTYPE_JPEG_ENDED : TINTYPE_JPEG_MISUSE;
    }
    if (setjmp(incremental->fence.escape) != 0) {
        return fail(incremental);
    }
    return incremental->cinfo.buffered_image ? advance_scans(incremental, changed)
                                             : advance_rows(incremental, changed);
}

// MARK: Previewing

static tintype_jpeg_status copy_rows(
    const tintype_jpeg_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid) {
    size_t count = row_bytes(incremental);
    for (uint32_t y = 0; y < incremental->cinfo.output_height; y++) {
        memcpy(dest + y * stride, incremental->rows + y * count, count);
    }
    *rows_valid = incremental->cinfo.output_scanline;
    return *rows_valid > 0 ? TINTYPE_JPEG_OK : TINTYPE_JPEG_NEEDS_MORE;
}

/// Runs an output pass over the coefficients received so far.
static void draw_scans(tintype_jpeg_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid) {
    j_decompress_ptr cinfo = &incremental->cinfo;
    jpeg_start_output(cinfo, 1);
    // An output pass reads input if its scan is not well behind the input's, and would suspend at the last rows of the
    // newest scan. The number has no other use, and no scan has number 0.
    cinfo->output_scan_number = 0;
    while (cinfo->output_scanline < cinfo->output_height) {
        uint32_t read = tintype_jpeg_read_some_rows(
            cinfo, dest + cinfo->output_scanline * stride, stride, cinfo->output_height);
        if (read == 0) {
            tintype_jpeg_fence_escape(&incremental->fence, TINTYPE_JPEG_CORRUPT, "Preview suspended");
        }
    }
    *rows_valid = cinfo->output_height;
    jpeg_finish_output(cinfo);
}

static tintype_jpeg_status preview_scans(
    tintype_jpeg_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid) {
    if (incremental->failure != TINTYPE_JPEG_OK) {
        return incremental->failure;
    }
    if (!incremental->has_whole_scan) {
        return TINTYPE_JPEG_NEEDS_MORE;
    }
    if (setjmp(incremental->fence.escape) != 0) {
        return fail(incremental);
    }
    draw_scans(incremental, dest, stride, rows_valid);
    return TINTYPE_JPEG_OK;
}

tintype_jpeg_status tintype_jpeg_incremental_preview(
    tintype_jpeg_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid) {
    *rows_valid = 0;
    bool is_started = incremental->stage == STAGE_RUNNING || incremental->stage == STAGE_ENDED;
    if (!is_started || stride < row_bytes(incremental)) {
        return TINTYPE_JPEG_MISUSE;
    }
    return incremental->cinfo.buffered_image ? preview_scans(incremental, dest, stride, rows_valid)
                                             : copy_rows(incremental, dest, stride, rows_valid);
}
