#ifndef CTINTYPE_JPEG_H
#define CTINTYPE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A fence around libjpeg, which reports errors by longjmp: every function here
// catches its own and returns a status, so that no jump crosses a Swift frame.
//
// Invariant: nothing here is thread-safe. A reader (of either kind) belongs to
// one thread at a time; it may move between threads, never be shared by them.
//
// Pixels are 8-bit RGBA, alpha 255, rows top to bottom, `stride` bytes apart
// (at least 4 * width). Exif orientation is reported, never applied.

/// What a call came to.
typedef enum __attribute__((enum_extensibility(closed))) tintype_jpeg_status {
    /// It did what was asked.
    TINTYPE_JPEG_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes given are a prefix that ends too early for this call.
    TINTYPE_JPEG_NEEDS_MORE __attribute__((swift_name("needsMore"))) = 1,
    /// Incremental reading only: the whole picture has been taken in.
    TINTYPE_JPEG_ENDED __attribute__((swift_name("ended"))) = 2,
    /// The bytes are not a JPEG, or are damaged.
    TINTYPE_JPEG_CORRUPT __attribute__((swift_name("corrupt"))) = 3,
    /// The bytes end before the picture does.
    TINTYPE_JPEG_TRUNCATED __attribute__((swift_name("truncated"))) = 4,
    /// A JPEG of a kind libjpeg cannot decode (lossless, 12-bit, two components, ...).
    TINTYPE_JPEG_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 5,
    /// A limit given at creation would be exceeded.
    TINTYPE_JPEG_LIMIT __attribute__((swift_name("limit"))) = 6,
    /// Memory ran out.
    TINTYPE_JPEG_MEMORY __attribute__((swift_name("memory"))) = 7,
    /// The cancel hook said so.
    TINTYPE_JPEG_CANCELLED __attribute__((swift_name("cancelled"))) = 8,
    /// The call came out of order, or an argument is out of range.
    TINTYPE_JPEG_MISUSE __attribute__((swift_name("misuse"))) = 9,
} tintype_jpeg_status;

/// How the stored samples spell colour.
typedef enum __attribute__((enum_extensibility(closed))) tintype_jpeg_color {
    TINTYPE_JPEG_COLOR_GREY __attribute__((swift_name("grey"))) = 1,
    TINTYPE_JPEG_COLOR_YCBCR __attribute__((swift_name("yCbCr"))) = 2,
    TINTYPE_JPEG_COLOR_RGB __attribute__((swift_name("rgb"))) = 3,
    TINTYPE_JPEG_COLOR_CMYK __attribute__((swift_name("cmyk"))) = 4,
    TINTYPE_JPEG_COLOR_YCCK __attribute__((swift_name("ycck"))) = 5,
} tintype_jpeg_color;

/// What a picture's header says.
typedef struct tintype_jpeg_header {
    /// Pixels as stored, before orientation.
    uint32_t width;
    uint32_t height;
    /// Components of a pixel, 1...4.
    uint32_t components;
    tintype_jpeg_color color;
    /// Bits of a component; always 8 in a picture that opens.
    uint8_t bits;
    /// 1...8 as stored in the Exif segment; 0 when absent or out of that range.
    uint8_t exif_orientation;
    bool is_progressive;
    bool has_icc_profile;
} tintype_jpeg_header;

/// Bounds on what a file may cost. The zero value sets none.
typedef struct tintype_jpeg_limits {
    /// Scans a file may have; 0 for any number.
    uint32_t max_scans;
    /// Bytes for the coefficients of a file of many scans, and for the rows an
    /// incremental reader keeps; 0 for any number.
    size_t max_memory_bytes;
} tintype_jpeg_limits;

/// What a file is made of, as far as its markers tell.
typedef struct tintype_jpeg_survey {
    /// Bytes of all segments of Exif, and of the colour profile, whose pieces are in several.
    size_t exif_bytes;
    size_t profile_bytes;
    uint32_t scans;
} tintype_jpeg_survey;

/// Walks the markers of a file or its beginning, to the end of the scans or until there are more than `max_scans`.
/// Nothing is decoded or kept. Where one scan is all, nothing after its header is read.
tintype_jpeg_survey tintype_jpeg_survey_file(const uint8_t *bytes, size_t count, uint32_t max_scans);

/// Asked between rows and scans whether to give up; must return normally.
typedef bool (*tintype_jpeg_cancel_hook)(void *_Nullable context);

// MARK: Reading a whole picture: open, start, read_rows until all rows are read, finish.
// A status other than OK and MISUSE closes the picture; open again to start over.

typedef struct tintype_jpeg_reader tintype_jpeg_reader;

/// Makes a reader; null when memory ran out. `context` is handed to the hook.
tintype_jpeg_reader *_Nullable tintype_jpeg_reader_create(
    tintype_jpeg_limits limits, tintype_jpeg_cancel_hook _Nullable is_cancelled, void *_Nullable context);

/// Frees a reader, in whatever state it is.
void tintype_jpeg_reader_destroy(tintype_jpeg_reader *_Nullable reader);

/// Lets reading go on past damage, for a partial picture: the damage is then
/// told by `finish` alone. For the next `start`s; off at first.
void tintype_jpeg_reader_set_tolerates_damage(tintype_jpeg_reader *reader, bool tolerates);

/// Whether a picture of inks is read as CMYK, where 255 is all of an ink, rather than made RGBA without a profile. Not by
/// default.
void tintype_jpeg_reader_set_keeps_inks(tintype_jpeg_reader *reader, bool keeps);

/// Reads the header, forgetting any picture opened before. The bytes stay the
/// caller's and must outlive the reading of the picture.
///
/// - OK: `header` is filled.
/// - NEEDS_MORE: the bytes are not complete and end within the header; open
///   again, from the first byte, with more.
/// - CORRUPT, TRUNCATED, UNSUPPORTED, MEMORY.
tintype_jpeg_status tintype_jpeg_reader_open(
    tintype_jpeg_reader *reader, const uint8_t *bytes, size_t count, bool is_complete,
    tintype_jpeg_header *header);

/// Readies the opened picture for its rows, scaled to `scale_eighths`/8
/// (1...8), and tells the scaled size in pixels. A picture of many scans is
/// taken in here, all of it.
///
/// - OK, LIMIT, CANCELLED, CORRUPT, TRUNCATED, UNSUPPORTED, MEMORY.
/// - NEEDS_MORE: the bytes opened were a prefix; open again with more.
/// - MISUSE: nothing is open, or the scale is out of range.
tintype_jpeg_status tintype_jpeg_reader_start(
    tintype_jpeg_reader *reader, uint32_t scale_eighths, uint32_t *width, uint32_t *height);

/// Reads the next rows into `dest`, `max_rows` at most.
///
/// - OK: `rows_read` rows are there; fewer than `max_rows` only at the
///   picture's end.
/// - CORRUPT or TRUNCATED: the first damage has been met.
/// - NEEDS_MORE: the bytes opened were a prefix; `rows_read` rows are there.
/// - CANCELLED, MEMORY; MISUSE: not started, or `stride` is too small.
tintype_jpeg_status tintype_jpeg_reader_read_rows(
    tintype_jpeg_reader *reader, uint8_t *dest, size_t stride, uint32_t max_rows, uint32_t *rows_read);

/// Ends a picture whose rows have all been read, telling whether it was whole.
///
/// - OK: whole. An end marker alone may be missing, if every coefficient is known
///   to be there.
/// - CORRUPT or TRUNCATED: it was not, and the reader may have tolerated that.
/// - NEEDS_MORE: the bytes opened were a prefix.
/// - MISUSE: rows are left to read.
tintype_jpeg_status tintype_jpeg_reader_finish(tintype_jpeg_reader *reader);

/// What went wrong, in libjpeg's words where it has some; empty if nothing did.
/// Valid until the reader's next call.
const char *tintype_jpeg_reader_message(const tintype_jpeg_reader *reader);

// MARK: Previewing a picture while its bytes arrive: append, read_header, start,
// then append, advance and preview as often as wanted.

typedef struct tintype_jpeg_incremental tintype_jpeg_incremental;

/// Makes an incremental reader; null when memory ran out.
tintype_jpeg_incremental *_Nullable tintype_jpeg_incremental_create(tintype_jpeg_limits limits);

/// Frees an incremental reader, in whatever state it is.
void tintype_jpeg_incremental_destroy(tintype_jpeg_incremental *_Nullable incremental);

/// Copies the next bytes of the file, dropping those already used.
///
/// - OK, MEMORY.
tintype_jpeg_status tintype_jpeg_incremental_append(
    tintype_jpeg_incremental *incremental, const uint8_t *bytes, size_t count);

/// Reads the header from the bytes appended so far.
///
/// - OK: `header` is filled, and will be again on every later call.
/// - NEEDS_MORE: append more and ask again.
/// - CORRUPT, UNSUPPORTED, MEMORY: there will be no previews. Arithmetic coding
///   counts as unsupported here, though the other reader decodes it.
tintype_jpeg_status tintype_jpeg_incremental_read_header(
    tintype_jpeg_incremental *incremental, tintype_jpeg_header *header);

/// Readies the previews, scaled to `scale_eighths`/8 (1...8), and tells their
/// size in pixels. Memory for the picture is taken here, once its header could
/// be looked at.
///
/// - OK, LIMIT, MEMORY, UNSUPPORTED, CORRUPT.
/// - MISUSE: the header is not read, `start` came before, or the scale is out of range.
tintype_jpeg_status tintype_jpeg_incremental_start(
    tintype_jpeg_incremental *incremental, uint32_t scale_eighths, uint32_t *width, uint32_t *height);

/// Decodes from the bytes appended so far, for a bounded time: to the end of a
/// scan at most, or a few million pixels. `changed` tells whether a preview now
/// shows more than before this call: another whole scan, or more rows.
///
/// - OK: there may be more to do with these bytes; call again.
/// - NEEDS_MORE: these bytes are used up; append more.
/// - ENDED: previews show the whole picture (which has not been verified).
/// - CORRUPT, LIMIT, MEMORY: decoding stopped for good; every later call says so.
/// - MISUSE: not started.
tintype_jpeg_status tintype_jpeg_incremental_advance(tintype_jpeg_incremental *incremental, bool *changed);

/// Draws what is known so far, at the size `start` told.
///
/// With many scans: the picture as of the last whole scan, the rows refined by
/// the scan now arriving shown refined (none, right after `advance` told of a
/// change). With one scan: the rows decoded so far; the rows below
/// `rows_valid` are cleared to transparent.
///
/// - OK: `dest` is filled and its first `rows_valid` rows show the picture.
/// - NEEDS_MORE: there is nothing to show yet.
/// - CORRUPT, LIMIT, MEMORY: decoding a picture of many scans has failed.
/// - MISUSE: not started, or `stride` is too small.
tintype_jpeg_status tintype_jpeg_incremental_preview(
    tintype_jpeg_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid);

/// As `tintype_jpeg_reader_message`.
const char *tintype_jpeg_incremental_message(const tintype_jpeg_incremental *incremental);

// MARK: Writing.

/// Encodes 8-bit RGBA, leaving alpha out, as a YCbCr JPEG with optimal Huffman tables.
/// `quality` is 1...100; `full_chroma` keeps colour at full resolution (4:4:4,
/// otherwise 4:2:0).
///
/// - OK: `out` holds `out_count` bytes, to be freed by `tintype_jpeg_free`.
/// - UNSUPPORTED: a side is longer than a JPEG can be; MEMORY.
/// - MISUSE: an argument is out of range.
///
/// Otherwise `out` is null and `message` holds the reason, cut to `message_size`.
tintype_jpeg_status tintype_jpeg_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, int quality, bool progressive,
    bool full_chroma, uint8_t *_Nullable *_Nonnull out, size_t *out_count, char *message, size_t message_size);

/// Frees what `tintype_jpeg_encode` made.
void tintype_jpeg_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
