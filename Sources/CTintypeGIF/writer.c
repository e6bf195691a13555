#include "CTintypeGIF.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

enum { FIRST_CAPACITY = 64 << 10 };

struct tintype_gif_writer {
    GifFileType *gif;
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    bool lacks_memory;
    bool has_shared_palette;
};

// MARK: Output

static bool make_room(tintype_gif_writer *writer, size_t count) {
    size_t needed = writer->count + count;
    if (needed <= writer->capacity) {
        return true;
    }
    size_t capacity = needed > FIRST_CAPACITY ? needed * 2 : FIRST_CAPACITY;
    uint8_t *bytes = realloc(writer->bytes, capacity);
    if (bytes == NULL) {
        writer->lacks_memory = true;
        return false;
    }
    writer->bytes = bytes;
    writer->capacity = capacity;
    return true;
}

/// giflib's write callback: appends the bytes and returns how many it took.
static int take(GifFileType *gif, const GifByteType *bytes, int count) {
    tintype_gif_writer *writer = gif->UserData;
    if (count < 0 || !make_room(writer, (size_t)count)) {
        return 0;
    }
    memcpy(writer->bytes + writer->count, bytes, (size_t)count);
    writer->count += (size_t)count;
    return count;
}

// MARK: Parts of a file

static tintype_gif_status failure(const tintype_gif_writer *writer) {
    bool lacks_memory = writer->lacks_memory
        || (writer->gif != NULL && writer->gif->Error == E_GIF_ERR_NOT_ENOUGH_MEM);
    return lacks_memory ? TINTYPE_GIF_MEMORY : TINTYPE_GIF_CORRUPT;
}

/// Makes a colour table whose size is rounded up to a power of two; the additional entries are black.
static ColorMapObject *make_map(tintype_gif_palette palette) {
    uint32_t count = 2;
    while (count < palette.count) {
        count *= 2;
    }
    ColorMapObject *map = GifMakeMapObject((int)count, NULL);
    for (uint32_t i = 0; map != NULL && i < palette.count; i++) {
        const uint8_t *color = palette.colors + 3 * i;
        map->Colors[i] = (GifColorType){.Red = color[0], .Green = color[1], .Blue = color[2]};
    }
    return map;
}

static bool is_valid(tintype_gif_palette palette) {
    return palette.colors != NULL && palette.count > 0 && palette.count <= 256;
}

static bool is_within(const GifFileType *gif, tintype_gif_frame frame) {
    uint64_t right = (uint64_t)frame.x + frame.width, bottom = (uint64_t)frame.y + frame.height;
    return frame.width > 0 && frame.height > 0 && right <= (uint64_t)gif->SWidth && bottom <= (uint64_t)gif->SHeight;
}

static bool put_repeats(GifFileType *gif, int32_t repeats) {
    const uint8_t loop[3] = {1, (uint8_t)repeats, (uint8_t)(repeats >> 8)};
    return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK
        && EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK
        && EGifPutExtensionBlock(gif, sizeof loop, loop) == GIF_OK && EGifPutExtensionTrailer(gif) == GIF_OK;
}

static tintype_gif_status put_head(
    tintype_gif_writer *writer, uint32_t width, uint32_t height, tintype_gif_palette shared, int32_t repeats) {
    ColorMapObject *map = NULL;
    if (writer->has_shared_palette) {
        map = make_map(shared);
        if (map == NULL) {
            return TINTYPE_GIF_MEMORY;
        }
    }
    // Otherwise giflib chooses the version by the extensions that it knows of in advance: none here.
    EGifSetGifVersion(writer->gif, true);
    bool is_fine = EGifPutScreenDesc(writer->gif, (int)width, (int)height, 8, 0, map) == GIF_OK;
    GifFreeMapObject(map);
    if (is_fine && repeats >= 0) {
        is_fine = put_repeats(writer->gif, repeats);
    }
    return is_fine ? TINTYPE_GIF_OK : failure(writer);
}

static bool put_control(GifFileType *gif, tintype_gif_frame frame) {
    GraphicsControlBlock control = {
        .DisposalMode = frame.is_cleared ? DISPOSE_BACKGROUND : DISPOSE_DO_NOT,
        .UserInputFlag = false,
        .DelayTime = (int)frame.delay,
        .TransparentColor = frame.transparent_index < 0 ? NO_TRANSPARENT_COLOR : frame.transparent_index,
    };
    GifByteType bytes[4];
    size_t count = EGifGCBToExtension(&control, bytes);
    return EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, (int)count, bytes) == GIF_OK;
}

/// Writes the rows from a copy: giflib modifies the row it is given.
static tintype_gif_status put_rows(tintype_gif_writer *writer, tintype_gif_frame frame, const uint8_t *indices) {
    GifPixelType *row = malloc(frame.width);
    if (row == NULL) {
        return TINTYPE_GIF_MEMORY;
    }
    bool is_fine = true;
    for (uint32_t y = 0; y < frame.height && is_fine; y++) {
        memcpy(row, indices + (size_t)y * frame.width, frame.width);
        is_fine = EGifPutLine(writer->gif, row, (int)frame.width) == GIF_OK;
    }
    free(row);
    return is_fine ? TINTYPE_GIF_OK : failure(writer);
}

// MARK: Writers

tintype_gif_status tintype_gif_writer_create(
    uint32_t width, uint32_t height, tintype_gif_palette shared, int32_t repeats, tintype_gif_writer **out) {
    *out = NULL;
    bool has_shared_palette = shared.count > 0;
    if (width > UINT16_MAX || height > UINT16_MAX || repeats > UINT16_MAX
        || (has_shared_palette && !is_valid(shared))) {
        return TINTYPE_GIF_CORRUPT;
    }
    tintype_gif_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return TINTYPE_GIF_MEMORY;
    }
    writer->has_shared_palette = has_shared_palette;
    int error = 0;
    writer->gif = EGifOpen(writer, take, &error);
    tintype_gif_status status =
        writer->gif == NULL ? TINTYPE_GIF_MEMORY : put_head(writer, width, height, shared, repeats);
    if (status != TINTYPE_GIF_OK) {
        tintype_gif_writer_destroy(writer);
        return status;
    }
    *out = writer;
    return TINTYPE_GIF_OK;
}

tintype_gif_status tintype_gif_writer_add(
    tintype_gif_writer *writer, tintype_gif_frame frame, tintype_gif_palette own, const uint8_t *indices) {
    bool has_own = own.count > 0;
    bool has_colors = has_own ? is_valid(own) : writer->has_shared_palette;
    if (writer->gif == NULL || frame.delay > UINT16_MAX || !is_within(writer->gif, frame) || !has_colors) {
        return TINTYPE_GIF_CORRUPT;
    }
    ColorMapObject *map = has_own ? make_map(own) : NULL;
    if (has_own && map == NULL) {
        return TINTYPE_GIF_MEMORY;
    }
    bool is_fine = put_control(writer->gif, frame)
        && EGifPutImageDesc(
               writer->gif, (int)frame.x, (int)frame.y, (int)frame.width, (int)frame.height, false, map) == GIF_OK;
    GifFreeMapObject(map);
    return is_fine ? put_rows(writer, frame, indices) : failure(writer);
}

tintype_gif_status tintype_gif_writer_finish(tintype_gif_writer *writer, uint8_t **out, size_t *out_count) {
    *out = NULL;
    *out_count = 0;
    if (writer->gif == NULL) {
        return TINTYPE_GIF_CORRUPT;
    }
    int error = 0;
    bool is_fine = EGifCloseFile(writer->gif, &error) == GIF_OK;
    writer->gif = NULL;
    // giflib does not check whether its trailer could be written.
    if (!is_fine || writer->lacks_memory) {
        return failure(writer);
    }
    *out = writer->bytes;
    *out_count = writer->count;
    writer->bytes = NULL;
    return TINTYPE_GIF_OK;
}

void tintype_gif_writer_destroy(tintype_gif_writer *writer) {
    if (writer == NULL) {
        return;
    }
    if (writer->gif != NULL) {
        int error = 0;
        EGifCloseFile(writer->gif, &error);
    }
    free(writer->bytes);
    free(writer);
}

void tintype_gif_free(uint8_t *bytes) {
    free(bytes);
}
