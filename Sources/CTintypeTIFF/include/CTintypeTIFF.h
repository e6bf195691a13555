#ifndef CTINTYPE_TIFF_H
#define CTINTYPE_TIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A narrow interface to libtiff, which reports errors through handlers with variable arguments, which Swift cannot
// define.
//
// Invariant: nothing here is thread-safe. One thread at a time may use a reader.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_tiff_status {
    TINTYPE_TIFF_OK __attribute__((swift_name("ok"))) = 0,
    /// The file is damaged or truncated.
    TINTYPE_TIFF_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    /// A kind of image that libtiff cannot convert to 8-bit colours, or a compression whose memory nothing bounds.
    TINTYPE_TIFF_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 2,
    TINTYPE_TIFF_MEMORY __attribute__((swift_name("memory"))) = 3,
} tintype_tiff_status;

// MARK: Reading

typedef struct tintype_tiff_reader tintype_tiff_reader;

/// The contents of the first image's directory.
typedef struct tintype_tiff_header {
    uint32_t width;
    uint32_t height;
    /// 1...8; 1 if absent or out of range.
    uint8_t orientation;
    bool has_alpha;
    /// Whether there are samples after the four inks of CMYK. libtiff ignores or refuses them.
    bool has_extra_inks;
    /// The number of rows that are compressed together, at most the height.
    uint32_t rows_per_batch;
    /// The number of bytes of a decoded strip or tile, in all planes.
    uint64_t piece_bytes;
    /// The number of bits of a stored sample.
    uint8_t bits;
    bool is_grey;
    /// The colour profile, which lives as long as the reader; null if there is none.
    const uint8_t *_Nullable profile;
    uint32_t profile_bytes;
    /// Pixels per inch; 0 if the file states none.
    double density_across;
    double density_down;
} tintype_tiff_header;

/// Opens a complete file and reads its first directory. The bytes stay the caller's and must outlive the reader.
/// libtiff makes no single allocation of more than `max_allocation` bytes.
tintype_tiff_status tintype_tiff_open(
    const uint8_t *bytes, size_t count, size_t max_allocation, tintype_tiff_header *header,
    tintype_tiff_reader *_Nullable *_Nonnull reader, char *message, size_t message_size);

void tintype_tiff_close(tintype_tiff_reader *_Nullable reader);

/// Whether rows of a fax that were read so far were damaged. Those after them are right.
bool tintype_tiff_has_damaged_rows(const tintype_tiff_reader *reader);

/// Returns the error message in libtiff's words; valid until the next call.
const char *tintype_tiff_message(const tintype_tiff_reader *reader);

/// Prepares the reading of rows. Returns OK, UNSUPPORTED or MEMORY.
tintype_tiff_status tintype_tiff_start(tintype_tiff_reader *reader);

/// Decodes `count` rows from `first` on, as stored, to 8-bit premultiplied RGBA, with rows `stride` bytes apart.
/// `first` is a multiple of `rows_per_batch`; so is `count`, unless the image ends there. `scratch` holds 4 * width *
/// count bytes. A warning of libtiff while it decodes counts as damage: the rows then stay unchanged or are cleared.
tintype_tiff_status tintype_tiff_read_rows(
    tintype_tiff_reader *reader, uint32_t first, uint32_t count, uint32_t *scratch, uint8_t *dest, size_t stride);

/// The meaning of four 16-bit samples per pixel.
typedef enum __attribute__((enum_extensibility(closed))) tintype_tiff_kind {
    /// Straight RGBA.
    TINTYPE_TIFF_COLORS __attribute__((swift_name("colors"))) = 0,
    /// Cyan, magenta, yellow and black; 65535 is full ink.
    TINTYPE_TIFF_INKS __attribute__((swift_name("inks"))) = 1,
    /// L*, a*, b* and alpha, in the 16 bits of ICC.1:2022, table 12.
    TINTYPE_TIFF_LAB __attribute__((swift_name("lab"))) = 2,
} tintype_tiff_kind;

/// Prepares the reading of 16-bit samples instead. Returns OK, or UNSUPPORTED unless the image has samples of 9 to 16
/// or 32 bits, signed ones or floating-point numbers, or is CMYK, CIELab, grey with alpha in tiles, or has a palette
/// and alpha. Floating-point samples are limited to 0…1.
tintype_tiff_status tintype_tiff_start_samples(tintype_tiff_reader *reader, tintype_tiff_kind *kind);

/// Like `tintype_tiff_read_rows`, with pixels of four 16-bit samples and no padding. If the header of an image of inks
/// has alpha, that goes to `alpha`, unless it is null; otherwise, that stays unchanged.
tintype_tiff_status tintype_tiff_read_samples(
    tintype_tiff_reader *reader, uint32_t first, uint32_t count, uint16_t *dest, uint16_t *_Nullable alpha);

// MARK: Writing

/// The samples of a file to write.
typedef struct tintype_tiff_layout {
    /// 8 or 16.
    int bits;
    /// Whether red alone is stored, for red, green and blue that are equal.
    bool is_grey;
    /// Whether alpha is left out.
    bool is_opaque;
    /// The level of Deflate, 1 to 9.
    int level;
} tintype_tiff_layout;

/// Encodes straight RGBA of 8 bits, or of 16 in the machine's byte order, with rows `stride` bytes apart, using Deflate
/// and horizontal differencing. Alpha is stored straight. Free `*out` with `tintype_tiff_free`.
tintype_tiff_status tintype_tiff_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, tintype_tiff_layout layout,
    uint8_t *_Nullable *_Nonnull out, size_t *out_count, char *message, size_t message_size);

void tintype_tiff_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
