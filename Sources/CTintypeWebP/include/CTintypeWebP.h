#ifndef CTINTYPE_WEBP_H
#define CTINTYPE_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A narrow interface to libwebp and libwebpdemux, whose structures are large unions that Swift cannot read.
//
// Invariant: nothing here is thread-safe. One thread at a time may use a file, a reader or an animation.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_webp_status {
    TINTYPE_WEBP_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes given are a prefix that ends too early for this call.
    TINTYPE_WEBP_NEEDS_MORE __attribute__((swift_name("needsMore"))) = 1,
    /// The bytes are not a WebP, or are damaged.
    TINTYPE_WEBP_CORRUPT __attribute__((swift_name("corrupt"))) = 2,
    TINTYPE_WEBP_MEMORY __attribute__((swift_name("memory"))) = 4,
    /// The cancel hook returned true.
    TINTYPE_WEBP_CANCELLED __attribute__((swift_name("cancelled"))) = 5,
} tintype_webp_status;

/// The contents of a file's header.
typedef struct tintype_webp_header {
    uint32_t width;
    uint32_t height;
    bool has_alpha;
    bool is_animated;
    /// Whether the file has Exif data or an XMP packet, which follow the pixels.
    bool has_exif;
    bool has_xmp;
} tintype_webp_header;

/// Reads the header at the beginning of a file. Returns OK, NEEDS_MORE or CORRUPT.
tintype_webp_status tintype_webp_read_header(const uint8_t *bytes, size_t count, tintype_webp_header *header);

// MARK: Whole files

typedef struct tintype_webp_file tintype_webp_file;

/// A stored frame: its rectangle on the canvas in pixels, and its compressed bytes, which point into the file.
typedef struct tintype_webp_frame {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    uint32_t milliseconds;
    bool has_alpha;
    /// Whether the frame is blended over the canvas; otherwise the frame replaces its rectangle.
    bool is_blended;
    /// Whether its rectangle is cleared after it was shown.
    bool is_disposed;
    const uint8_t *_Nullable bytes;
    size_t count;
} tintype_webp_frame;

/// The sizes of a file's chunks, by their names and lengths alone.
typedef struct tintype_webp_survey {
    size_t frames;
    size_t profile_bytes;
    size_t exif_bytes;
} tintype_webp_survey;

/// Walks the chunks of a file or a prefix. Nothing is kept.
tintype_webp_survey tintype_webp_survey_file(const uint8_t *bytes, size_t count);

/// Writes the durations of the first `capacity` frames in one pass, and returns how many were written.
size_t tintype_webp_durations(const uint8_t *bytes, size_t count, uint32_t *milliseconds, size_t capacity);

/// Opens a complete file or a prefix. Returns OK, CORRUPT (also if the file should be complete and is truncated),
/// NEEDS_MORE (for a prefix only) or MEMORY. The bytes stay the caller's and must outlive the file. Nothing is decoded;
/// each known frame takes a little memory.
tintype_webp_status tintype_webp_open(
    const uint8_t *bytes, size_t count, bool is_complete, tintype_webp_file *_Nullable *_Nonnull file);

void tintype_webp_close(tintype_webp_file *_Nullable file);

/// Returns the number of frames; 1 for a still image.
uint32_t tintype_webp_frame_count(const tintype_webp_file *file);

/// Returns the number of plays; 0 is endless.
uint32_t tintype_webp_play_count(const tintype_webp_file *file);

/// Returns the data of the first chunk with a name of four letters, in place, or null if there is none.
const uint8_t *_Nullable tintype_webp_find_chunk(const tintype_webp_file *file, const char *name, size_t *count);

/// Returns the orientation as stored in Exif, 1...8; 0 if absent or out of range.
uint8_t tintype_webp_orientation(const tintype_webp_file *file);

/// Describes the frame `index`, counted from 0. Returns OK, or CORRUPT, also if the frame is incomplete. O(index).
tintype_webp_status tintype_webp_get_frame(
    const tintype_webp_file *file, uint32_t index, tintype_webp_frame *frame);

// MARK: Pixels

/// Called periodically while decoding. Returns true to cancel; must return normally.
typedef bool (*tintype_webp_cancel_hook)(void *_Nullable context);

/// Decodes a still image or the bytes of a frame to 8-bit RGBA with straight alpha and rows `stride` bytes apart.
/// libwebp scales it if its size is not `width` × `height`.
///
/// - NEEDS_MORE: the bytes end before the pixels do.
/// - CORRUPT, MEMORY, CANCELLED: `dest` is partly written.
tintype_webp_status tintype_webp_decode(
    const uint8_t *bytes, size_t count, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_webp_cancel_hook _Nullable is_cancelled, void *_Nullable context);

// MARK: Previewing a still image while its bytes arrive: append and preview as often as wanted.

typedef struct tintype_webp_incremental tintype_webp_incremental;

/// Creates an incremental reader for an image of the size that its header states, and allocates memory for it; null if
/// memory runs out.
tintype_webp_incremental *_Nullable tintype_webp_incremental_create(uint32_t width, uint32_t height);

void tintype_webp_incremental_destroy(tintype_webp_incremental *_Nullable incremental);

/// Decodes the next bytes of the file, of which it keeps a copy. `changed` is set to whether a preview now shows more
/// rows.
///
/// - NEEDS_MORE, or OK at the end of the image.
/// - CORRUPT, MEMORY: decoding ended for good; later calls return the same. Previews show the pixels received before.
tintype_webp_status tintype_webp_incremental_append(
    tintype_webp_incremental *incremental, const uint8_t *bytes, size_t count, bool *changed);

/// Draws the rows received so far, straight, at the stored size; the rest is transparent.
///
/// - OK: `dest` is filled.
/// - NEEDS_MORE: there is nothing to show yet, or `stride` is too small.
tintype_webp_status tintype_webp_incremental_preview(
    const tintype_webp_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid);

// MARK: Writing

/// The settings of an encoding.
typedef struct tintype_webp_settings {
    /// 0 to 100; the effort if `is_lossless`.
    float quality;
    /// Whether every pixel is exact.
    bool is_lossless;
    /// 0 to 6.
    int method;
    /// libwebp's level of lossless encoding, 0 to 9, which replaces quality and method; -1 for none.
    int level;
    /// Whether the colour differences are chosen so that edges stay sharp, which takes longer.
    bool is_sharp;
} tintype_webp_settings;

/// Encodes 8-bit RGBA with straight alpha and rows `stride` bytes apart. Free `*out` with `tintype_webp_free`. Returns
/// OK, MEMORY, or CORRUPT if WebP cannot hold the image (a side of more than 16,383 pixels).
tintype_webp_status tintype_webp_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, tintype_webp_settings settings,
    uint8_t *_Nullable *_Nonnull out, size_t *out_count);

/// A writer of one animation.
typedef struct tintype_webp_animation tintype_webp_animation;

/// Starts an animation that plays `plays` times, 0 forever. Returns OK, MEMORY, or CORRUPT if WebP cannot hold its
/// size.
tintype_webp_status tintype_webp_animation_create(
    uint32_t width, uint32_t height, uint32_t plays, tintype_webp_settings settings,
    tintype_webp_animation *_Nullable *_Nonnull animation);

/// Appends a frame, shown from a time on: 8-bit RGBA with straight alpha, the size of the canvas, rows `stride` bytes
/// apart. libwebp stores the changes, and joins equal frames. Returns OK, MEMORY or CORRUPT.
tintype_webp_status tintype_webp_animation_add(
    tintype_webp_animation *animation, const uint8_t *rgba, size_t stride, int32_t milliseconds);

/// Ends the animation; the last frame is shown until the time given. Free `*out` with `tintype_webp_free`. Returns OK,
/// MEMORY or CORRUPT.
tintype_webp_status tintype_webp_animation_finish(
    tintype_webp_animation *animation, int32_t milliseconds, uint8_t *_Nullable *_Nonnull out, size_t *out_count);

void tintype_webp_animation_destroy(tintype_webp_animation *_Nullable animation);

void tintype_webp_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
