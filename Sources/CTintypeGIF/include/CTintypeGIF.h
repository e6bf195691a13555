#ifndef CTINTYPE_GIF_H
#define CTINTYPE_GIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A fence around giflib, which compresses and decompresses images; where they
// are in a file that is read, and what is said of them, is found out in Swift,
// and so are the colours of what is written.
//
// Invariant: but for writers, no state is kept between calls, and every function
// may run on any thread. A writer belongs to one thread at a time.

/// What a call came to.
typedef enum __attribute__((enum_extensibility(closed))) tintype_gif_status {
    TINTYPE_GIF_OK __attribute__((swift_name("ok"))) = 0,
    /// The image is damaged or ends early.
    TINTYPE_GIF_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_GIF_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The cancel hook said so.
    TINTYPE_GIF_CANCELLED __attribute__((swift_name("cancelled"))) = 3,
} tintype_gif_status;

/// Asked between rows whether to give up; must return normally.
typedef bool (*tintype_gif_cancel_hook)(void *_Nullable context);

/// Decodes an image whose descriptor begins at `bytes`.
///
/// `colors` are RGBA, 256 of them: one for each value that a compressed pixel can have. Rows are written in the order of
/// display, `stride` bytes apart (at least 4 * width), interlaced or not.
///
/// - CORRUPT: also when the descriptor does not have this `width` and `height`. `dest` is partly written: `rows_read` rows,
///   the topmost ones unless it is interlaced.
tintype_gif_status tintype_gif_decode(
    const uint8_t *bytes, size_t count, const uint8_t *colors, uint8_t *dest, size_t stride, uint32_t width,
    uint32_t height, tintype_gif_cancel_hook _Nullable is_cancelled, void *_Nullable context, uint32_t *rows_read);

// MARK: Writing

typedef struct tintype_gif_writer tintype_gif_writer;

/// Colours of the whole file or of one image: three bytes each, 1 to 256 of them.
typedef struct tintype_gif_palette {
    const uint8_t *_Nullable colors;
    uint32_t count;
} tintype_gif_palette;

/// What is said of an image (GIF89a, 20 and 23).
typedef struct tintype_gif_frame {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    /// In hundredths of a second, below 65,536.
    uint32_t delay;
    /// Whether its rectangle is cleared afterwards; otherwise it stays.
    bool is_cleared;
    /// The index that paints nothing; -1 for none.
    int32_t transparent_index;
} tintype_gif_frame;

/// Begins a file of sides below 65,536: OK, MEMORY or CORRUPT. `shared` may be empty, then every image has colours of its
/// own. `repeats` is how often the frames begin again, 0 for ever, below 65,536; -1 says nothing of it.
tintype_gif_status tintype_gif_writer_create(
    uint32_t width, uint32_t height, tintype_gif_palette shared, int32_t repeats,
    tintype_gif_writer *_Nullable *_Nonnull writer);

/// Adds an image, `width * height` indices of its palette, or of the shared one where it has none: OK, MEMORY, CORRUPT.
tintype_gif_status tintype_gif_writer_add(
    tintype_gif_writer *writer, tintype_gif_frame frame, tintype_gif_palette own, const uint8_t *indices);

/// Ends the file; `*out` is released with `tintype_gif_free`: OK, MEMORY or CORRUPT. Nothing can be added any more.
tintype_gif_status tintype_gif_writer_finish(
    tintype_gif_writer *writer, uint8_t *_Nullable *_Nonnull out, size_t *out_count);

void tintype_gif_writer_destroy(tintype_gif_writer *_Nullable writer);

void tintype_gif_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
