#ifndef CTINTYPE_TIFF_H
#define CTINTYPE_TIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A narrow way to libtiff, which reports what is wrong through handlers with
// variable arguments, that Swift cannot be called with.
//
// Invariant: nothing here is thread-safe. A reader belongs to one thread at a time.

/// What a call came to.
typedef enum __attribute__((enum_extensibility(closed))) tintype_tiff_status {
    TINTYPE_TIFF_OK __attribute__((swift_name("ok"))) = 0,
    /// The file is damaged or cut short.
    TINTYPE_TIFF_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    /// A kind of picture that libtiff does not bring to 8-bit colours.
    TINTYPE_TIFF_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 2,
    TINTYPE_TIFF_MEMORY __attribute__((swift_name("memory"))) = 3,
} tintype_tiff_status;

// MARK: Reading

typedef struct tintype_tiff_reader tintype_tiff_reader;

/// What a file says of its first picture.
typedef struct tintype_tiff_header {
    uint32_t width;
    uint32_t height;
    /// 1...8; 1 when absent or out of that range.
    uint8_t orientation;
    bool has_alpha;
    /// Rows that are compressed together, at most the height.
    uint32_t rows_per_batch;
    /// Bits of a stored sample.
    uint8_t bits;
    bool is_grey;
    /// A colour profile, which lives as long as the reader; null where there is none.
    const uint8_t *_Nullable profile;
    uint32_t profile_bytes;
    /// Pixels an inch; 0 where nothing is said.
    double density_across;
    double density_down;
} tintype_tiff_header;

/// Opens a whole file and reads the first of its directories. The bytes stay the caller's and must outlive the reader.
/// libtiff makes no single allocation of more than `max_allocation` bytes.
tintype_tiff_status tintype_tiff_open(
    const uint8_t *bytes, size_t count, size_t max_allocation, tintype_tiff_header *header,
    tintype_tiff_reader *_Nullable *_Nonnull reader, char *message, size_t message_size);

void tintype_tiff_close(tintype_tiff_reader *_Nullable reader);

/// What went wrong, in libtiff's words; valid until the next call.
const char *tintype_tiff_message(const tintype_tiff_reader *reader);

/// Readies the pixels: OK, UNSUPPORTED or MEMORY.
tintype_tiff_status tintype_tiff_start(tintype_tiff_reader *reader);

/// Decodes `count` rows from `first` on, as stored, to 8-bit RGBA premultiplied by alpha, `stride` bytes a row.
///
/// `first` is a multiple of `rows_per_batch`; so is `count`, unless the picture ends there. `scratch` holds
/// 4 * width * count bytes. What libtiff warns of while it decodes is damage: the rows stay as they were, or are cleared.
tintype_tiff_status tintype_tiff_read_rows(
    tintype_tiff_reader *reader, uint32_t first, uint32_t count, uint32_t *scratch, uint8_t *dest, size_t stride);

/// What pixels of four samples of 16 bits are.
typedef enum __attribute__((enum_extensibility(closed))) tintype_tiff_kind {
    /// Straight RGBA.
    TINTYPE_TIFF_COLORS __attribute__((swift_name("colors"))) = 0,
    /// Cyan, magenta, yellow and black; 65535 is all of an ink.
    TINTYPE_TIFF_INKS __attribute__((swift_name("inks"))) = 1,
} tintype_tiff_kind;

/// Readies pixels of 16-bit samples instead: OK, or UNSUPPORTED where the picture is neither of 16 bits nor of inks.
tintype_tiff_status tintype_tiff_start_samples(tintype_tiff_reader *reader, tintype_tiff_kind *kind);

/// As `tintype_tiff_read_rows`, as pixels of four 16-bit samples without padding.
tintype_tiff_status tintype_tiff_read_samples(
    tintype_tiff_reader *reader, uint32_t first, uint32_t count, uint16_t *dest);

// MARK: Writing

/// Encodes 8-bit RGBA premultiplied by alpha, `stride` bytes a row, with Deflate and differences across: RGB alone where
/// `is_opaque`, with associated alpha otherwise. `*out` is released with `tintype_tiff_free`.
tintype_tiff_status tintype_tiff_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, bool is_opaque,
    uint8_t *_Nullable *_Nonnull out, size_t *out_count, char *message, size_t message_size);

void tintype_tiff_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
