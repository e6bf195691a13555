#include "CTintypeGIF.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

// MARK: Input

/// The bytes that giflib reads: a header without a colour table, then the image.
typedef struct {
    uint8_t header[13];
    size_t header_used;
    const uint8_t *next;
    size_t left;
} source;

/// giflib's read callback: copies at most `count` bytes and returns how many.
static int supply(GifFileType *gif, GifByteType *dest, int count) {
    source *from = gif->UserData;
    size_t wanted = count > 0 ? (size_t)count : 0;
    size_t head = sizeof from->header - from->header_used;
    head = head < wanted ? head : wanted;
    memcpy(dest, from->header + from->header_used, head);
    from->header_used += head;
    size_t rest = wanted - head;
    rest = rest < from->left ? rest : from->left;
    memcpy(dest + head, from->next, rest);
    from->next += rest;
    from->left -= rest;
    return (int)(head + rest);
}

static source make_source(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height) {
    return (source){
        .header = {'G', 'I', 'F', '8', '9', 'a', (uint8_t)width, (uint8_t)(width >> 8), (uint8_t)height,
            (uint8_t)(height >> 8), 0, 0, 0},
        .next = bytes,
        .left = count,
    };
}

// MARK: Rows

typedef struct {
    GifFileType *gif;
    GifPixelType *indices;
    const uint8_t *colors;
    uint8_t *dest;
    size_t stride;
    uint32_t width;
    uint32_t height;
    tintype_gif_cancel_hook is_cancelled;
    void *context;
    uint32_t *rows_read;
} job;

static tintype_gif_status read_row(const job *job, uint32_t y) {
    if (job->is_cancelled != NULL && job->is_cancelled(job->context)) {
        return TINTYPE_GIF_CANCELLED;
    }
    if (DGifGetLine(job->gif, job->indices, (int)job->width) != GIF_OK) {
        return job->gif->Error == D_GIF_ERR_NOT_ENOUGH_MEM ? TINTYPE_GIF_MEMORY : TINTYPE_GIF_CORRUPT;
    }
    uint8_t *pixel = job->dest + y * job->stride;
    for (uint32_t x = 0; x < job->width; x++, pixel += 4) {
        memcpy(pixel, job->colors + 4 * job->indices[x], 4);
    }
    *job->rows_read += 1;
    return TINTYPE_GIF_OK;
}

static tintype_gif_status read_rows(const job *job, uint32_t first, uint32_t step) {
    tintype_gif_status status = TINTYPE_GIF_OK;
    for (uint32_t y = first; y < job->height && status == TINTYPE_GIF_OK; y += step) {
        status = read_row(job, y);
    }
    return status;
}

/// Interlaced rows are stored in four passes (GIF89a, appendix E).
static tintype_gif_status read_passes(const job *job) {
    static const uint32_t firsts[] = {0, 4, 2, 1};
    static const uint32_t steps[] = {8, 8, 4, 2};
    if (!job->gif->Image.Interlace) {
        return read_rows(job, 0, 1);
    }
    tintype_gif_status status = TINTYPE_GIF_OK;
    for (int pass = 0; pass < 4 && status == TINTYPE_GIF_OK; pass++) {
        status = read_rows(job, firsts[pass], steps[pass]);
    }
    return status;
}

static tintype_gif_status read_image(job *job) {
    GifRecordType type;
    if (DGifGetRecordType(job->gif, &type) != GIF_OK || type != IMAGE_DESC_RECORD_TYPE
        || DGifGetImageDesc(job->gif) != GIF_OK || job->gif->Image.Width != (int)job->width
        || job->gif->Image.Height != (int)job->height) {
        return TINTYPE_GIF_CORRUPT;
    }
    job->indices = malloc(job->width);
    if (job->indices == NULL) {
        return TINTYPE_GIF_MEMORY;
    }
    tintype_gif_status status = read_passes(job);
    free(job->indices);
    return status;
}

tintype_gif_status tintype_gif_decode(
    const uint8_t *bytes, size_t count, const uint8_t *colors, uint8_t *dest, size_t stride, uint32_t width,
    uint32_t height, tintype_gif_cancel_hook is_cancelled, void *context, uint32_t *rows_read) {
    *rows_read = 0;
    source from = make_source(bytes, count, width, height);
    int error = 0;
    GifFileType *gif = DGifOpen(&from, supply, &error);
    if (gif == NULL) {
        return error == D_GIF_ERR_NOT_ENOUGH_MEM ? TINTYPE_GIF_MEMORY : TINTYPE_GIF_CORRUPT;
    }
    job job = {
        .gif = gif, .colors = colors, .dest = dest, .stride = stride, .width = width, .height = height,
        .is_cancelled = is_cancelled, .context = context, .rows_read = rows_read};
    tintype_gif_status status = read_image(&job);
    DGifCloseFile(gif, &error);
    return status;
}
