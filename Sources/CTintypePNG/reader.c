#include "internal.h"

#include "whole.h"

#include <stdlib.h>
#include <string.h>

typedef enum {
    STAGE_CLOSED,
    STAGE_OPENED,
    STAGE_STARTED,
} reader_stage;

struct tintype_png_reader {
    png_structp png;
    png_infop info;
    tintype_png_fence fence;
    tintype_png_limits limits;
    tintype_png_cancel_hook is_cancelled;
    void *context;
    const uint8_t *next;
    size_t left;
    bool is_complete;
    reader_stage stage;
    /// The pixels, if they are not read by libpng.
    tintype_png_whole whole;
    uint32_t width;
    uint32_t height;
    uint32_t rows_read;
    int passes;
    /// The number of bytes per pixel: 4, or 8 with 16-bit samples.
    size_t pixel_size;
};

// MARK: Creation and destruction

tintype_png_reader *tintype_png_reader_create(
    tintype_png_limits limits, tintype_png_cancel_hook is_cancelled, void *context) {
    tintype_png_reader *reader = calloc(1, sizeof *reader);
    if (reader != NULL) {
        reader->limits = limits;
        reader->is_cancelled = is_cancelled;
        reader->context = context;
    }
    return reader;
}

static tintype_png_status close_with(tintype_png_reader *reader, tintype_png_status status) {
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    tintype_png_whole_close(&reader->whole);
    reader->stage = STAGE_CLOSED;
    return status;
}

void tintype_png_reader_destroy(tintype_png_reader *reader) {
    if (reader != NULL) {
        close_with(reader, TINTYPE_PNG_OK);
        free(reader);
    }
}

const char *tintype_png_reader_message(const tintype_png_reader *reader) {
    return reader->fence.message;
}

// MARK: Opening

static tintype_png_status status_of_shortage(const tintype_png_reader *reader) {
    return reader->is_complete ? TINTYPE_PNG_TRUNCATED : TINTYPE_PNG_NEEDS_MORE;
}

/// Supplies bytes to libpng.
static void supply(png_structp png, png_bytep dest, size_t count) {
    tintype_png_reader *reader = png_get_io_ptr(png);
    if (count > reader->left) {
        tintype_png_fence_escape(&reader->fence, status_of_shortage(reader), "Premature end of PNG file");
    }
    memcpy(dest, reader->next, count);
    reader->next += count;
    reader->left -= count;
}

static void create_decoder(tintype_png_reader *reader) {
    reader->png = tintype_png_create_read(&reader->fence);
    reader->info = tintype_png_create_info(&reader->fence, reader->png);
    png_set_read_fn(reader->png, reader, supply);
    tintype_png_keep_pixels_alone(reader->png, &reader->limits);
}

static void describe(tintype_png_reader *reader, tintype_png_header *header) {
    uint8_t color = png_get_color_type(reader->png, reader->info);
    header->width = reader->width = png_get_image_width(reader->png, reader->info);
    header->height = reader->height = png_get_image_height(reader->png, reader->info);
    header->color = (tintype_png_color)color;
    header->bit_depth = png_get_bit_depth(reader->png, reader->info);
    header->is_interlaced = png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
    header->has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0
        || png_get_valid(reader->png, reader->info, PNG_INFO_tRNS) != 0;
}

static const char *explain_survey(tintype_png_status status) {
    switch (status) {
    case TINTYPE_PNG_LIMIT:
        return "A chunk exceeds the limit";
    case TINTYPE_PNG_UNSUPPORTED:
        return "Apple's variant of PNG";
    case TINTYPE_PNG_TRUNCATED:
        return "Premature end of PNG file";
    case TINTYPE_PNG_NEEDS_MORE:
        return "";
    default:
        return "Not a PNG file";
    }
}

static void survey(tintype_png_reader *reader, tintype_png_header *header) {
    *header = (tintype_png_header){0};
    tintype_png_status status =
        tintype_png_survey(reader->next, reader->left, &reader->limits, header);
    if (status == TINTYPE_PNG_NEEDS_MORE) {
        status = status_of_shortage(reader);
    }
    if (status != TINTYPE_PNG_OK) {
        tintype_png_fence_escape(&reader->fence, status, explain_survey(status));
    }
}

tintype_png_status tintype_png_reader_open(
    tintype_png_reader *reader, const uint8_t *bytes, size_t count, bool is_complete, tintype_png_header *header) {
    close_with(reader, TINTYPE_PNG_OK);
    tintype_png_fence_raise(&reader->fence);
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    reader->next = bytes;
    reader->left = count;
    reader->is_complete = is_complete;
    survey(reader, header);
    create_decoder(reader);
    png_read_info(reader->png, reader->info);
    describe(reader, header);
    reader->stage = STAGE_OPENED;
    return TINTYPE_PNG_OK;
}

// MARK: Decoding

enum { CHUNK_HEAD_SIZE = 8 };

/// Inflates the pixels at once, if that is possible. libpng has read the head of the first chunk with pixels.
static void read_whole(tintype_png_reader *reader, bool is_wide) {
    if (!is_wide && reader->is_complete) {
        tintype_png_whole_open(
            &reader->whole, reader->next - CHUNK_HEAD_SIZE, reader->left + CHUNK_HEAD_SIZE, reader->png, reader->info);
    }
}

tintype_png_status tintype_png_reader_start(tintype_png_reader *reader, bool is_wide) {
    if (reader->stage != STAGE_OPENED) {
        return TINTYPE_PNG_MISUSE;
    }
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    read_whole(reader, is_wide);
    reader->passes = tintype_png_ask_for_rgba(reader->png, reader->info, is_wide);
    reader->pixel_size = is_wide ? 8 : 4;
    // libpng writes rows of its own size: check it against the size that callers allocate.
    if (png_get_rowbytes(reader->png, reader->info) != (size_t)reader->width * reader->pixel_size) {
        tintype_png_fence_escape(&reader->fence, TINTYPE_PNG_CORRUPT, "Rows are not RGBA");
    }
    reader->rows_read = 0;
    reader->stage = STAGE_STARTED;
    return TINTYPE_PNG_OK;
}

static void read_row(tintype_png_reader *reader, uint8_t *dest) {
    if (reader->is_cancelled != NULL && reader->is_cancelled(reader->context)) {
        tintype_png_fence_escape(&reader->fence, TINTYPE_PNG_CANCELLED, "Cancelled");
    }
    if (reader->whole.bytes != NULL) {
        tintype_png_whole_read_row(&reader->whole, dest);
    } else {
        png_read_row(reader->png, dest, NULL);
    }
}

static bool can_read(const tintype_png_reader *reader, size_t stride) {
    return reader->stage == STAGE_STARTED && stride >= (size_t)reader->width * reader->pixel_size;
}

tintype_png_status tintype_png_reader_read_rows(
    tintype_png_reader *reader, uint8_t *dest, size_t stride, uint32_t max_rows, uint32_t *rows_read) {
    *rows_read = 0;
    if (!can_read(reader, stride) || reader->passes > 1) {
        return TINTYPE_PNG_MISUSE;
    }
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    while (*rows_read < max_rows && reader->rows_read < reader->height) {
        read_row(reader, dest + *rows_read * stride);
        *rows_read += 1;
        reader->rows_read += 1;
    }
    return TINTYPE_PNG_OK;
}

static void read_passes(tintype_png_reader *reader, uint8_t *dest, size_t stride) {
    for (int pass = 0; pass < reader->passes; pass++) {
        for (uint32_t y = 0; y < reader->height; y++) {
            read_row(reader, dest + y * stride);
        }
    }
    reader->rows_read = reader->height;
}

tintype_png_status tintype_png_reader_read_image(tintype_png_reader *reader, uint8_t *dest, size_t stride) {
    if (!can_read(reader, stride) || reader->rows_read > 0) {
        return TINTYPE_PNG_MISUSE;
    }
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    read_passes(reader, dest, stride);
    return TINTYPE_PNG_OK;
}

tintype_png_status tintype_png_reader_finish(tintype_png_reader *reader) {
    if (reader->stage != STAGE_STARTED || reader->rows_read < reader->height) {
        return TINTYPE_PNG_MISUSE;
    }
    if (reader->whole.bytes != NULL) {
        return close_with(reader, TINTYPE_PNG_OK);
    }
    if (setjmp(reader->fence.escape) != 0) {
        return close_with(reader, reader->fence.status);
    }
    // Nothing after the pixels is kept, so that the long frames of an animation cost nothing.
    png_set_chunk_malloc_max(reader->png, 0);
    png_read_end(reader->png, NULL);
    return close_with(reader, TINTYPE_PNG_OK);
}
