#include "samples.h"

#include "numbers.h"

#include <stdlib.h>
#include <string.h>

// Reads the images that libtiff does not convert to RGBA, or not without loss: channels of more than 8 bits, signed
// numbers, palettes of 65,536 colours or with alpha, CMYK, whose colours a profile defines, and CIELab, whose white
// libtiff does not adapt to that of a display. Grey with alpha in tiles, too: where a tile exceeds the image, libtiff
// 4.5 skips half as many samples as there are.

struct tintype_tiff_samples {
    TIFF *tiff;
    uint32_t width;
    uint32_t height;
    uint16_t samples;
    uint16_t bits;
    uint16_t photometric;
    /// Whether samples are floating-point numbers, of which 0 to 1 is shown; otherwise they are integers.
    bool is_float;
    bool is_signed;
    /// The integers that are black and white, if they are not those of unsigned samples.
    double black, white;
    bool has_range;
    /// Whether a sample after the colours is alpha, and whether colours are multiplied by it.
    bool has_alpha;
    bool is_associated;
    /// The red, green and blue of the colours that samples name; null if they name none.
    const uint16_t *palette[3];
    /// Whether the colours of the palette have 8 bits.
    bool is_palette_narrow;
    bool is_tiled;
    bool is_planar;
    uint32_t piece_width;
    uint32_t piece_height;
    /// The number of bytes of a row of a strip or tile, the last of which may be padded.
    size_t row_bytes;
    /// One decoded strip or tile.
    uint8_t *piece;
    tmsize_t piece_size;
};

static uint16_t colours_of(uint16_t photometric) {
    switch (photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_PALETTE:
        return 1;
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
        return 3;
    case PHOTOMETRIC_SEPARATED:
        return 4;
    default:
        return 0;
    }
}

static void read_layout(tintype_tiff_samples *from) {
    uint16_t planar = PLANARCONFIG_CONTIG, extra_count = 0;
    uint16_t *extra = NULL;
    TIFFGetField(from->tiff, TIFFTAG_IMAGEWIDTH, &from->width);
    TIFFGetField(from->tiff, TIFFTAG_IMAGELENGTH, &from->height);
    TIFFGetFieldDefaulted(from->tiff, TIFFTAG_SAMPLESPERPIXEL, &from->samples);
    TIFFGetFieldDefaulted(from->tiff, TIFFTAG_BITSPERSAMPLE, &from->bits);
    TIFFGetField(from->tiff, TIFFTAG_PHOTOMETRIC, &from->photometric);
    TIFFGetFieldDefaulted(from->tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(from->tiff, TIFFTAG_EXTRASAMPLES, &extra_count, &extra);
    from->is_planar = planar == PLANARCONFIG_SEPARATE && from->samples > 1;
    from->is_tiled = TIFFIsTiled(from->tiff);
    uint16_t kind = tintype_tiff_alpha_kind(from->tiff);
    from->has_alpha = from->samples > colours_of(from->photometric) && kind != EXTRASAMPLE_UNSPECIFIED;
    from->is_associated = kind == EXTRASAMPLE_ASSOCALPHA;
}

uint16_t tintype_tiff_alpha_kind(TIFF *tiff) {
    uint16_t count = 0, samples = 0, photometric = PHOTOMETRIC_MINISBLACK;
    uint16_t *kinds = NULL;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
    // The default would count samples of which the file says nothing.
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) && count > 0) {
        return kinds[0];
    }
    return photometric == PHOTOMETRIC_RGB && samples == 4 ? EXTRASAMPLE_UNASSALPHA : EXTRASAMPLE_UNSPECIFIED;
}

static bool is_lab(const tintype_tiff_samples *from) {
    return from->photometric == PHOTOMETRIC_CIELAB || from->photometric == PHOTOMETRIC_ICCLAB;
}

/// Finds the integers that are black and white: those that the file states, or the least and the greatest of their
/// type.
static void read_range(tintype_tiff_samples *from) {
    const double top = (double)(1ull << (from->bits - 1));
    const double black = from->is_signed ? -top : 0, white = from->is_signed ? top - 1 : 2 * top - 1;
    double stated_black, stated_white;
    const bool is_stated = TIFFGetField(from->tiff, TIFFTAG_SMINSAMPLEVALUE, &stated_black)
        && TIFFGetField(from->tiff, TIFFTAG_SMAXSAMPLEVALUE, &stated_white) && stated_black < stated_white;
    from->black = is_stated ? stated_black : black;
    from->white = is_stated ? stated_white : white;
    from->has_range = from->is_signed || is_stated;
}

/// Reads the palette. Some programs write colours of 8 bits into it, which libtiff recognizes by their numbers, too.
static bool read_palette(tintype_tiff_samples *from) {
    uint16_t *planes[3];
    const bool is_read = from->bits == 16 || (from->bits <= 8 && from->samples > 1);
    if (!is_read || !TIFFGetField(from->tiff, TIFFTAG_COLORMAP, &planes[0], &planes[1], &planes[2])) {
        return false;
    }
    from->is_palette_narrow = true;
    for (int plane = 0; plane < 3; plane++) {
        from->palette[plane] = planes[plane];
        for (size_t i = 0; i < (size_t)1 << from->bits && from->is_palette_narrow; i++) {
            from->is_palette_narrow = planes[plane][i] < 256;
        }
    }
    return true;
}

/// Returns whether this reader supports the type of the samples, and libtiff does not or loses some of it.
static bool has_depth(tintype_tiff_samples *from, bool is_of_inks) {
    uint16_t format = SAMPLEFORMAT_UINT;
    TIFFGetFieldDefaulted(from->tiff, TIFFTAG_SAMPLEFORMAT, &format);
    if (is_lab(from)) {
        return from->bits == 8 || from->bits == 16;
    }
    if (from->photometric == PHOTOMETRIC_PALETTE) {
        return format == SAMPLEFORMAT_UINT && read_palette(from);
    }
    from->is_float = format == SAMPLEFORMAT_IEEEFP;
    if (from->is_float) {
        return from->bits == 16 || from->bits == 32 || from->bits == 64;
    }
    from->is_signed = format == SAMPLEFORMAT_INT;
    if (from->is_signed || from->bits == 32) {
        read_range(from);
    }
    const bool is_whole = from->bits == 8 || from->bits == 16 || from->bits == 32;
    const bool is_wide = (from->bits > 8 && from->bits <= 16) || from->bits == 24 || from->bits == 32;
    // libtiff converts 1, 2 or 4 bits of grey alone.
    const bool is_packed = from->bits > 0 && from->bits < 8 && !is_of_inks
        && (from->photometric == PHOTOMETRIC_RGB || (from->bits & (from->bits - 1)) != 0 || from->samples > 1);
    const bool is_tiled_grey = from->is_tiled && from->samples > 1 && colours_of(from->photometric) == 1;
    const bool is_byte = from->bits == 8 && (is_of_inks || is_tiled_grey);
    return from->is_signed ? is_whole : format == SAMPLEFORMAT_UINT && (is_wide || is_packed || is_byte);
}

/// Returns whether this reader supports the layout of the samples.
static bool suits(tintype_tiff_samples *from) {
    uint16_t inks = INKSET_CMYK;
    TIFFGetFieldDefaulted(from->tiff, TIFFTAG_INKSET, &inks);
    uint16_t colours = colours_of(from->photometric);
    bool is_of_inks = from->photometric == PHOTOMETRIC_SEPARATED;
    return colours > 0 && has_depth(from, is_of_inks) && from->samples >= colours && from->samples <= 8
        && (!is_of_inks || inks == INKSET_CMYK);
}

static bool find_pieces(tintype_tiff_samples *from, tmsize_t most) {
    if (from->is_tiled) {
        TIFFGetField(from->tiff, TIFFTAG_TILEWIDTH, &from->piece_width);
        TIFFGetField(from->tiff, TIFFTAG_TILELENGTH, &from->piece_height);
        from->piece_size = TIFFTileSize(from->tiff);
    } else {
        TIFFGetFieldDefaulted(from->tiff, TIFFTAG_ROWSPERSTRIP, &from->piece_height);
        from->piece_width = from->width;
        from->piece_size = TIFFStripSize(from->tiff);
    }
    if (from->piece_height > from->height && !from->is_tiled) {
        from->piece_height = from->height;
    }
    uint64_t samples = from->is_planar ? 1 : from->samples;
    from->row_bytes = (samples * from->piece_width * from->bits + 7) / 8;
    uint64_t needed = from->row_bytes * (uint64_t)from->piece_height;
    return from->piece_width > 0 && from->piece_height > 0 && from->piece_size > 0 && from->piece_size <= most
        && needed <= (uint64_t)from->piece_size;
}

tintype_tiff_samples *tintype_tiff_samples_create(TIFF *tiff, tmsize_t most) {
    tintype_tiff_samples *from = calloc(1, sizeof *from);
    if (from == NULL) {
        return NULL;
    }
    from->tiff = tiff;
    read_layout(from);
    if (suits(from) && find_pieces(from, most)) {
        from->piece = malloc((size_t)from->piece_size);
    }
    if (from->piece == NULL) {
        free(from);
        return NULL;
    }
    return from;
}

void tintype_tiff_samples_destroy(tintype_tiff_samples *from) {
    if (from != NULL) {
        free(from->piece);
        free(from);
    }
}

tintype_tiff_kind tintype_tiff_samples_kind(const tintype_tiff_samples *from) {
    return from->photometric == PHOTOMETRIC_SEPARATED ? TINTYPE_TIFF_INKS
        : is_lab(from)                                ? TINTYPE_TIFF_LAB
                                                      : TINTYPE_TIFF_COLORS;
}

// MARK: Reading

/// Decodes the strip or tile at a position. `plane` is the sample's index if samples are stored separately, otherwise
/// 0.
static bool read_piece(tintype_tiff_samples *from, uint32_t x, uint32_t y, uint16_t plane) {
    if (from->is_tiled) {
        uint32_t tile = TIFFComputeTile(from->tiff, x, y, 0, plane);
        return TIFFReadEncodedTile(from->tiff, tile, from->piece, from->piece_size) >= 0;
    }
    uint32_t strip = TIFFComputeStrip(from->tiff, y, plane);
    uint32_t rows = from->height - y < from->piece_height ? from->height - y : from->piece_height;
    uint64_t needed = from->row_bytes * (uint64_t)rows;
    return TIFFReadEncodedStrip(from->tiff, strip, from->piece, from->piece_size) >= (tmsize_t)needed;
}

static uint16_t float_at(const tintype_tiff_samples *from, const uint8_t *row, size_t index) {
    uint16_t half;
    float single;
    double full;
    switch (from->bits) {
    case 16:
        memcpy(&half, row + 2 * index, sizeof half);
        return from_unit(from_half(half));
    case 32:
        memcpy(&single, row + 4 * index, sizeof single);
        return from_unit(single);
    default:
        memcpy(&full, row + 8 * index, sizeof full);
        return from_unit(full);
    }
}

/// Returns a sample of 1 to 15 bits; samples follow each other without padding, the highest bit first.
static uint16_t packed_at(const tintype_tiff_samples *from, const uint8_t *row, size_t index) {
    size_t first = index * from->bits, byte = first / 8;
    uint32_t window = 0;
    for (size_t i = byte; i < byte + 3; i++) {
        window = window << 8 | (i < from->row_bytes ? row[i] : 0u);
    }
    uint32_t top = (1u << from->bits) - 1;
    uint32_t sample = window >> (24 - from->bits - first % 8) & top;
    return (uint16_t)((sample * 0xFFFFu + top / 2) / top);
}

/// Returns an integer sample by its range.
static uint16_t ranged_at(const tintype_tiff_samples *from, const uint8_t *row, size_t index) {
    int16_t word;
    int32_t long_word;
    double number;
    switch (from->bits) {
    case 8: number = (int8_t)row[index]; break;
    case 16:
        memcpy(&word, row + 2 * index, sizeof word);
        number = word;
        break;
    default:
        memcpy(&long_word, row + 4 * index, sizeof long_word);
        number = from->is_signed ? (double)long_word : (double)(uint32_t)long_word;
    }
    return from_unit((number - from->black) / (from->white - from->black));
}

/// Returns a sample of a row in 16 bits.
static uint16_t sample_at(const tintype_tiff_samples *from, const uint8_t *row, size_t index) {
    uint16_t word;
    uint32_t long_word;
    if (from->is_float) {
        return float_at(from, row, index);
    }
    if (from->has_range) {
        return ranged_at(from, row, index);
    }
    switch (from->bits) {
    case 8:
        return row[index] * 257u;
    case 16:
        memcpy(&word, row + 2 * index, sizeof word);
        return word;
    case 24:
        // libtiff stores them in the order of the machine.
        memcpy(&word, row + 3 * index + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 1 : 0), sizeof word);
        return word;
    case 32:
        memcpy(&long_word, row + 4 * index, sizeof long_word);
        return (uint16_t)(long_word >> 16);
    default:
        return packed_at(from, row, index);
    }
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/// Copies the samples of a strip or tile into pixels of four channels, starting at channel `plane`, and a fifth sample
/// into `alpha` unless that is null.
static void spread(
    const tintype_tiff_samples *from, uint32_t x, uint32_t rows, uint16_t plane, uint16_t *dest, uint16_t *alpha) {
    uint32_t columns = smaller(from->piece_width, from->width - x);
    uint16_t in_piece = from->is_planar ? 1 : from->samples;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            const uint8_t *samples = from->piece + row * from->row_bytes;
            const size_t index = (size_t)row * from->width + x + column;
            for (uint16_t i = 0; i < in_piece && plane + i < (alpha == NULL ? 4 : 5); i++) {
                uint16_t *channel = plane + i < 4 ? dest + 4 * index + plane + i : alpha + index;
                *channel = sample_at(from, samples, (size_t)column * in_piece + i);
            }
        }
    }
}

/// Converts a colour from CIELab (TIFF 6.0, section 23) or ICCLab to the 16 bits of ICC.1:2022, table 12, in which a*
/// and b* are 0 at 0x8080.
static void finish_lab(const tintype_tiff_samples *from, uint16_t *pixel) {
    const bool is_wide = from->bits == 16, is_signed = from->photometric == PHOTOMETRIC_CIELAB;
    if (is_wide && !is_signed) {
        pixel[0] = (uint16_t)smaller((uint32_t)pixel[0] * 0xFFFFu / 0xFF00u, 0xFFFF);
    }
    for (int i = 1; i < 3; i++) {
        const uint32_t number = is_signed ? pixel[i] ^ 0x8000u : pixel[i];
        // 8 bits were repeated: 0x8080 with the highest bit changed is 0x0080.
        const uint32_t from_bytes = (number >> 8) * 257u, from_words = number * 257u / 256u;
        pixel[i] = (uint16_t)smaller(is_wide ? from_words : from_bytes, 0xFFFF);
    }
}

/// Divides channels by alpha, unless that is 0.
static void divide(uint16_t *channels, int count, uint16_t alpha) {
    for (int i = 0; i < count && alpha > 0; i++) {
        uint64_t straight = ((uint64_t)channels[i] * 0xFFFF + alpha / 2) / alpha;
        channels[i] = straight < 0xFFFF ? (uint16_t)straight : 0xFFFF;
    }
}

/// Converts a pixel from the stored order of samples to straight RGBA, or to L*, a*, b* and alpha.
static void finish(const tintype_tiff_samples *from, uint16_t *pixel) {
    if (is_lab(from)) {
        finish_lab(from, pixel);
    }
    const bool is_grey = colours_of(from->photometric) == 1;
    uint16_t alpha = from->has_alpha ? pixel[is_grey ? 1 : 3] : 0xFFFF;
    const uint32_t top = (1u << (from->palette[0] != NULL ? from->bits : 0)) - 1;
    const uint32_t index = ((uint32_t)pixel[0] * top + 0x7FFF) / 0xFFFF;
    for (int i = 0; i < 3 && from->palette[0] != NULL; i++) {
        pixel[i] = (uint16_t)(from->palette[i][index] * (from->is_palette_narrow ? 257u : 1u));
    }
    if (is_grey && from->palette[0] == NULL) {
        bool is_inverted = from->photometric == PHOTOMETRIC_MINISWHITE;
        pixel[0] = is_inverted ? 0xFFFF - pixel[0] : pixel[0];
        pixel[1] = pixel[2] = pixel[0];
    }
    pixel[3] = alpha;
    if (from->has_alpha && from->is_associated) {
        divide(pixel, 3, alpha);
    }
}

bool tintype_tiff_samples_read(
    tintype_tiff_samples *from, uint32_t first, uint32_t count, uint16_t *dest, uint16_t *alpha) {
    const bool is_of_inks = from->photometric == PHOTOMETRIC_SEPARATED;
    uint16_t *apart = is_of_inks && from->has_alpha ? alpha : NULL;
    uint16_t most = apart == NULL ? 4 : 5, stored = from->samples < most ? from->samples : most;
    uint16_t planes = from->is_planar ? stored : 1;
    for (uint32_t y = first; y < first + count; y += from->piece_height) {
        uint32_t rows = smaller(from->piece_height, first + count - y);
        const size_t start = (size_t)(y - first) * from->width;
        for (uint32_t x = 0; x < from->width; x += from->piece_width) {
            for (uint16_t plane = 0; plane < planes; plane++) {
                if (!read_piece(from, x, y, plane)) {
                    return false;
                }
                spread(from, x, rows, plane, dest + 4 * start, apart == NULL ? NULL : apart + start);
            }
        }
    }
    for (size_t i = 0; i < (size_t)count * from->width; i++) {
        if (!is_of_inks) {
            finish(from, dest + 4 * i);
        } else if (apart != NULL && from->is_associated) {
            divide(dest + 4 * i, 4, apart[i]);
        }
    }
    return true;
}
