#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct tintype_webp_incremental {
    WebPDecoderConfig config;
    WebPIDecoder *decoder;
    /// The pixels as straight RGBA without padding; those not received are transparent.
    uint8_t *rows;
    uint32_t width;
    uint32_t height;
    uint32_t rows_valid;
    /// The error that ended decoding for good; OK at the end of the image, NEEDS_MORE before it.
    tintype_webp_status status;
};

static size_t row_bytes(const tintype_webp_incremental *incremental) {
    return (size_t)incremental->width * 4;
}

// MARK: Creation and destruction

static bool prepare(tintype_webp_incremental *incremental) {
    incremental->rows = calloc(incremental->height, row_bytes(incremental));
    if (incremental->rows == NULL || !WebPInitDecoderConfig(&incremental->config)) {
        return false;
    }
    WebPDecBuffer *output = &incremental->config.output;
    output->colorspace = MODE_RGBA;
    output->is_external_memory = 1;
    output->u.RGBA.rgba = incremental->rows;
    output->u.RGBA.stride = (int)row_bytes(incremental);
    output->u.RGBA.size = row_bytes(incremental) * incremental->height;
    incremental->decoder = WebPIDecode(NULL, 0, &incremental->config);
    return incremental->decoder != NULL;
}

tintype_webp_incremental *tintype_webp_incremental_create(uint32_t width, uint32_t height) {
    tintype_webp_incremental *incremental = calloc(1, sizeof *incremental);
    if (incremental == NULL) {
        return NULL;
    }
    incremental->width = width;
    incremental->height = height;
    incremental->status = TINTYPE_WEBP_NEEDS_MORE;
    if (!prepare(incremental)) {
        tintype_webp_incremental_destroy(incremental);
        return NULL;
    }
    return incremental;
}

void tintype_webp_incremental_destroy(tintype_webp_incremental *incremental) {
    if (incremental != NULL) {
        WebPIDelete(incremental->decoder);
        free(incremental->rows);
        free(incremental);
    }
}

// MARK: Rows

tintype_webp_status tintype_webp_incremental_append(
    tintype_webp_incremental *incremental, const uint8_t *bytes, size_t count, bool *changed) {
    *changed = false;
    if (incremental->status != TINTYPE_WEBP_NEEDS_MORE) {
        return incremental->status;
    }
    incremental->status = tintype_webp_status_of(WebPIAppend(incremental->decoder, bytes, count));
    int last = 0;
    if (WebPIDecGetRGB(incremental->decoder, &last, NULL, NULL, NULL) != NULL && last > 0) {
        *changed = (uint32_t)last > incremental->rows_valid;
        incremental->rows_valid = (uint32_t)last;
    }
    return incremental->status;
}

tintype_webp_status tintype_webp_incremental_preview(
    const tintype_webp_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid) {
    *rows_valid = incremental->rows_valid;
    if (incremental->rows_valid == 0 || stride < row_bytes(incremental)) {
        return TINTYPE_WEBP_NEEDS_MORE;
    }
    for (uint32_t y = 0; y < incremental->height; y++) {
        uint8_t *row = dest + y * stride;
        if (y < incremental->rows_valid) {
            memcpy(row, incremental->rows + y * row_bytes(incremental), row_bytes(incremental));
        } else {
            memset(row, 0, row_bytes(incremental));
        }
    }
    return TINTYPE_WEBP_OK;
}
