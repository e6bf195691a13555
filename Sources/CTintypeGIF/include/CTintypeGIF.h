#ifndef CTINTYPE_GIF_H
#define CTINTYPE_GIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A fence around giflib, which decompresses one image at a time; where the
// images are in a file, and what is said of them, is found out in Swift.
//
// Invariant: no state is kept between calls; every function may run on any thread.

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

#pragma clang assume_nonnull end

#endif
