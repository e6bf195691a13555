#include "internal.h"

/// The number of bytes decoded between two calls of the cancel hook.
enum { STEP = 64 << 10 };

tintype_webp_status tintype_webp_status_of(VP8StatusCode code) {
    switch (code) {
    case VP8_STATUS_OK:
        return TINTYPE_WEBP_OK;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return TINTYPE_WEBP_NEEDS_MORE;
    case VP8_STATUS_OUT_OF_MEMORY:
        return TINTYPE_WEBP_MEMORY;
    default:
        return TINTYPE_WEBP_CORRUPT;
    }
}

static tintype_webp_status feed(
    WebPIDecoder *decoder, const uint8_t *bytes, size_t count, tintype_webp_cancel_hook is_cancelled,
    void *context) {
    tintype_webp_status status = TINTYPE_WEBP_NEEDS_MORE;
    for (size_t given = 0; given < count && status == TINTYPE_WEBP_NEEDS_MORE;) {
        if (is_cancelled != NULL && is_cancelled(context)) {
            return TINTYPE_WEBP_CANCELLED;
        }
        given = count - given > STEP ? given + STEP : count;
        status = tintype_webp_status_of(WebPIUpdate(decoder, bytes, given));
    }
    return status;
}

tintype_webp_status tintype_webp_decode(
    const uint8_t *bytes, size_t count, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_webp_cancel_hook is_cancelled, void *context) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) {
        return TINTYPE_WEBP_CORRUPT;
    }
    tintype_webp_status status = tintype_webp_status_of(WebPGetFeatures(bytes, count, &config.input));
    if (status != TINTYPE_WEBP_OK) {
        return status;
    }
    config.options.use_scaling = config.input.width != (int)width || config.input.height != (int)height;
    config.options.scaled_width = (int)width;
    config.options.scaled_height = (int)height;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = dest;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = stride * height;
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    if (decoder == NULL) {
        return TINTYPE_WEBP_MEMORY;
    }
    status = feed(decoder, bytes, count, is_cancelled, context);
    WebPIDelete(decoder);
    WebPFreeDecBuffer(&config.output);
    return status;
}
