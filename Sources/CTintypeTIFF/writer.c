#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_STRIP = 32, FIRST_CAPACITY = 64 << 10 };

/// The file being written.
typedef struct {
    uint8_t *bytes;
    size_t capacity;
    size_t count;
    size_t position;
    bool lacks_memory;
} sink;

// MARK: Functions that libtiff calls

static bool grow(sink *out, size_t needed) {
    size_t capacity = out->capacity == 0 ? FIRST_CAPACITY : out->capacity;
    while (capacity < needed) {
        capacity *= 2;
    }
    uint8_t *bytes = capacity == out->capacity ? out->bytes : realloc(out->bytes, capacity);
    if (bytes == NULL) {
        out->lacks_memory = true;
        return false;
    }
    out->bytes = bytes;
    out->capacity = capacity;
    return true;
}

static tmsize_t take(thandle_t handle, void *bytes, tmsize_t count) {
    sink *out = handle;
    size_t end = out->position + (size_t)count;
    if (!grow(out, end)) {
        return -1;
    }
    if (out->position > out->count) {
        memset(out->bytes + out->count, 0, out->position - out->count);
    }
    memcpy(out->bytes + out->position, bytes, (size_t)count);
    out->position = end;
    out->count = end > out->count ? end : out->count;
    return count;
}

static tmsize_t reread(thandle_t handle, void *dest, tmsize_t count) {
    sink *from = handle;
    size_t left = from->position < from->count ? from->count - from->position : 0;
    size_t wanted = (size_t)count < left ? (size_t)count : left;
    if (wanted == 0) {
        return 0;
    }
    memcpy(dest, from->bytes + from->position, wanted);
    from->position += wanted;
    return (tmsize_t)wanted;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    sink *out = handle;
    out->position = offset + (whence == SEEK_CUR ? out->position : whence == SEEK_END ? out->count : 0);
    return out->position;
}

static int close(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size(thandle_t handle) {
    return ((sink *)handle)->count;
}

// MARK: Encoding

static uint16_t samples_of(const tintype_tiff_layout *layout) {
    return (layout->is_grey ? 1 : 3) + (layout->is_opaque ? 0 : 1);
}

static bool describe(TIFF *tiff, uint32_t width, uint32_t height, const tintype_tiff_layout *layout) {
    uint16_t straight = EXTRASAMPLE_UNASSALPHA;
    return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width) && TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height)
        && TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, layout->bits)
        && TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples_of(layout))
        && TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, layout->is_grey ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB)
        && TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)
        && TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT)
        && TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE)
        && TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL)
        && TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, layout->level)
        && TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, ROWS_PER_STRIP)
        && (layout->is_opaque || TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &straight));
}

/// Copies the channels of RGBA that are stored.
static void pick_samples(
    uint8_t *row, const uint8_t *rgba, uint32_t width, const tintype_tiff_layout *layout) {
    size_t bytes = layout->bits / 8, samples = samples_of(layout);
    for (uint32_t x = 0; x < width; x++) {
        const uint8_t *from = rgba + (size_t)x * 4 * bytes;
        uint8_t *to = row + (size_t)x * samples * bytes;
        memcpy(to, from, (layout->is_grey ? 1 : samples) * bytes);
        if (layout->is_grey && !layout->is_opaque) {
            memcpy(to + bytes, from + 3 * bytes, bytes);
        }
    }
}

static bool write_rows(
    TIFF *tiff, const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, uint8_t *row,
    const tintype_tiff_layout *layout) {
    for (uint32_t y = 0; y < height; y++) {
        pick_samples(row, rgba + y * stride, width, layout);
        if (TIFFWriteScanline(tiff, row, y, 0) < 0) {
            return false;
        }
    }
    return true;
}

static bool encode(
    sink *out, tintype_tiff_report *report, const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride,
    const tintype_tiff_layout *layout, uint8_t *row) {
    TIFFOpenOptions *options = tintype_tiff_options(report, 0);
    TIFF *tiff = options == NULL
        ? NULL
        : TIFFClientOpenExt("", "wl", out, reread, take, seek, close, size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    if (tiff == NULL) {
        return false;
    }
    bool is_fine = describe(tiff, width, height, layout)
        && write_rows(tiff, rgba, width, height, stride, row, layout) && TIFFFlush(tiff);
    TIFFClose(tiff);
    return is_fine && report->message[0] == '\0';
}

tintype_tiff_status tintype_tiff_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, tintype_tiff_layout layout, uint8_t **out,
    size_t *out_count, char *message, size_t message_size) {
    sink sink = {0};
    tintype_tiff_report report = {0};
    *out = NULL;
    *out_count = 0;
    bool is_valid = (layout.bits == 8 || layout.bits == 16) && stride >= (size_t)width * layout.bits / 2;
    if (!is_valid || layout.level < 1 || layout.level > 9) {
        snprintf(message, message_size, "Bad arguments");
        return TINTYPE_TIFF_CORRUPT;
    }
    uint8_t *row = malloc((size_t)width * layout.bits / 2);
    if (row == NULL) {
        return TINTYPE_TIFF_MEMORY;
    }
    bool is_fine = encode(&sink, &report, rgba, width, height, stride, &layout, row);
    free(row);
    snprintf(message, message_size, "%s", report.message);
    if (!is_fine) {
        free(sink.bytes);
        return sink.lacks_memory ? TINTYPE_TIFF_MEMORY : TINTYPE_TIFF_CORRUPT;
    }
    *out = sink.bytes;
    *out_count = sink.count;
    return TINTYPE_TIFF_OK;
}

void tintype_tiff_free(uint8_t *bytes) {
    free(bytes);
}
