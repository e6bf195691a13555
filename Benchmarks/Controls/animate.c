#include "CBenchmarkControls.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>
#include <webp/demux.h>

/// Keeps the compiler from removing copies whose result is not used.
static volatile uint8_t sink;

// MARK: GIF

typedef struct {
    const uint8_t *bytes;
    size_t left;
} reader;

static int read_bytes(GifFileType *gif, GifByteType *dest, int count) {
    reader *from = gif->UserData;
    size_t taken = (size_t)count < from->left ? (size_t)count : from->left;
    memcpy(dest, from->bytes, taken);
    from->bytes += taken;
    from->left -= taken;
    return (int)taken;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

static void paint(
    uint8_t *canvas, const GifFileType *gif, const SavedImage *image, const ColorMapObject *map, int transparent) {
    const GifImageDesc *rect = &image->ImageDesc;
    int width = least(rect->Width, gif->SWidth - rect->Left), height = least(rect->Height, gif->SHeight - rect->Top);
    for (int y = 0; y < height; y++) {
        const GifByteType *from = image->RasterBits + (size_t)y * rect->Width;
        uint8_t *to = canvas + ((size_t)(rect->Top + y) * gif->SWidth + rect->Left) * 4;
        for (int x = 0; x < width; x++, to += 4) {
            int index = from[x];
            if (index == transparent || index >= map->ColorCount) { continue; }
            const GifColorType *color = &map->Colors[index];
            to[0] = color->Red, to[1] = color->Green, to[2] = color->Blue, to[3] = 255;
        }
    }
}

static void clear(uint8_t *canvas, const GifFileType *gif, const GifImageDesc *rect) {
    int width = least(rect->Width, gif->SWidth - rect->Left), height = least(rect->Height, gif->SHeight - rect->Top);
    for (int y = 0; y < height; y++) {
        memset(canvas + ((size_t)(rect->Top + y) * gif->SWidth + rect->Left) * 4, 0, (size_t)width * 4);
    }
}

static size_t play_gif(GifFileType *gif) {
    if (DGifSlurp(gif) != GIF_OK) { return 0; }
    size_t size = (size_t)gif->SWidth * gif->SHeight * 4;
    uint8_t *canvas = calloc(1, size), *former = malloc(size);
    size_t count = 0;
    for (int index = 0; canvas && former && index < gif->ImageCount; index++) {
        const SavedImage *image = &gif->SavedImages[index];
        const ColorMapObject *map = image->ImageDesc.ColorMap ? image->ImageDesc.ColorMap : gif->SColorMap;
        GraphicsControlBlock control = {.TransparentColor = NO_TRANSPARENT_COLOR};
        DGifSavedExtensionToGCB(gif, index, &control);
        if (!map) { break; }
        if (control.DisposalMode == DISPOSE_PREVIOUS) { memcpy(former, canvas, size); }
        paint(canvas, gif, image, map, control.TransparentColor);
        // The copy that a program would keep.
        uint8_t *frame = malloc(size);
        if (!frame) { break; }
        memcpy(frame, canvas, size);
        sink = frame[size - 1];
        count++;
        free(frame);
        if (control.DisposalMode == DISPOSE_PREVIOUS) { memcpy(canvas, former, size); }
        if (control.DisposalMode == DISPOSE_BACKGROUND) { clear(canvas, gif, &image->ImageDesc); }
    }
    free(canvas);
    free(former);
    return count;
}

size_t control_play_gif(const uint8_t *bytes, size_t count) {
    reader from = {bytes, count};
    int error = 0;
    GifFileType *gif = DGifOpen(&from, read_bytes, &error);
    if (!gif) { return 0; }
    size_t frames = play_gif(gif);
    DGifCloseFile(gif, &error);
    return frames;
}

// MARK: WebP

size_t control_play_webp(const uint8_t *bytes, size_t count) {
    WebPData data = {bytes, count};
    WebPAnimDecoderOptions options;
    if (!WebPAnimDecoderOptionsInit(&options)) { return 0; }
    options.color_mode = MODE_rgbA;
    options.use_threads = 0;
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, &options);
    WebPAnimInfo info;
    if (!decoder || !WebPAnimDecoderGetInfo(decoder, &info)) { return 0; }
    size_t size = (size_t)info.canvas_width * info.canvas_height * 4, frames = 0;
    while (WebPAnimDecoderHasMoreFrames(decoder)) {
        uint8_t *canvas = NULL, *frame = malloc(size);
        int time = 0;
        if (!frame || !WebPAnimDecoderGetNext(decoder, &canvas, &time)) {
            free(frame);
            break;
        }
        // The copy that a program would keep.
        memcpy(frame, canvas, size);
        sink = frame[size - 1];
        frames++;
        free(frame);
    }
    WebPAnimDecoderDelete(decoder);
    return frames;
}
