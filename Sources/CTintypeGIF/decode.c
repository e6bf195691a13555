#include "CTintypeGIF.h"

#include <stdlib.h>
#include <string.h>

/// The length of an image descriptor, without its colour table (GIF89a, 20).
enum { DESCRIPTOR = 10 };
/// How many values are decoded between two checks for cancellation. They stay in a cache of the processor until they
/// are painted.
enum { PART = 64 << 10 };

/// An image in a file: its compressed bytes, without the lengths of the blocks.
typedef struct {
    uint8_t *bytes;
    size_t count;
    uint32_t code_size;
    bool is_interlaced;
} image;

static uint32_t read_uint16(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

/// Joins the blocks, up to an empty one or the end of the bytes.
static tintype_gif_status join_blocks(const uint8_t *bytes, size_t count, image *out) {
    out->bytes = malloc(count > 0 ? count : 1);
    if (out->bytes == NULL) {
        return TINTYPE_GIF_MEMORY;
    }
    size_t offset = 0;
    while (offset < count && bytes[offset] > 0) {
        size_t left = count - offset - 1, length = bytes[offset] < left ? bytes[offset] : left;
        memcpy(out->bytes + out->count, bytes + offset + 1, length);
        out->count += length;
        offset += 1 + length;
    }
    return TINTYPE_GIF_OK;
}

static tintype_gif_status read_image(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, image *out) {
    *out = (image){0};
    if (count < DESCRIPTOR || bytes[0] != 0x2C || read_uint16(bytes + 5) != width || read_uint16(bytes + 7) != height) {
        return TINTYPE_GIF_CORRUPT;
    }
    uint8_t flags = bytes[DESCRIPTOR - 1];
    size_t start = DESCRIPTOR + ((flags & 0x80) != 0 ? (size_t)3 << ((flags & 7) + 1) : 0);
    if (start >= count) {
        return TINTYPE_GIF_CORRUPT;
    }
    out->is_interlaced = (flags & 0x40) != 0;
    out->code_size = bytes[start];
    return join_blocks(bytes + start + 1, count - start - 1, out);
}

/// The displayed row of each stored row (GIF89a, appendix E).
typedef struct {
    uint32_t y, pass;
    uint32_t height;
    bool is_interlaced;
} row_order;

static uint32_t next_row(row_order *order) {
    static const uint32_t firsts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    uint32_t y = order->y;
    order->y += order->is_interlaced ? steps[order->pass] : 1;
    while (order->is_interlaced && order->y >= order->height && order->pass < 3) {
        order->y = firsts[++order->pass];
    }
    return y;
}

static void paint(uint8_t *dest, const uint8_t *values, uint32_t width, const uint8_t *colors) {
    for (uint32_t x = 0; x < width; x++) {
        memcpy(dest + 4 * (size_t)x, colors + 4 * (size_t)values[x], 4);
    }
}

tintype_gif_status tintype_gif_decode(
    const uint8_t *bytes, size_t count, const uint8_t *colors, uint8_t *dest, size_t stride, uint32_t width,
    uint32_t height, tintype_gif_cancel_hook is_cancelled, void *context, uint32_t *rows_read) {
    *rows_read = 0;
    image image;
    tintype_gif_status status = read_image(bytes, count, width, height, &image);
    if (status != TINTYPE_GIF_OK) {
        return status;
    }
    tintype_gif_lzw *lzw = tintype_gif_lzw_create(image.code_size, (size_t)width * height);
    if (lzw == NULL) {
        free(image.bytes);
        return image.code_size < 1 || image.code_size > 8 ? TINTYPE_GIF_CORRUPT : TINTYPE_GIF_MEMORY;
    }
    row_order order = {.height = height, .is_interlaced = image.is_interlaced};
    size_t used = 0;
    bool has_more = true;
    while (has_more && status == TINTYPE_GIF_OK) {
        if (is_cancelled != NULL && is_cancelled(context)) {
            status = TINTYPE_GIF_CANCELLED;
            break;
        }
        size_t before = tintype_gif_lzw_count(lzw);
        used += tintype_gif_lzw_decode(lzw, image.bytes + used, image.count - used, before + PART);
        const uint8_t *values = tintype_gif_lzw_values(lzw);
        for (; (size_t)(*rows_read + 1) * width <= tintype_gif_lzw_count(lzw) && *rows_read < height; ++*rows_read) {
            paint(dest + next_row(&order) * stride, values + (size_t)*rows_read * width, width, colors);
        }
        has_more = !tintype_gif_lzw_has_ended(lzw) && tintype_gif_lzw_count(lzw) >= before + PART;
    }
    if (status == TINTYPE_GIF_OK && *rows_read < height) {
        status = TINTYPE_GIF_CORRUPT;
    }
    tintype_gif_lzw_destroy(lzw);
    free(image.bytes);
    return status;
}
