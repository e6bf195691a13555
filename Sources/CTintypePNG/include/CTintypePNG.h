#ifndef CTINTYPE_PNG_H
#define CTINTYPE_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A fence around libpng, which reports errors by longjmp: every function here
// catches its own and returns a status, so that no jump crosses a Swift frame.
//
// Invariant: nothing here is thread-safe. A reader belongs to one thread at a
// time; it may move between threads, never be shared by them.
//
// Pixels are 8-bit RGBA with straight alpha, rows top to bottom, `stride` bytes
// apart (at least 4 * width). Exif orientation is reported, never applied. Of an
// animation, the pixels are those of the default image.

/// What a call came to.
typedef enum __attribute__((enum_extensibility(closed))) tintype_png_status {
    /// It did what was asked.
    TINTYPE_PNG_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes given are a prefix that ends too early for this call.
    TINTYPE_PNG_NEEDS_MORE __attribute__((swift_name("needsMore"))) = 1,
    /// The bytes are not a PNG, or are damaged.
    TINTYPE_PNG_CORRUPT __attribute__((swift_name("corrupt"))) = 3,
    /// The bytes end before the picture does.
    TINTYPE_PNG_TRUNCATED __attribute__((swift_name("truncated"))) = 4,
    /// A relative of PNG that libpng cannot decode (Apple's CgBI), or sides it cannot write.
    TINTYPE_PNG_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 5,
    /// A limit given at creation would be exceeded.
    TINTYPE_PNG_LIMIT __attribute__((swift_name("limit"))) = 6,
    /// Memory ran out.
    TINTYPE_PNG_MEMORY __attribute__((swift_name("memory"))) = 7,
    /// The cancel hook said so.
    TINTYPE_PNG_CANCELLED __attribute__((swift_name("cancelled"))) = 8,
    /// The call came out of order, or an argument is out of range.
    TINTYPE_PNG_MISUSE __attribute__((swift_name("misuse"))) = 9,
} tintype_png_status;

/// How the stored samples spell colour; the numbers are the format's own.
typedef enum __attribute__((enum_extensibility(closed))) tintype_png_color {
    TINTYPE_PNG_COLOR_GREY __attribute__((swift_name("grey"))) = 0,
    TINTYPE_PNG_COLOR_RGB __attribute__((swift_name("rgb"))) = 2,
    TINTYPE_PNG_COLOR_PALETTE __attribute__((swift_name("palette"))) = 3,
    TINTYPE_PNG_COLOR_GREY_ALPHA __attribute__((swift_name("greyAlpha"))) = 4,
    TINTYPE_PNG_COLOR_RGB_ALPHA __attribute__((swift_name("rgbAlpha"))) = 6,
} tintype_png_color;

/// Which of the limits a file exceeds.
typedef enum __attribute__((enum_extensibility(closed))) tintype_png_bound {
    TINTYPE_PNG_BOUND_NONE __attribute__((swift_name("none"))) = 0,
    TINTYPE_PNG_BOUND_CHUNK __attribute__((swift_name("chunk"))) = 1,
    TINTYPE_PNG_BOUND_TEXT __attribute__((swift_name("text"))) = 2,
    TINTYPE_PNG_BOUND_PROFILE __attribute__((swift_name("profile"))) = 3,
    TINTYPE_PNG_BOUND_EXIF __attribute__((swift_name("exif"))) = 4,
} tintype_png_bound;

/// What a picture says before its pixels.
typedef struct tintype_png_header {
    /// Pixels as stored, before orientation; each up to 2^31 - 1.
    uint32_t width;
    uint32_t height;
    /// Frames and plays of an animation; 0 plays are endless. Both 0 in a still picture.
    uint32_t frame_count;
    uint32_t play_count;
    tintype_png_color color;
    /// Bits of a stored sample or palette index: 1, 2, 4, 8 or 16.
    uint8_t bit_depth;
    /// 1...8 as stored in an eXIf chunk; 0 when absent or out of that range.
    uint8_t exif_orientation;
    bool is_interlaced;
    /// Whether a pixel may be other than opaque, by its colour type or a tRNS chunk.
    bool has_alpha;
    bool has_icc_profile;
    bool has_gamma;
    bool has_srgb;
    /// After LIMIT, which one it was; none where it was libpng's.
    tintype_png_bound exceeded;
} tintype_png_header;

/// Bounds on what a file may cost. The zero value sets none.
typedef struct tintype_png_limits {
    /// Bytes of a chunk before the pixels; 0 for any number.
    size_t max_chunk_bytes;
    /// Bytes of all text before the pixels; 0 for any number.
    size_t max_text_bytes;
    /// Bytes of a colour profile as stored; 0 for any number.
    size_t max_profile_bytes;
    /// Bytes of Exif; 0 for any number.
    size_t max_exif_bytes;
    /// Ancillary chunks libpng may keep; 0 for any number.
    uint32_t max_cached_chunks;
} tintype_png_limits;

/// Asked between rows whether to give up; must return normally.
typedef bool (*tintype_png_cancel_hook)(void *_Nullable context);

// MARK: Reading: open, start, then read_rows until all rows are read, or read_image, then finish.
// A status other than OK and MISUSE closes the picture; open again to start over.

typedef struct tintype_png_reader tintype_png_reader;

/// Makes a reader; null when memory ran out. `context` is handed to the hook.
tintype_png_reader *_Nullable tintype_png_reader_create(
    tintype_png_limits limits, tintype_png_cancel_hook _Nullable is_cancelled, void *_Nullable context);

/// Frees a reader, in whatever state it is.
void tintype_png_reader_destroy(tintype_png_reader *_Nullable reader);

/// Reads up to the first pixels, forgetting any picture opened before. The
/// bytes stay the caller's and must outlive the reading of the picture.
///
/// - OK: `header` is filled.
/// - NEEDS_MORE: the bytes are not complete and end before the pixels; open
///   again, from the first byte, with more.
/// - CORRUPT, TRUNCATED, UNSUPPORTED, LIMIT, MEMORY.
tintype_png_status tintype_png_reader_open(
    tintype_png_reader *reader, const uint8_t *bytes, size_t count, bool is_complete, tintype_png_header *header);

/// Readies the opened picture for its rows, at its stored size. Where
/// `is_wide`, samples are of 16 bits in the machine's order, 8 bytes a pixel.
///
/// - OK, CORRUPT, MEMORY.
/// - MISUSE: nothing is open.
tintype_png_status tintype_png_reader_start(tintype_png_reader *reader, bool is_wide);

/// Reads the next rows of a picture that is not interlaced into `dest`,
/// `max_rows` at most.
///
/// - OK: `rows_read` rows are there; fewer than `max_rows` only at the
///   picture's end.
/// - CORRUPT or TRUNCATED: the picture is damaged; `rows_read` rows before that are there.
/// - NEEDS_MORE: the bytes opened were a prefix; `rows_read` rows are there.
/// - CANCELLED, MEMORY.
/// - MISUSE: not started, `stride` is too small, or the picture is interlaced.
tintype_png_status tintype_png_reader_read_rows(
    tintype_png_reader *reader, uint8_t *dest, size_t stride, uint32_t max_rows, uint32_t *rows_read);

/// Reads every row of a picture, interlaced or not, into `dest`.
///
/// - OK: the picture is there.
/// - CORRUPT, TRUNCATED, NEEDS_MORE, CANCELLED, MEMORY: `dest` is partly written.
/// - MISUSE: not started, rows have been read, or `stride` is too small.
tintype_png_status tintype_png_reader_read_image(tintype_png_reader *reader, uint8_t *dest, size_t stride);

/// Reads on to the file's end, telling whether the picture was whole.
///
/// - OK: the end chunk came, and every checksum on the way was right.
///   Damage in ancillary chunks does not count.
/// - CORRUPT, TRUNCATED, MEMORY.
/// - NEEDS_MORE: the bytes opened were a prefix.
/// - MISUSE: rows are left to read.
tintype_png_status tintype_png_reader_finish(tintype_png_reader *reader);

/// What went wrong, in libpng's words where it has some; empty if nothing did.
/// Valid until the reader's next call.
const char *tintype_png_reader_message(const tintype_png_reader *reader);

// MARK: Previewing a still picture while its bytes arrive: append and preview as often as wanted.

typedef struct tintype_png_incremental tintype_png_incremental;

/// Makes an incremental reader; null when memory ran out. `context` is handed to the hook.
///
/// Its caller has read the header of the same bytes with a reader, and found it within the limits: memory for the whole
/// picture is claimed when the header is appended.
tintype_png_incremental *_Nullable tintype_png_incremental_create(
    tintype_png_limits limits, tintype_png_cancel_hook _Nullable is_cancelled, void *_Nullable context);

/// Frees an incremental reader, in whatever state it is.
void tintype_png_incremental_destroy(tintype_png_incremental *_Nullable incremental);

/// Decodes the next bytes of the file, all of them. `changed` tells whether a preview now shows more.
///
/// - OK: append more, if there is more.
/// - CORRUPT, CANCELLED, MEMORY: decoding stopped for good; every later call says so. Previews show what came before.
tintype_png_status tintype_png_incremental_append(
    tintype_png_incremental *incremental, const uint8_t *bytes, size_t count, bool *changed);

/// Whether the end chunk came.
bool tintype_png_incremental_has_ended(const tintype_png_incremental *incremental);

/// Draws what has come, at the stored size: rows from the top, or of an interlaced picture the passes so far, each of
/// whose pixels fills the place of those that are to come. The rest is transparent.
///
/// - OK: `dest` is filled; its first `rows_valid` rows show something.
/// - NEEDS_MORE: there is nothing to show yet.
/// - MISUSE: `stride` is too small.
tintype_png_status tintype_png_incremental_preview(
    const tintype_png_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid);

/// As `tintype_png_reader_message`.
const char *tintype_png_incremental_message(const tintype_png_incremental *incremental);

// MARK: Animations

/// How long a frame is shown: `numerator / denominator` seconds.
typedef struct tintype_png_delay {
    uint32_t numerator;
    /// Never 0: a stored 0 means 100, and reads so here.
    uint32_t denominator;
} tintype_png_delay;

/// Collects the frames' delays without decoding anything or checking checksums.
/// `delays` gets the first `capacity`, and may be null if that is 0; `count`
/// tells how many frames the bytes hold, which may be more.
///
/// - OK: the file's end was reached.
/// - NEEDS_MORE or TRUNCATED, as `is_complete`: the bytes end before that; the frames so far are told.
/// - CORRUPT: the bytes are no row of chunks; the frames so far are told.
tintype_png_status tintype_png_frame_delays(
    const uint8_t *bytes, size_t byte_count, bool is_complete, tintype_png_delay *_Nullable delays,
    size_t capacity, size_t *count);

/// Inflates a zlib stream of at most `capacity` bytes to `dest`, or only tells how many they are if that is null.
///
/// - OK: `out_count` bytes. LIMIT: there are more than `capacity`. CORRUPT, MEMORY.
tintype_png_status tintype_png_inflate(
    const uint8_t *bytes, size_t count, uint8_t *_Nullable dest, size_t capacity, size_t *out_count);

/// The checksum of a chunk: of its type and data, which stand side by side.
uint32_t tintype_png_checksum(const uint8_t *bytes, size_t count);

// MARK: Writing

/// Encodes 8-bit RGBA with straight alpha, or RGB leaving alpha out if `is_opaque`.
/// `compression_level` is zlib's, 0...9; the filters tried go with it.
///
/// - OK: `out` holds `out_count` bytes, to be freed by `tintype_png_free`.
/// - UNSUPPORTED: a side is longer than a PNG can be; CORRUPT: libpng failed; MEMORY.
/// - MISUSE: an argument is out of range.
///
/// Otherwise `out` is null and `message` holds the reason, cut to `message_size`.
tintype_png_status tintype_png_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, bool is_opaque, int compression_level,
    uint8_t *_Nullable *_Nonnull out, size_t *out_count, char *message, size_t message_size);

/// Frees what `tintype_png_encode` made.
void tintype_png_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
