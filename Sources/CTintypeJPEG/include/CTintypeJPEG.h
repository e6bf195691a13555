#ifndef CTINTYPE_JPEG_H
#define CTINTYPE_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A fence around libjpeg, which reports errors by longjmp: every function here catches its own and returns a status, so
// that no jump crosses a Swift frame.
//
// Invariant: nothing here is thread-safe. One thread at a time may use a reader of either kind; a reader may move
// between threads.
//
// Pixels are 8-bit RGBA with an alpha of 255, rows from top to bottom, `stride` bytes apart (at least 4 * width). Exif
// orientation is reported, never applied.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_jpeg_status {
    /// The call succeeded.
    TINTYPE_JPEG_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes given are a prefix that ends too early for this call.
    TINTYPE_JPEG_NEEDS_MORE __attribute__((swift_name("needsMore"))) = 1,
    /// Incremental reading only: the whole image has been read.
    TINTYPE_JPEG_ENDED __attribute__((swift_name("ended"))) = 2,
    /// The bytes are not a JPEG, or are damaged.
    TINTYPE_JPEG_CORRUPT __attribute__((swift_name("corrupt"))) = 3,
    /// The bytes end before the image does.
    TINTYPE_JPEG_TRUNCATED __attribute__((swift_name("truncated"))) = 4,
    /// A JPEG of a kind libjpeg cannot decode (lossless, 12-bit, two components, ...).
    TINTYPE_JPEG_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 5,
    /// A limit given at creation would be exceeded.
    TINTYPE_JPEG_LIMIT __attribute__((swift_name("limit"))) = 6,
    /// Memory ran out.
    TINTYPE_JPEG_MEMORY __attribute__((swift_name("memory"))) = 7,
    /// The cancel hook returned true.
    TINTYPE_JPEG_CANCELLED __attribute__((swift_name("cancelled"))) = 8,
    /// The call came out of order, or an argument is out of range.
    TINTYPE_JPEG_MISUSE __attribute__((swift_name("misuse"))) = 9,
} tintype_jpeg_status;

/// The colour model of the stored samples.
typedef enum __attribute__((enum_extensibility(closed))) tintype_jpeg_color {
    TINTYPE_JPEG_COLOR_GREY __attribute__((swift_name("grey"))) = 1,
    TINTYPE_JPEG_COLOR_YCBCR __attribute__((swift_name("yCbCr"))) = 2,
    TINTYPE_JPEG_COLOR_RGB __attribute__((swift_name("rgb"))) = 3,
    TINTYPE_JPEG_COLOR_CMYK __attribute__((swift_name("cmyk"))) = 4,
    TINTYPE_JPEG_COLOR_YCCK __attribute__((swift_name("ycck"))) = 5,
} tintype_jpeg_color;

/// The contents of an image's header.
typedef struct tintype_jpeg_header {
    /// The stored size in pixels, before orientation.
    uint32_t width;
    uint32_t height;
    /// The number of components per pixel, 1...4.
    uint32_t components;
    tintype_jpeg_color color;
    /// The number of bits per component; always 8 in an image that opens.
    uint8_t bits;
    /// The orientation as stored in the Exif segment, 1...8; 0 if absent or out of range.
    uint8_t exif_orientation;
    /// Whether libjpeg keeps the coefficients of the whole image: it is progressive, or its first scan lacks
    /// components.
    bool needs_coefficients;
    bool has_icc_profile;
} tintype_jpeg_header;

/// Limits on the cost of a file. The zero value sets none.
typedef struct tintype_jpeg_limits {
    /// The largest number of scans; 0 means no limit.
    uint32_t max_scans;
    /// The largest number of bytes for the coefficients of a file with several scans, and for the rows that an
    /// incremental reader keeps; 0 means no limit.
    size_t max_memory_bytes;
} tintype_jpeg_limits;

/// The damage past which reading continues.
typedef enum __attribute__((enum_extensibility(closed))) tintype_jpeg_tolerance {
    /// None: the first damage ends the reading.
    TINTYPE_JPEG_TOLERATES_NOTHING __attribute__((swift_name("nothing"))) = 0,
    /// Damage in a complete file after a whole pass: after the first of several scans or, in a single scan, after the
    /// first row of blocks.
    TINTYPE_JPEG_TOLERATES_MINOR_DAMAGE __attribute__((swift_name("minorDamage"))) = 1,
    /// All damage.
    TINTYPE_JPEG_TOLERATES_ALL __attribute__((swift_name("all"))) = 2,
} tintype_jpeg_tolerance;

/// The sizes of a file's parts, as far as its markers tell.
typedef struct tintype_jpeg_survey {
    /// The bytes of all Exif segments, and of the colour profile, which may span several segments.
    size_t exif_bytes;
    size_t profile_bytes;
    uint32_t scans;
} tintype_jpeg_survey;

/// Walks the markers of a file or a prefix, up to the end of the scans or until there are more than `max_scans`.
/// Nothing is decoded or kept. If the image has only one scan, nothing after that scan's header is read.
tintype_jpeg_survey tintype_jpeg_survey_file(const uint8_t *bytes, size_t count, uint32_t max_scans);

/// Called between rows and scans. Returns true to cancel; must return normally.
typedef bool (*tintype_jpeg_cancel_hook)(void *_Nullable context);

// MARK: Proving wholeness

/// Reads all codes of a complete file up to its end marker, without reconstructing pixels or coefficients: two to three
/// times as fast as decoding a progressive file at the smallest scale. The hook is asked between segments and every
/// sixteen rows.
///
/// Returns true if it is certain that the functions below read the whole image at any scale without errors or damage.
/// If false, only they can tell: the file is damaged, or has an oddity or a feature that is not examined here, or the
/// hook returned true, or memory ran out.
///
/// Takes 8 bytes of memory for each block of a progressive image; the caller checks its size and its number of scans
/// first.
bool tintype_jpeg_is_surely_whole(
    const uint8_t *bytes, size_t count, tintype_jpeg_cancel_hook _Nullable is_cancelled, void *_Nullable context);

// MARK: Reading a whole image: open, start, read_rows until all rows are read, finish.
// A status other than OK and MISUSE closes the image; open again to start over.

typedef struct tintype_jpeg_reader tintype_jpeg_reader;

/// Creates a reader; null if memory runs out. `context` is passed to the hook.
tintype_jpeg_reader *_Nullable tintype_jpeg_reader_create(
    tintype_jpeg_limits limits, tintype_jpeg_cancel_hook _Nullable is_cancelled, void *_Nullable context);

/// Frees a reader in any state.
void tintype_jpeg_reader_destroy(tintype_jpeg_reader *_Nullable reader);

/// Makes reading continue past damage that is tolerated; only `finish` then reports it. Applies to images that are
/// opened later; by default, nothing is tolerated.
void tintype_jpeg_reader_set_tolerance(tintype_jpeg_reader *reader, tintype_jpeg_tolerance tolerance);

/// Sets whether a CMYK image is read as CMYK, where 255 is full ink, instead of RGBA made without a profile. Off by
/// default.
void tintype_jpeg_reader_set_keeps_inks(tintype_jpeg_reader *reader, bool keeps);

/// Reads the header, and closes any image opened before. The bytes stay the caller's and must outlive the reading of
/// the image.
///
/// - OK: `header` is filled.
/// - NEEDS_MORE: the bytes are incomplete and end within the header; open again, from the first byte, with more.
/// - CORRUPT, TRUNCATED, UNSUPPORTED, MEMORY.
tintype_jpeg_status tintype_jpeg_reader_open(
    tintype_jpeg_reader *reader, const uint8_t *bytes, size_t count, bool is_complete,
    tintype_jpeg_header *header);

/// Prepares the reading of rows at `scale_eighths`/8 (1...8) of the stored size, and returns the scaled size in pixels.
/// Reads all scans of an image that has several.
///
/// - OK, LIMIT, CANCELLED, CORRUPT, TRUNCATED, UNSUPPORTED, MEMORY.
/// - NEEDS_MORE: the bytes opened were a prefix; open again with more.
/// - MISUSE: nothing is open, or the scale is out of range.
tintype_jpeg_status tintype_jpeg_reader_start(
    tintype_jpeg_reader *reader, uint32_t scale_eighths, uint32_t *width, uint32_t *height);

/// Reads the next rows into `dest`, at most `max_rows`.
///
/// - OK: `rows_read` rows are written; fewer than `max_rows` only at the end of the image.
/// - CORRUPT or TRUNCATED: the first damage was met.
/// - NEEDS_MORE: the bytes opened were a prefix; `rows_read` rows are written.
/// - CANCELLED, MEMORY; MISUSE: not started, or `stride` is too small.
tintype_jpeg_status tintype_jpeg_reader_read_rows(
    tintype_jpeg_reader *reader, uint8_t *dest, size_t stride, uint32_t max_rows, uint32_t *rows_read);

/// Ends an image whose rows have all been read, and reports whether it was complete.
///
/// - OK: complete; `is_damaged` is set to whether damage was tolerated. The end marker alone may be missing if all
///   coefficients are known to be present.
/// - CORRUPT or TRUNCATED: incomplete.
/// - NEEDS_MORE: the bytes opened were a prefix.
/// - MISUSE: rows are left to read.
tintype_jpeg_status tintype_jpeg_reader_finish(tintype_jpeg_reader *reader, bool *is_damaged);

/// Returns the error message, in libjpeg's words if it has some; empty without an error. Valid until the reader's next
/// call.
const char *tintype_jpeg_reader_message(const tintype_jpeg_reader *reader);

// MARK: Previewing an image while its bytes arrive
//
// Call append, read_header and start, then append, advance and preview as often as needed.

typedef struct tintype_jpeg_incremental tintype_jpeg_incremental;

/// Creates an incremental reader; null if memory runs out.
tintype_jpeg_incremental *_Nullable tintype_jpeg_incremental_create(tintype_jpeg_limits limits);

/// Frees an incremental reader in any state.
void tintype_jpeg_incremental_destroy(tintype_jpeg_incremental *_Nullable incremental);

/// Appends a copy of the next bytes of the file, and drops the bytes already used.
///
/// - OK, MEMORY.
tintype_jpeg_status tintype_jpeg_incremental_append(
    tintype_jpeg_incremental *incremental, const uint8_t *bytes, size_t count);

/// Reads the header from the bytes appended so far.
///
/// - OK: `header` is filled, also by later calls.
/// - NEEDS_MORE: append more and call again.
/// - CORRUPT, UNSUPPORTED, MEMORY: there will be no previews. Arithmetic coding is unsupported here, although the other
///   reader decodes it.
tintype_jpeg_status tintype_jpeg_incremental_read_header(
    tintype_jpeg_incremental *incremental, tintype_jpeg_header *header);

/// Prepares previews at `scale_eighths`/8 (1...8) of the stored size, and returns their size in pixels. This call
/// allocates the memory for the image, so the caller can check its header before.
///
/// - OK, LIMIT, MEMORY, UNSUPPORTED, CORRUPT.
/// - MISUSE: the header was not read, `start` was called before, or the scale is out of range.
tintype_jpeg_status tintype_jpeg_incremental_start(
    tintype_jpeg_incremental *incremental, uint32_t scale_eighths, uint32_t *width, uint32_t *height);

/// Decodes from the bytes appended so far, for a bounded time: at most to the end of a scan, or a few million pixels.
/// `changed` is set to whether a preview now shows more than before this call: another complete scan, or more rows.
///
/// - OK: there may be more to decode; call again.
/// - NEEDS_MORE: all bytes are used; append more.
/// - ENDED: previews show the whole image, which has not been verified.
/// - CORRUPT, LIMIT, MEMORY: decoding ended for good; later calls return the same.
/// - MISUSE: not started.
tintype_jpeg_status tintype_jpeg_incremental_advance(tintype_jpeg_incremental *incremental, bool *changed);

/// Draws the image as received so far, at the size that `start` returned.
///
/// With several scans: the image as of the last complete scan, with the rows that the arriving scan has refined (none
/// directly after `advance` reported a change). With one scan: the rows decoded so far; rows from `rows_valid` on are
/// cleared to transparent.
///
/// - OK: `dest` is filled and its first `rows_valid` rows show the image.
/// - NEEDS_MORE: there is nothing to show yet.
/// - CORRUPT, LIMIT, MEMORY: decoding an image of several scans failed.
/// - MISUSE: not started, or `stride` is too small.
tintype_jpeg_status tintype_jpeg_incremental_preview(
    tintype_jpeg_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid);

/// Like `tintype_jpeg_reader_message`.
const char *tintype_jpeg_incremental_message(const tintype_jpeg_incremental *incremental);

// MARK: Writing.

/// The settings of an encoding.
typedef struct tintype_jpeg_settings {
    /// 1...100.
    int quality;
    /// Whether the file has several scans, each of which refines the whole image.
    bool is_progressive;
    /// Whether only the brightness is stored, in one component.
    bool is_grey;
    /// The number of pixels that share a colour difference in each direction: 1 or 2.
    int chroma_across;
    int chroma_down;
} tintype_jpeg_settings;

/// Encodes 8-bit RGBA without its alpha as a YCbCr or grey JPEG with optimal Huffman tables.
///
/// - OK: `out` holds `out_count` bytes, to be freed by `tintype_jpeg_free`.
/// - UNSUPPORTED: a side exceeds JPEG's maximum; MEMORY.
/// - MISUSE: an argument is out of range.
///
/// Otherwise `out` is null and `message` holds the reason, truncated to `message_size` bytes.
tintype_jpeg_status tintype_jpeg_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, tintype_jpeg_settings settings,
    uint8_t *_Nullable *_Nonnull out, size_t *out_count, char *message, size_t message_size);

/// Frees the output of `tintype_jpeg_encode`.
void tintype_jpeg_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
