#ifndef CTINTYPE_PNG_H
#define CTINTYPE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A fence around libpng, which reports errors by longjmp: every function here catches its own and returns a status, so
// that no jump crosses a Swift frame.
//
// Invariant: nothing here is thread-safe. One thread at a time may use a reader; a reader may move between threads.
//
// Pixels are 8-bit RGBA with straight alpha, rows from top to bottom, `stride` bytes apart (at least 4 * width). Exif
// orientation is reported, never applied. The pixels of an animation are those of its default image.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_png_status {
    /// The call succeeded.
    TINTYPE_PNG_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes given are a prefix that ends too early for this call.
    TINTYPE_PNG_NEEDS_MORE __attribute__((swift_name("needsMore"))) = 1,
    /// The bytes are not a PNG, or are damaged.
    TINTYPE_PNG_CORRUPT __attribute__((swift_name("corrupt"))) = 3,
    /// The bytes end before the image does.
    TINTYPE_PNG_TRUNCATED __attribute__((swift_name("truncated"))) = 4,
    /// A relative of PNG that libpng cannot decode (Apple's CgBI), or a size that it cannot write.
    TINTYPE_PNG_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 5,
    /// A limit given at creation would be exceeded.
    TINTYPE_PNG_LIMIT __attribute__((swift_name("limit"))) = 6,
    /// Memory ran out.
    TINTYPE_PNG_MEMORY __attribute__((swift_name("memory"))) = 7,
    /// The cancel hook returned true.
    TINTYPE_PNG_CANCELLED __attribute__((swift_name("cancelled"))) = 8,
    /// The call came out of order, or an argument is out of range.
    TINTYPE_PNG_MISUSE __attribute__((swift_name("misuse"))) = 9,
} tintype_png_status;

/// The colour model of the stored samples; the numbers are the format's.
typedef enum __attribute__((enum_extensibility(closed))) tintype_png_color {
    TINTYPE_PNG_COLOR_GREY __attribute__((swift_name("grey"))) = 0,
    TINTYPE_PNG_COLOR_RGB __attribute__((swift_name("rgb"))) = 2,
    TINTYPE_PNG_COLOR_PALETTE __attribute__((swift_name("palette"))) = 3,
    TINTYPE_PNG_COLOR_GREY_ALPHA __attribute__((swift_name("greyAlpha"))) = 4,
    TINTYPE_PNG_COLOR_RGB_ALPHA __attribute__((swift_name("rgbAlpha"))) = 6,
} tintype_png_color;

/// The limit that a file exceeds.
typedef enum __attribute__((enum_extensibility(closed))) tintype_png_bound {
    TINTYPE_PNG_BOUND_NONE __attribute__((swift_name("none"))) = 0,
    TINTYPE_PNG_BOUND_PROFILE __attribute__((swift_name("profile"))) = 1,
    TINTYPE_PNG_BOUND_EXIF __attribute__((swift_name("exif"))) = 2,
} tintype_png_bound;

/// The contents of the chunks before the pixels.
typedef struct tintype_png_header {
    /// The stored size in pixels, before orientation; each side is at most 2^31 - 1.
    uint32_t width;
    uint32_t height;
    /// The numbers of frames and of plays of an animation; 0 plays are endless. Both are 0 in a still image.
    uint32_t frame_count;
    uint32_t play_count;
    tintype_png_color color;
    /// The number of bits of a stored sample or palette index: 1, 2, 4, 8 or 16.
    uint8_t bit_depth;
    /// The orientation as stored in an eXIf chunk, 1...8; 0 if absent or out of range.
    uint8_t exif_orientation;
    bool is_interlaced;
    /// Whether pixels may be other than opaque, by the colour type or a tRNS chunk.
    bool has_alpha;
    bool has_icc_profile;
    bool has_gamma;
    bool has_srgb;
    /// Whether a frame control chunk precedes the default image, which is then the first frame.
    bool has_frame_in_default_image;
    /// Whether the chunk with the number of frames is invalid or repeated, or another number of frames is there. The
    /// count is then that of the first valid chunk, at most the number of frames that are there.
    bool has_wrong_frame_count;
    /// After LIMIT, the limit exceeded; none if it was libpng's own.
    tintype_png_bound exceeded;
} tintype_png_header;

/// Limits on the cost of a file. The zero value sets none.
typedef struct tintype_png_limits {
    /// The largest compressed colour profile in bytes; 0 means no limit.
    size_t max_profile_bytes;
    /// The largest Exif data in bytes; 0 means no limit.
    size_t max_exif_bytes;
    /// The number of ancillary chunks that libpng may keep; 0 means no limit.
    uint32_t max_cached_chunks;
} tintype_png_limits;

/// Called between rows. Returns true to cancel; must return normally.
typedef bool (*tintype_png_cancel_hook)(void *_Nullable context);

// MARK: Reading: open, start, then read_rows until all rows are read, or read_image, then finish.
// A status other than OK and MISUSE closes the image; open again to start over.

typedef struct tintype_png_reader tintype_png_reader;

/// Creates a reader; null if memory runs out. `context` is passed to the hook.
tintype_png_reader *_Nullable tintype_png_reader_create(
    tintype_png_limits limits, tintype_png_cancel_hook _Nullable is_cancelled, void *_Nullable context);

/// Frees a reader in any state.
void tintype_png_reader_destroy(tintype_png_reader *_Nullable reader);

/// Reads up to the first pixels, and closes any image opened before. The bytes stay the caller's and must outlive the
/// reading of the image.
///
/// - OK: `header` is filled.
/// - NEEDS_MORE: the bytes are incomplete and end before the pixels; open again, from the first byte, with more.
/// - CORRUPT, TRUNCATED, UNSUPPORTED, LIMIT, MEMORY.
tintype_png_status tintype_png_reader_open(
    tintype_png_reader *reader, const uint8_t *bytes, size_t count, bool is_complete, tintype_png_header *header);

/// Prepares the reading of rows at the stored size. If `is_wide`, samples have 16 bits in the machine's byte order, and
/// pixels 8 bytes.
///
/// - OK, CORRUPT, MEMORY.
/// - MISUSE: nothing is open.
tintype_png_status tintype_png_reader_start(tintype_png_reader *reader, bool is_wide);

/// Reads the next rows of an image that is not interlaced into `dest`, at most `max_rows`.
///
/// - OK: `rows_read` rows are written; fewer than `max_rows` only at the end of the image.
/// - CORRUPT or TRUNCATED: the image is damaged; the `rows_read` rows before the damage are written.
/// - NEEDS_MORE: the bytes opened were a prefix; `rows_read` rows are written.
/// - CANCELLED, MEMORY.
/// - MISUSE: not started, `stride` is too small, or the image is interlaced.
tintype_png_status tintype_png_reader_read_rows(
    tintype_png_reader *reader, uint8_t *dest, size_t stride, uint32_t max_rows, uint32_t *rows_read);

/// Reads all rows of an image, interlaced or not, into `dest`.
///
/// - OK: `dest` holds the image.
/// - CORRUPT, TRUNCATED, NEEDS_MORE, CANCELLED, MEMORY: `dest` is partly written.
/// - MISUSE: not started, rows have been read, or `stride` is too small.
tintype_png_status tintype_png_reader_read_image(tintype_png_reader *reader, uint8_t *dest, size_t stride);

/// Reads to the end of the file, and reports whether the image was complete.
///
/// - OK: the end chunk was read, and every checksum before it was right. Damage in ancillary chunks does not count.
/// - CORRUPT, TRUNCATED, MEMORY.
/// - NEEDS_MORE: the bytes opened were a prefix.
/// - MISUSE: rows are left to read.
tintype_png_status tintype_png_reader_finish(tintype_png_reader *reader);

/// Returns the error message, in libpng's words if it has some; empty without an error. Valid until the reader's next
/// call.
const char *tintype_png_reader_message(const tintype_png_reader *reader);

// MARK: Previewing a still image while its bytes arrive: append and preview as often as wanted.

typedef struct tintype_png_incremental tintype_png_incremental;

/// Creates an incremental reader; null if memory runs out. `context` is passed to the hook.
///
/// The caller must first read the header of the same bytes with a reader and check it against the limits: appending the
/// header allocates the memory for the whole image.
tintype_png_incremental *_Nullable tintype_png_incremental_create(
    tintype_png_limits limits, tintype_png_cancel_hook _Nullable is_cancelled, void *_Nullable context);

/// Frees an incremental reader in any state.
void tintype_png_incremental_destroy(tintype_png_incremental *_Nullable incremental);

/// Decodes the next bytes of the file. `changed` is set to whether a preview now shows more.
///
/// - OK: append more, if there is more.
/// - CORRUPT, CANCELLED, MEMORY: decoding ended for good; later calls return the same. Previews show the pixels
///   received before.
tintype_png_status tintype_png_incremental_append(
    tintype_png_incremental *incremental, const uint8_t *bytes, size_t count, bool *changed);

/// Draws the pixels received so far at the stored size: rows from the top, or the passes of an interlaced image, whose
/// pixels also stand in for those still missing. The rest is transparent.
///
/// - OK: `dest` is filled; its first `rows_valid` rows show something.
/// - NEEDS_MORE: there is nothing to show yet.
/// - MISUSE: `stride` is too small.
tintype_png_status tintype_png_incremental_preview(
    const tintype_png_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid);

/// Like `tintype_png_reader_message`.
const char *tintype_png_incremental_message(const tintype_png_incremental *incremental);

// MARK: Animations

/// The duration of a frame: `numerator / denominator` seconds.
typedef struct tintype_png_delay {
    uint32_t numerator;
    /// Never 0: a stored 0 means 100 and is reported as that.
    uint32_t denominator;
} tintype_png_delay;

/// Collects the delays of frames without decoding anything or checking checksums. `delays` receives the first
/// `capacity` delays, and may be null if that is 0; `count` is set to the number of frames present, which may be
/// larger.
///
/// - OK: the end of the file was reached.
/// - NEEDS_MORE or TRUNCATED, depending on `is_complete`: the bytes end before that; the frames so far are reported.
/// - CORRUPT: the bytes are not a sequence of chunks; the frames so far are reported.
tintype_png_status tintype_png_frame_delays(
    const uint8_t *bytes, size_t byte_count, bool is_complete, tintype_png_delay *_Nullable delays,
    size_t capacity, size_t *count);

/// Inflates a zlib stream of at most `capacity` bytes to `dest`, or only counts its bytes if `dest` is null.
///
/// - OK: `out_count` bytes. LIMIT: there are more than `capacity`. CORRUPT, MEMORY.
tintype_png_status tintype_png_inflate(
    const uint8_t *bytes, size_t count, uint8_t *_Nullable dest, size_t capacity, size_t *out_count);

/// Returns the CRC-32 of a chunk's type and data, which are adjacent.
uint32_t tintype_png_checksum(const uint8_t *bytes, size_t count);

// MARK: Writing

/// The samples of a file to write.
typedef struct tintype_png_layout {
    tintype_png_color color;
    /// The number of bits of a sample or palette index that the format allows for the colour model.
    uint8_t bit_depth;
    /// 0...9, as zlib and libdeflate have them; it also decides which filters are tried.
    int compression_level;
    /// The colours of a palette, at most 2 to the power of `bit_depth`: straight RGBA, 4 bytes each.
    const uint8_t *_Nullable palette;
    uint32_t palette_count;
} tintype_png_layout;

/// Encodes rows `stride` bytes apart: indices of one byte for a palette, straight RGBA of 16-bit samples in the
/// machine's byte order for a bit depth of 16, and straight 8-bit RGBA otherwise. Of RGBA, the channels of the layout
/// are written: for grey, red. Grey samples of fewer than 8 bits are the high bits of red.
///
/// - OK: `out` holds `out_count` bytes, to be freed by `tintype_png_free`.
/// - UNSUPPORTED: a side exceeds PNG's maximum; CORRUPT: libpng failed; MEMORY.
/// - MISUSE: an argument is out of range.
///
/// Otherwise `out` is null and `message` holds the reason, truncated to `message_size` bytes.
tintype_png_status tintype_png_encode(
    const uint8_t *rows, uint32_t width, uint32_t height, size_t stride, tintype_png_layout layout,
    uint8_t *_Nullable *_Nonnull out, size_t *out_count, char *message, size_t message_size);

/// Frees the output of `tintype_png_encode`.
void tintype_png_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
