#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    STAGE_CLOSED,
    STAGE_OPENED,
    STAGE_STARTED,
} reader_stage;

struct tintype_jpeg_reader {
    struct jpeg_decompress_struct cinfo;
    tintype_jpeg_fence fence;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    tintype_jpeg_limits limits;
    tintype_jpeg_cancel_hook is_cancelled;
    void *context;
    /// The number of rows since the last call of the hook, which costs more than a row of a small image.
    unsigned rows_unasked;
    bool is_complete;
    bool keeps_inks;
    reader_stage stage;
};

// MARK: Functions that libjpeg calls

static void do_nothing(j_decompress_ptr cinfo) {
    (void)cinfo;
}

/// Called when the bytes have run out. A prefix suspends. A complete file continues with an end marker, which ends
/// whatever libjpeg is decoding.
static boolean refill(j_decompress_ptr cinfo) {
    static const JOCTET end_marker[] = {0xFF, JPEG_EOI};
    tintype_jpeg_reader *reader = cinfo->client_data;
    if (!reader->is_complete) {
        return FALSE;
    }
    reader->fence.input_ended = true;
    reader->source.next_input_byte = end_marker;
    reader->source.bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

static void skip(j_decompress_ptr cinfo, long count) {
    struct jpeg_source_mgr *source = cinfo->src;
    if (count <= 0) {
        return;
    }
    size_t skipped = (size_t)count < source->bytes_in_buffer ? (size_t)count : source->bytes_in_buffer;
    source->next_input_byte += skipped;
    source->bytes_in_buffer -= skipped;
}

/// libjpeg calls this between rows, and between the rows of scans that it reads ahead.
static void watch(j_common_ptr common) {
    tintype_jpeg_reader *reader = common->client_data;
    bool asks = reader->rows_unasked++ % 16 == 0;
    if (asks && reader->is_cancelled != NULL && reader->is_cancelled(reader->context)) {
        tintype_jpeg_fence_escape(&reader->fence, TINTYPE_JPEG_CANCELLED, "Cancelled");
    }
    tintype_jpeg_check_scans(&reader->cinfo, reader->limits.max_scans);
}

// MARK: Creation and destruction

tintype_jpeg_reader *tintype_jpeg_reader_create(
    tintype_jpeg_limits limits, tintype_jpeg_cancel_hook is_cancelled, void *context) {
    tintype_jpeg_reader *reader = calloc(1, sizeof *reader);
    if (reader != NULL) {
        reader->limits = limits;
        reader->is_cancelled = is_cancelled;
        reader->context = context;
    }
    return reader;
}

static tintype_jpeg_status close_with(tintype_jpeg_reader *reader, tintype_jpeg_status status) {
    jpeg_destroy_decompress(&reader->cinfo);
    reader->stage = STAGE_CLOSED;
    return status;
}

void tintype_jpeg_reader_destroy(tintype_jpeg_reader *reader) {
    if (reader != NULL) {
        close_with(reader, TINTYPE_JPEG_OK);
        free(reader);
    }
}

void tintype_jpeg_reader_set_tolerance(tintype_jpeg_reader *reader, tintype_jpeg_tolerance tolerance) {
    reader->fence.tolerance = tolerance;
}

void tintype_jpeg_reader_set_keeps_inks(tintype_jpeg_reader *reader, bool keeps) {
    reader->keeps_inks = keeps;
}

const char *tintype_jpeg_reader_message(const tintype_jpeg_reader *reader) {
    return reader->fence.message;
}

// MARK: Opening

/// A new decompressor per image: libjpeg would use one image's tables where the next one lacks some.
static void create_decompressor(tintype_jpeg_reader *reader) {
    jpeg_create_decompress(&reader->cinfo);
    size_t bytes = reader->limits.max_memory_bytes;
    reader->cinfo.mem->max_memory_to_use = bytes < LONG_MAX ? (long)bytes : LONG_MAX;
    reader->cinfo.progress = &reader->progress;
    tintype_jpeg_keep_metadata(&reader->cinfo);
}

static void point_at(tintype_jpeg_reader *reader, const uint8_t *bytes, size_t count, bool is_complete) {
    reader->is_complete = is_complete;
    reader->progress.progress_monitor = watch;
    reader->source = (struct jpeg_source_mgr){
        .next_input_byte = bytes,
        .bytes_in_buffer = count,
        .init_source = do_nothing,
        .fill_input_buffer = refill,
        .skip_input_data = skip,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = do_nothing,
    };
    reader->cinfo.src = &reader->source;
}

tintype_jpeg_status tintype_jpeg_reader_open(
    tintype_jpeg_reader *reader, const uint8_t *bytes, size_t count, bool is_complete,
    tintype_jpeg_header *header) {
    close_with(reader, TINTYPE_JPEG_OK);
    reader->cinfo.err = tintype_jpeg_fence_raise(&reader->fence);
    reader->cinfo.client_data = reader;
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    create_decompressor(reader);
    point_at(reader, bytes, count, is_complete);
    if (jpeg_read_header(&reader->cinfo, TRUE) == JPEG_SUSPENDED) {
        return close_with(reader, TINTYPE_JPEG_NEEDS_MORE);
    }
    if (!tintype_jpeg_describe(&reader->cinfo, header)) {
        tintype_jpeg_fence_escape(&reader->fence, TINTYPE_JPEG_UNSUPPORTED, "Unknown colour space");
    }
    reader->stage = STAGE_OPENED;
    return TINTYPE_JPEG_OK;
}

// MARK: Wholeness

static bool has_every_coefficient(j_decompress_ptr cinfo) {
    for (int component = 0; component < cinfo->num_components; component++) {
        for (int i = 0; i < DCTSIZE2; i++) {
            bool is_exact = cinfo->coef_bits[component][i] == 0;
            if (!is_exact) {
                return false;
            }
        }
    }
    return true;
}

/// Returns whether only the end marker proves that the image is complete. Otherwise truncation would have been noticed
/// within its entropy-coded data.
static bool depends_on_end_marker(tintype_jpeg_reader *reader) {
    j_decompress_ptr cinfo = &reader->cinfo;
    // Arithmetic decoding reads past the end of its data without a warning, and so does the search for a restart marker
    // after damage.
    if (cinfo->arith_code || reader->fence.damage != TINTYPE_JPEG_OK) {
        return true;
    }
    return cinfo->progressive_mode ? !has_every_coefficient(cinfo) : jpeg_has_multiple_scans(cinfo);
}

static void note_missing_end(tintype_jpeg_reader *reader) {
    tintype_jpeg_fence_note_damage(&reader->fence, TINTYPE_JPEG_TRUNCATED, false, "Premature end of JPEG file");
}

// MARK: Decoding

tintype_jpeg_status tintype_jpeg_reader_start(
    tintype_jpeg_reader *reader, uint32_t scale_eighths, uint32_t *width, uint32_t *height) {
    if (reader->stage != STAGE_OPENED || scale_eighths < 1 || scale_eighths > 8) {
        return TINTYPE_JPEG_MISUSE;
    }
    j_decompress_ptr cinfo = &reader->cinfo;
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    tintype_jpeg_choose_output(cinfo, scale_eighths);
    if (!jpeg_start_decompress(cinfo)) {
        return close_with(reader, TINTYPE_JPEG_NEEDS_MORE);
    }
    if (reader->fence.input_ended && depends_on_end_marker(reader)) {
        note_missing_end(reader);
    }
    *width = cinfo->output_width;
    *height = cinfo->output_height;
    reader->stage = STAGE_STARTED;
    return TINTYPE_JPEG_OK;
}

/// Returns whether rows were output whose bytes are missing. With several scans, earlier scans supply them.
static bool is_made_up(const tintype_jpeg_reader *reader) {
    bool depends_on_bytes = !reader->cinfo.progressive_mode && !jpeg_has_multiple_scans((j_decompress_ptr)&reader->cinfo);
    return reader->fence.input_ended && reader->fence.damage != TINTYPE_JPEG_OK && depends_on_bytes;
}

static tintype_jpeg_status read_rows(
    tintype_jpeg_reader *reader, uint8_t *dest, size_t stride, uint32_t max_rows, uint32_t *rows_read) {
    uint32_t left = reader->cinfo.output_height - reader->cinfo.output_scanline;
    uint32_t wanted = max_rows < left ? max_rows : left;
    while (*rows_read < wanted) {
        uint32_t read = (reader->keeps_inks ? tintype_jpeg_read_some_inks : tintype_jpeg_read_some_rows)(
            &reader->cinfo, dest + *rows_read * stride, stride, wanted - *rows_read);
        if (read == 0) {
            return close_with(reader, TINTYPE_JPEG_NEEDS_MORE);
        }
        if (is_made_up(reader)) {
            for (uint32_t i = 0; i < read; i++) {
                memset(dest + (*rows_read + i) * stride, 0, (size_t)reader->cinfo.output_width * 4);
            }
            return close_with(reader, TINTYPE_JPEG_TRUNCATED);
        }
        *rows_read += read;
    }
    return TINTYPE_JPEG_OK;
}

tintype_jpeg_status tintype_jpeg_reader_read_rows(
    tintype_jpeg_reader *reader, uint8_t *dest, size_t stride, uint32_t max_rows, uint32_t *rows_read) {
    *rows_read = 0;
    if (reader->stage != STAGE_STARTED || stride < (size_t)reader->cinfo.output_width * 4) {
        return TINTYPE_JPEG_MISUSE;
    }
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    return read_rows(reader, dest, stride, max_rows, rows_read);
}

static tintype_jpeg_status finish(tintype_jpeg_reader *reader, bool *is_damaged) {
    bool needs_end_marker = depends_on_end_marker(reader);
    if (!jpeg_finish_decompress(&reader->cinfo)) {
        return TINTYPE_JPEG_NEEDS_MORE;
    }
    if (reader->fence.input_ended && needs_end_marker) {
        note_missing_end(reader);
    }
    *is_damaged = reader->fence.damage != TINTYPE_JPEG_OK;
    return TINTYPE_JPEG_OK;
}

tintype_jpeg_status tintype_jpeg_reader_finish(tintype_jpeg_reader *reader, bool *is_damaged) {
    if (reader->stage != STAGE_STARTED || reader->cinfo.output_scanline < reader->cinfo.output_height) {
        return TINTYPE_JPEG_MISUSE;
    }
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    return close_with(reader, finish(reader, is_damaged));
}
