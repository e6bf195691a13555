#ifndef CTINTYPE_WEBP_H
#define CTINTYPE_WEBP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A narrow way to libwebp and libwebpdemux, whose own structures are large
// unions that Swift cannot read.
//
// Invariant: nothing here is thread-safe. A file belongs to one thread at a time.

/// What a call came to.
typedef enum __attribute__((enum_extensibility(closed))) tintype_webp_status {
    TINTYPE_WEBP_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes given are a prefix that ends too early for this call.
    TINTYPE_WEBP_NEEDS_MORE __attribute__((swift_name("needsMore"))) = 1,
    /// The bytes are not a WebP, or are damaged.
    TINTYPE_WEBP_CORRUPT __attribute__((swift_name("corrupt"))) = 2,
    TINTYPE_WEBP_MEMORY __attribute__((swift_name("memory"))) = 4,
    /// The cancel hook said so.
    TINTYPE_WEBP_CANCELLED __attribute__((swift_name("cancelled"))) = 5,
} tintype_webp_status;

/// What a file says before its pixels.
typedef struct tintype_webp_header {
    uint32_t width;
    uint32_t height;
    bool has_alpha;
    bool is_animated;
    /// Whether there is Exif, which comes after the pixels.
    bool has_exif;
} tintype_webp_header;

/// Reads the header at the beginning of a file: OK, NEEDS_MORE or CORRUPT.
tintype_webp_status tintype_webp_read_header(const uint8_t *bytes, size_t count, tintype_webp_header *header);

// MARK: Whole files

typedef struct tintype_webp_file tintype_webp_file;

/// A frame as stored: its place on the canvas, and its compressed bytes, which are part of the file's.
typedef struct tintype_webp_frame {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    uint32_t milliseconds;
    bool has_alpha;
    /// Whether it is laid over the canvas; otherwise it replaces it.
    bool is_blended;
    /// Whether its rectangle is cleared afterwards.
    bool is_disposed;
    const uint8_t *_Nullable bytes;
    size_t count;
} tintype_webp_frame;

/// What the chunks of a file are, by their names and lengths alone.
typedef struct tintype_webp_survey {
    size_t frames;
    size_t profile_bytes;
    size_t exif_bytes;
} tintype_webp_survey;

/// Walks the chunks of a file or its beginning. Nothing is kept.
tintype_webp_survey tintype_webp_survey_file(const uint8_t *bytes, size_t count);

/// The durations of the first `capacity` frames, in one walk, and how many there are of those.
size_t tintype_webp_durations(const uint8_t *bytes, size_t count, uint32_t *milliseconds, size_t capacity);

/// Opens a whole file, or the first bytes of one: OK, CORRUPT (also when it should be whole and is cut short), NEEDS_MORE
/// (of first bytes alone) or MEMORY. The bytes stay the caller's and must outlive the file. Nothing is decoded, but memory
/// is claimed for what is known of each frame.
tintype_webp_status tintype_webp_open(
    const uint8_t *bytes, size_t count, bool is_complete, tintype_webp_file *_Nullable *_Nonnull file);

void tintype_webp_close(tintype_webp_file *_Nullable file);

/// Frames, 1 of a still picture.
uint32_t tintype_webp_frame_count(const tintype_webp_file *file);

/// The total number of plays; 0 is endless.
uint32_t tintype_webp_play_count(const tintype_webp_file *file);

/// The first chunk of a name of four letters, where it lies in the bytes of the file; null where there is none.
const uint8_t *_Nullable tintype_webp_find_chunk(const tintype_webp_file *file, const char *name, size_t *count);

/// 1...8 as stored in Exif; 0 when absent or out of that range.
uint8_t tintype_webp_orientation(const tintype_webp_file *file);

/// Tells of frame `index`, from 0: OK, or CORRUPT, also when it is not whole. O(index).
tintype_webp_status tintype_webp_get_frame(
    const tintype_webp_file *file, uint32_t index, tintype_webp_frame *frame);

// MARK: Pixels

/// Asked now and then whether to give up; must return normally.
typedef bool (*tintype_webp_cancel_hook)(void *_Nullable context);

/// Decodes a still picture or the bytes of a frame to 8-bit RGBA with straight alpha, `stride` bytes a row, resampled to
/// `width` and `height` by libwebp where those are not its own.
///
/// - NEEDS_MORE: the bytes end before the pixels do.
/// - CORRUPT, MEMORY, CANCELLED: `dest` is partly written.
tintype_webp_status tintype_webp_decode(
    const uint8_t *bytes, size_t count, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_webp_cancel_hook _Nullable is_cancelled, void *_Nullable context);

// MARK: Previewing a still picture while its bytes arrive: append and preview as often as wanted.

typedef struct tintype_webp_incremental tintype_webp_incremental;

/// Makes an incremental reader for a picture of this size, as its header tells, and claims memory for it; null when
/// there is none.
tintype_webp_incremental *_Nullable tintype_webp_incremental_create(uint32_t width, uint32_t height);

void tintype_webp_incremental_destroy(tintype_webp_incremental *_Nullable incremental);

/// Decodes the next bytes of the file, of which it keeps a copy. `changed` tells whether a preview now shows more rows.
///
/// - NEEDS_MORE, or OK at the picture's end.
/// - CORRUPT, MEMORY: decoding stopped for good; every later call says so. Previews show what came before.
tintype_webp_status tintype_webp_incremental_append(
    tintype_webp_incremental *incremental, const uint8_t *bytes, size_t count, bool *changed);

/// Draws the rows that have come, straight, at the stored size; the rest is transparent.
///
/// - OK: `dest` is filled.
/// - NEEDS_MORE: there is nothing to show yet, or `stride` is too small.
tintype_webp_status tintype_webp_incremental_preview(
    const tintype_webp_incremental *incremental, uint8_t *dest, size_t stride, uint32_t *rows_valid);

// MARK: Writing

/// Encodes 8-bit RGBA with straight alpha, `stride` bytes a row. `quality` is 0 to 100; with `lossless` every pixel is
/// kept, and it says how hard to try. `*out` is released with `tintype_webp_free`: OK, MEMORY, or CORRUPT for a picture
/// that no WebP can be made of (a side of more than 16,383 pixels).
tintype_webp_status tintype_webp_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, float quality, bool lossless, int method,
    uint8_t *_Nullable *_Nonnull out, size_t *out_count);

/// How pixels are encoded; see `tintype_webp_encode`.
typedef struct tintype_webp_settings {
    float quality;
    bool is_lossless;
    int method;
} tintype_webp_settings;

/// Writes one animation.
typedef struct tintype_webp_animation tintype_webp_animation;

/// Begins an animation that plays `plays` times, 0 for ever: OK, MEMORY, or CORRUPT for sides of which no WebP can be made.
tintype_webp_status tintype_webp_animation_create(
    uint32_t width, uint32_t height, uint32_t plays, tintype_webp_settings settings,
    tintype_webp_animation *_Nullable *_Nonnull animation);

/// Adds a whole picture as it is shown from a time on: 8-bit RGBA with straight alpha, `stride` bytes a row. libwebp
/// finds out what is to be stored of it, and joins pictures that are equal. OK, MEMORY or CORRUPT.
tintype_webp_status tintype_webp_animation_add(
    tintype_webp_animation *animation, const uint8_t *rgba, size_t stride, int32_t milliseconds);

/// Ends it; the last picture is shown until then. `*out` is released with `tintype_webp_free`: OK, MEMORY or CORRUPT.
tintype_webp_status tintype_webp_animation_finish(
    tintype_webp_animation *animation, int32_t milliseconds, uint8_t *_Nullable *_Nonnull out, size_t *out_count);

void tintype_webp_animation_destroy(tintype_webp_animation *_Nullable animation);

void tintype_webp_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
