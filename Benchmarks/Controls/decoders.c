#include "CBenchmarkControls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>
#include <jxl/decode.h>
#include <libheif/heif.h>
#include <tiffio.h>
#include <webp/decode.h>

// Each decoder uses one thread and its library's simplest way to 8-bit RGBA.

bool control_decode_webp(const uint8_t *bytes, size_t count) {
    int width = 0, height = 0;
    uint8_t *pixels = WebPDecodeRGBA(bytes, count, &width, &height);
    WebPFree(pixels);
    return pixels != NULL;
}

bool control_decode_avif(const uint8_t *bytes, size_t count) {
    avifDecoder *decoder = avifDecoderCreate();
    decoder->maxThreads = 1;
    bool is_decoded = avifDecoderSetIOMemory(decoder, bytes, count) == AVIF_RESULT_OK
        && avifDecoderParse(decoder) == AVIF_RESULT_OK && avifDecoderNextImage(decoder) == AVIF_RESULT_OK;
    if (is_decoded) {
        avifRGBImage rgb;
        avifRGBImageSetDefaults(&rgb, decoder->image);
        rgb.depth = 8;
        avifRGBImageAllocatePixels(&rgb);
        is_decoded = avifImageYUVToRGB(decoder->image, &rgb) == AVIF_RESULT_OK;
        avifRGBImageFreePixels(&rgb);
    }
    avifDecoderDestroy(decoder);
    return is_decoded;
}

bool control_decode_jxl(const uint8_t *bytes, size_t count) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    JxlPixelFormat format = {.num_channels = 4, .data_type = JXL_TYPE_UINT8};
    uint8_t *pixels = NULL;
    size_t size = 0;
    JxlDecoderSubscribeEvents(decoder, JXL_DEC_FULL_IMAGE);
    JxlDecoderSetInput(decoder, bytes, count);
    JxlDecoderStatus status;
    while ((status = JxlDecoderProcessInput(decoder)) == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
        JxlDecoderImageOutBufferSize(decoder, &format, &size);
        pixels = malloc(size);
        JxlDecoderSetImageOutBuffer(decoder, &format, pixels, size);
    }
    JxlDecoderDestroy(decoder);
    free(pixels);
    return status == JXL_DEC_FULL_IMAGE;
}

bool control_decode_heic(const uint8_t *bytes, size_t count) {
    struct heif_context *context = heif_context_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    heif_context_set_max_decoding_threads(context, 0);
    heif_context_read_from_memory_without_copy(context, bytes, count, NULL);
    heif_context_get_primary_image_handle(context, &handle);
    bool is_decoded = handle != NULL
        && heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, NULL).code
            == heif_error_Ok;
    heif_image_release(image);
    heif_image_handle_release(handle);
    heif_context_free(context);
    return is_decoded;
}

// libtiff reads a file through callbacks. These read from memory.

typedef struct {
    const uint8_t *bytes;
    toff_t count, position;
} memory_file;

static tmsize_t read_file(thandle_t handle, void *dest, tmsize_t count) {
    memory_file *file = handle;
    toff_t left = file->count - file->position, wanted = (toff_t)count < left ? (toff_t)count : left;
    memcpy(dest, file->bytes + file->position, wanted);
    file->position += wanted;
    return (tmsize_t)wanted;
}

static tmsize_t write_file(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle, (void)bytes, (void)count;
    return -1;
}

static toff_t seek_file(thandle_t handle, toff_t offset, int whence) {
    memory_file *file = handle;
    file->position = offset + (whence == SEEK_CUR ? file->position : whence == SEEK_END ? file->count : 0);
    return file->position;
}

static int close_file(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of_file(thandle_t handle) { return ((memory_file *)handle)->count; }

bool control_decode_tiff(const uint8_t *bytes, size_t count) {
    memory_file file = {.bytes = bytes, .count = count};
    TIFF *tiff = TIFFClientOpen("", "rm", &file, read_file, write_file, seek_file, close_file, size_of_file, NULL, NULL);
    if (tiff == NULL) { return false; }
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    uint32_t *pixels = malloc((size_t)width * height * 4);
    bool is_decoded = TIFFReadRGBAImageOriented(tiff, width, height, pixels, ORIENTATION_TOPLEFT, 1) != 0;
    free(pixels);
    TIFFClose(tiff);
    return is_decoded;
}
