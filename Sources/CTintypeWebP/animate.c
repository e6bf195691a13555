#include "encode.h"

#include <stdlib.h>
#include <string.h>

#include <webp/mux.h>

struct tintype_webp_animation {
    WebPAnimEncoder *encoder;
    WebPConfig config;
    int width;
    int height;
    bool has_alpha;
};

/// Where the flags of an extended file are (RFC 9649, 2.7).
enum { FLAGS = 20, HAS_ALPHA = 0x10 };

tintype_webp_status tintype_webp_animation_create(
    uint32_t width, uint32_t height, uint32_t plays, tintype_webp_settings settings, tintype_webp_animation **out) {
    *out = NULL;
    WebPAnimEncoderOptions options;
    WebPConfig config;
    if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION || !WebPAnimEncoderOptionsInit(&options)
        || !tintype_webp_configure(&config, &settings)) {
        return TINTYPE_WEBP_CORRUPT;
    }
    options.anim_params.loop_count = (int)plays;
    tintype_webp_animation *animation = calloc(1, sizeof *animation);
    if (animation == NULL) {
        return TINTYPE_WEBP_MEMORY;
    }
    animation->config = config;
    animation->width = (int)width;
    animation->height = (int)height;
    animation->encoder = WebPAnimEncoderNew(animation->width, animation->height, &options);
    if (animation->encoder == NULL) {
        free(animation);
        return TINTYPE_WEBP_MEMORY;
    }
    *out = animation;
    return TINTYPE_WEBP_OK;
}

void tintype_webp_animation_destroy(tintype_webp_animation *animation) {
    if (animation != NULL) {
        WebPAnimEncoderDelete(animation->encoder);
        free(animation);
    }
}

static bool has_transparent_pixel(const uint8_t *rgba, size_t stride, int width, int height) {
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            if (rgba[y * stride + 4 * (size_t)x + 3] != 255) {
                return true;
            }
        }
    }
    return false;
}

tintype_webp_status tintype_webp_animation_add(
    tintype_webp_animation *animation, const uint8_t *rgba, size_t stride, int32_t milliseconds) {
    WebPPicture picture;
    if (!WebPPictureInit(&picture)) {
        return TINTYPE_WEBP_CORRUPT;
    }
    animation->has_alpha =
        animation->has_alpha || has_transparent_pixel(rgba, stride, animation->width, animation->height);
    picture.width = animation->width;
    picture.height = animation->height;
    // The animation encoder compares frames as RGB.
    picture.use_argb = 1;
    bool is_there = WebPPictureImportRGBA(&picture, rgba, (int)stride);
    bool is_fine = is_there && WebPAnimEncoderAdd(animation->encoder, &picture, milliseconds, &animation->config);
    bool lacks_memory = !is_there || picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY
        || picture.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
    WebPPictureFree(&picture);
    return is_fine ? TINTYPE_WEBP_OK : lacks_memory ? TINTYPE_WEBP_MEMORY : TINTYPE_WEBP_CORRUPT;
}

tintype_webp_status tintype_webp_animation_finish(
    tintype_webp_animation *animation, int32_t milliseconds, uint8_t **out, size_t *out_count) {
    *out = NULL;
    *out_count = 0;
    WebPData data;
    WebPDataInit(&data);
    if (!WebPAnimEncoderAdd(animation->encoder, NULL, milliseconds, NULL)
        || !WebPAnimEncoderAssemble(animation->encoder, &data)) {
        WebPDataClear(&data);
        return TINTYPE_WEBP_CORRUPT;
    }
    // libwebp looks at the frames only, which may all be opaque parts of a transparent canvas.
    if (animation->has_alpha && data.size > FLAGS && memcmp(data.bytes + 12, "VP8X", 4) == 0) {
        ((uint8_t *)data.bytes)[FLAGS] |= HAS_ALPHA;
    }
    // WebPDataClear would free it as tintype_webp_free does.
    *out = (uint8_t *)data.bytes;
    *out_count = data.size;
    return TINTYPE_WEBP_OK;
}
