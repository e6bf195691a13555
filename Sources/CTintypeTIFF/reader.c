#include "internal.h"
#include "samples.h"

#include <stdlib.h>
#include <string.h>

struct tintype_tiff_reader {
    TIFF *tiff;
    TIFFRGBAImage image;
    tintype_tiff_report report;
    const uint8_t *bytes;
    uint64_t count;
    uint64_t position;
    bool is_started;
    /// The reader of stored samples; null unless `start_samples` succeeded.
    tintype_tiff_samples *samples;
    tmsize_t max_allocation;
};

// MARK: Functions that libtiff calls

static tmsize_t supply(thandle_t handle, void *dest, tmsize_t count) {
    tintype_tiff_reader *from = handle;
    uint64_t left = from->position < from->count ? from->count - from->position : 0;
    uint64_t wanted = count > 0 ? (uint64_t)count : 0;
    wanted = wanted < left ? wanted : left;
    // A position beyond the end must not become a pointer.
    if (wanted > 0) {
        memcpy(dest, from->bytes + from->position, wanted);
        from->position += wanted;
    }
    return (tmsize_t)wanted;
}

static tmsize_t refuse(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle;
    (void)bytes;
    (void)count;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    tintype_tiff_reader *from = handle;
    uint64_t base = whence == SEEK_CUR ? from->position : whence == SEEK_END ? from->count : 0;
    // libtiff may seek beyond the end; reading there fails.
    from->position = offset > UINT64_MAX - base ? from->count : base + offset;
    return from->position;
}

static int close(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size(thandle_t handle) {
    return ((tintype_tiff_reader *)handle)->count;
}

/// Maps the file's bytes in place, so that libtiff does not copy uncompressed data.
static int map(thandle_t handle, void **base, toff_t *count) {
    tintype_tiff_reader *from = handle;
    *base = (void *)from->bytes;
    *count = from->count;
    return 1;
}

static void unmap(thandle_t handle, void *base, toff_t count) {
    (void)handle;
    (void)base;
    (void)count;
}

// MARK: Opening

static TIFF *open(tintype_tiff_reader *reader, size_t max_allocation) {
    tmsize_t most = max_allocation > INT32_MAX ? INT32_MAX : (tmsize_t)max_allocation;
    reader->max_allocation = most;
    TIFFOpenOptions *options = tintype_tiff_options(&reader->report, most);
    if (options == NULL) {
        return NULL;
    }
    TIFF *tiff = TIFFClientOpenExt("", "r", reader, supply, refuse, seek, close, size, map, unmap, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

static uint32_t rows_per_batch(TIFF *tiff, uint32_t height) {
    uint32_t rows = 0;
    if (TIFFIsTiled(tiff)) {
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    }
    return rows == 0 || rows > height ? height : rows;
}

static uint64_t piece_bytes(TIFF *tiff) {
    uint16_t planar = PLANARCONFIG_CONTIG, samples = 1;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    uint64_t bytes = TIFFIsTiled(tiff) ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
    uint64_t planes = planar == PLANARCONFIG_SEPARATE ? samples : 1;
    return bytes > UINT64_MAX / (planes + 1) ? UINT64_MAX : bytes * planes;
}

static void read_profile(TIFF *tiff, tintype_tiff_header *header) {
    uint32_t count = 0;
    void *bytes = NULL;
    uint16_t bits = 1, samples = 1, photometric = PHOTOMETRIC_MINISBLACK;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
    header->bits = bits < 255 ? (uint8_t)bits : 255;
    header->is_grey = photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
    header->has_extra_inks = photometric == PHOTOMETRIC_SEPARATED && samples > 4;
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &count, &bytes) && bytes != NULL) {
        header->profile = bytes;
        header->profile_bytes = count;
    }
}

static void read_density(TIFF *tiff, tintype_tiff_header *header) {
    uint16_t unit = RESUNIT_INCH;
    float across = 0, down = 0;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    if (unit == RESUNIT_NONE || !TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across)
        || !TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &down)) {
        return;
    }
    const double scale = unit == RESUNIT_CENTIMETER ? 2.54 : 1;
    header->density_across = across * scale;
    header->density_down = down * scale;
}

/// Returns whether decoding takes only memory and time that the size of a strip or tile bounds.
///
/// Others call libraries that take sizes from the compressed data: libjbig ends the process if an allocation fails,
/// LERC is C++ whose exceptions nothing catches, and libtiff 4.5 passes WebP to libwebp without comparing its size.
static bool is_bounded(uint16_t compression) {
    switch (compression) {
    case COMPRESSION_NONE:
    // The fax codecs, LogLuv and PackBits are parts of libtiff.
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_SGILOG:
    case COMPRESSION_SGILOG24:
    case COMPRESSION_PACKBITS:
    // libtiff compares the size in a JPEG with that of the strip, and limits the memory of progressive ones.
    case COMPRESSION_OJPEG:
    case COMPRESSION_JPEG:
    // These write at most the bytes of the strip, and touch no more of their windows than they write.
    case COMPRESSION_LZW:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_LZMA:
    case COMPRESSION_ZSTD: return true;
    default: return false;
    }
}

static tintype_tiff_status check_compression(tintype_tiff_reader *reader) {
    uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_COMPRESSION, &compression);
    if (is_bounded(compression)) {
        return TINTYPE_TIFF_OK;
    }
    snprintf(reader->report.message, sizeof reader->report.message, "compression %u", (unsigned)compression);
    return TINTYPE_TIFF_UNSUPPORTED;
}

static tintype_tiff_status read_header(tintype_tiff_reader *reader, tintype_tiff_header *header) {
    uint16_t orientation = ORIENTATION_TOPLEFT;
    *header = (tintype_tiff_header){0};
    if (!TIFFGetField(reader->tiff, TIFFTAG_IMAGEWIDTH, &header->width)
        || !TIFFGetField(reader->tiff, TIFFTAG_IMAGELENGTH, &header->height) || header->width == 0
        || header->height == 0) {
        return TINTYPE_TIFF_CORRUPT;
    }
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_ORIENTATION, &orientation);
    header->orientation = orientation >= 1 && orientation <= 8 ? (uint8_t)orientation : 1;
    header->has_alpha = tintype_tiff_alpha_kind(reader->tiff) != EXTRASAMPLE_UNSPECIFIED;
    header->rows_per_batch = rows_per_batch(reader->tiff, header->height);
    header->piece_bytes = piece_bytes(reader->tiff);
    read_profile(reader->tiff, header);
    read_density(reader->tiff, header);
    return check_compression(reader);
}

tintype_tiff_status tintype_tiff_open(
    const uint8_t *bytes, size_t count, size_t max_allocation, tintype_tiff_header *header,
    tintype_tiff_reader **out, char *message, size_t message_size) {
    *out = NULL;
    tintype_tiff_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return TINTYPE_TIFF_MEMORY;
    }
    reader->bytes = bytes;
    reader->count = count;
    reader->tiff = open(reader, max_allocation);
    tintype_tiff_status status =
        reader->tiff == NULL ? TINTYPE_TIFF_CORRUPT : read_header(reader, header);
    snprintf(message, message_size, "%s", reader->report.message);
    if (status != TINTYPE_TIFF_OK) {
        tintype_tiff_close(reader);
        return status;
    }
    *out = reader;
    return status;
}

void tintype_tiff_close(tintype_tiff_reader *reader) {
    if (reader == NULL) {
        return;
    }
    tintype_tiff_samples_destroy(reader->samples);
    if (reader->is_started) {
        TIFFRGBAImageEnd(&reader->image);
    }
    if (reader->tiff != NULL) {
        TIFFClose(reader->tiff);
    }
    free(reader);
}

bool tintype_tiff_has_damaged_rows(const tintype_tiff_reader *reader) {
    return reader->report.has_damaged_rows;
}

const char *tintype_tiff_message(const tintype_tiff_reader *reader) {
    return reader->report.message;
}

// MARK: Pixels

/// Replaces coefficients of YCbCr that are no numbers (529 in some files is 0/0) by those of Rec. ITU-R BT.601, the
/// default of TIFF 6.0, section 21. libtiff refuses the image otherwise.
static void mend_coefficients(TIFF *tiff) {
    static const float standard[3] = {0.299f, 0.587f, 0.114f};
    const float *stated = NULL;
    if (!TIFFGetField(tiff, TIFFTAG_YCBCRCOEFFICIENTS, &stated)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (!(stated[i] > 0 && stated[i] < 1)) {
            TIFFSetField(tiff, TIFFTAG_YCBCRCOEFFICIENTS, standard);
            return;
        }
    }
}

tintype_tiff_status tintype_tiff_start(tintype_tiff_reader *reader) {
    char reason[1024] = "";
    mend_coefficients(reader->tiff);
    if (!TIFFRGBAImageOK(reader->tiff, reason) || !TIFFRGBAImageBegin(&reader->image, reader->tiff, 1, reason)) {
        snprintf(reader->report.message, sizeof reader->report.message, "%s", reason);
        return TINTYPE_TIFF_UNSUPPORTED;
    }
    reader->is_started = true;
    // Rows stay as stored: the caller applies the orientation once.
    reader->image.req_orientation = reader->image.orientation;
    reader->report = (tintype_tiff_report){0};
    return TINTYPE_TIFF_OK;
}

/// Returns whether libtiff produces straight colours: from 8-bit grey with unassociated alpha, and from a fourth sample
/// of RGB of which the file says nothing, since libtiff takes that for associated.
static bool is_straight(const TIFFRGBAImage *image, uint16_t kind) {
    const bool is_grey =
        image->photometric == PHOTOMETRIC_MINISBLACK || image->photometric == PHOTOMETRIC_MINISWHITE;
    return kind == EXTRASAMPLE_UNASSALPHA && image->bitspersample <= 8
        && (is_grey || image->alpha == EXTRASAMPLE_ASSOCALPHA);
}

static uint32_t multiplied(uint32_t channel, uint32_t alpha) {
    return (channel * alpha * 2 + 255) / 510;
}

/// Returns whether libtiff's words, which have red in the lowest byte, are in memory the RGBA bytes wanted.
static bool is_stored(bool is_straight) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return !is_straight;
#else
    return false;
#endif
}

static void store(const uint32_t *from, uint8_t *to, uint32_t width, bool is_straight, bool is_stored) {
    if (is_stored) {
        memcpy(to, from, (size_t)width * 4);
        return;
    }
    for (uint32_t x = 0; x < width; x++, to += 4) {
        uint32_t alpha = TIFFGetA(from[x]);
        uint32_t factor = is_straight ? alpha : 255;
        to[0] = (uint8_t)multiplied(TIFFGetR(from[x]), factor);
        to[1] = (uint8_t)multiplied(TIFFGetG(from[x]), factor);
        to[2] = (uint8_t)multiplied(TIFFGetB(from[x]), factor);
        to[3] = (uint8_t)alpha;
    }
}

/// Limits colours to their alpha, because a file may claim to be premultiplied and have larger ones; or makes them
/// opaque, if the sample that libtiff takes for alpha is something else.
static void clamp(uint8_t *pixels, uint32_t width, bool is_opaque) {
    for (uint32_t x = 0; x < width; x++, pixels += 4) {
        pixels[3] = is_opaque ? 255 : pixels[3];
        for (int channel = 0; channel < 3; channel++) {
            pixels[channel] = pixels[channel] < pixels[3] ? pixels[channel] : pixels[3];
        }
    }
}

tintype_tiff_status tintype_tiff_read_rows(
    tintype_tiff_reader *reader, uint32_t first, uint32_t count, uint32_t *scratch, uint8_t *dest, size_t stride) {
    TIFFRGBAImage *image = &reader->image;
    image->row_offset = (int)first;
    image->col_offset = 0;
    const uint16_t kind = tintype_tiff_alpha_kind(reader->tiff);
    bool straight = is_straight(image, kind), stored = is_stored(straight);
    // Rows without padding can be written by libtiff directly, which saves a copy.
    bool in_place = stored && stride == (size_t)image->width * 4;
    uint32_t *rows = in_place ? (uint32_t *)(void *)dest : scratch;
    if (!TIFFRGBAImageGet(image, rows, image->width, count) || reader->report.warnings > 0) {
        if (in_place) {
            memset(dest, 0, stride * count);
        }
        return TINTYPE_TIFF_CORRUPT;
    }
    for (uint32_t y = 0; y < count; y++) {
        if (!in_place) {
            store(rows + (size_t)y * image->width, dest + y * stride, image->width, straight, stored);
        }
        if (image->alpha != 0) {
            clamp(dest + y * stride, image->width, kind == EXTRASAMPLE_UNSPECIFIED);
        }
    }
    return TINTYPE_TIFF_OK;
}

tintype_tiff_status tintype_tiff_start_samples(tintype_tiff_reader *reader, tintype_tiff_kind *kind) {
    reader->samples = tintype_tiff_samples_create(reader->tiff, reader->max_allocation);
    if (reader->samples == NULL) {
        return TINTYPE_TIFF_UNSUPPORTED;
    }
    *kind = tintype_tiff_samples_kind(reader->samples);
    reader->report = (tintype_tiff_report){0};
    return TINTYPE_TIFF_OK;
}

tintype_tiff_status tintype_tiff_read_samples(
    tintype_tiff_reader *reader, uint32_t first, uint32_t count, uint16_t *dest, uint16_t *alpha) {
    bool is_fine = tintype_tiff_samples_read(reader->samples, first, count, dest, alpha);
    return is_fine && reader->report.warnings == 0 ? TINTYPE_TIFF_OK : TINTYPE_TIFF_CORRUPT;
}
