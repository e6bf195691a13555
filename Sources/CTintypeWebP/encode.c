#include "encode.h"

bool tintype_webp_configure(WebPConfig *config, const tintype_webp_settings *settings) {
    if (!WebPConfigInit(config)) {
        return false;
    }
    config->lossless = settings->is_lossless;
    config->quality = settings->quality;
    config->method = settings->method;
    config->use_sharp_yuv = settings->is_sharp;
    config->thread_level = 0;
    if (settings->is_lossless && settings->level >= 0 && !WebPConfigLosslessPreset(config, settings->level)) {
        return false;
    }
    return WebPValidateConfig(config);
}

static tintype_webp_status encode(
    const WebPConfig *config, WebPPicture *picture, const uint8_t *rgba, size_t stride, WebPMemoryWriter *writer) {
    picture->writer = WebPMemoryWrite;
    picture->custom_ptr = writer;
    // Lossless encoding needs RGB, and so does the sharp conversion to YUV.
    picture->use_argb = config->lossless || config->use_sharp_yuv;
    bool is_fine = WebPPictureImportRGBA(picture, rgba, (int)stride) && WebPEncode(config, picture);
    bool lacks_memory = picture->error_code == VP8_ENC_ERROR_OUT_OF_MEMORY
        || picture->error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY;
    return is_fine ? TINTYPE_WEBP_OK : lacks_memory ? TINTYPE_WEBP_MEMORY : TINTYPE_WEBP_CORRUPT;
}

tintype_webp_status tintype_webp_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, tintype_webp_settings settings, uint8_t **out,
    size_t *out_count) {
    *out = NULL;
    *out_count = 0;
    WebPConfig config;
    WebPPicture picture;
    if (width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION || !WebPPictureInit(&picture)
        || !tintype_webp_configure(&config, &settings)) {
        return TINTYPE_WEBP_CORRUPT;
    }
    picture.width = (int)width;
    picture.height = (int)height;
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    tintype_webp_status status = encode(&config, &picture, rgba, stride, &writer);
    WebPPictureFree(&picture);
    if (status != TINTYPE_WEBP_OK) {
        WebPMemoryWriterClear(&writer);
        return status;
    }
    *out = writer.mem;
    *out_count = writer.size;
    return status;
}

void tintype_webp_free(uint8_t *bytes) {
    WebPFree(bytes);
}
