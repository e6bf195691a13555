#ifndef CTINTYPE_GIF_H
#define CTINTYPE_GIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Decompresses single images, and a fence around giflib, which compresses them. Swift
// parses the blocks of files that are read, and chooses the colours of files
// that are written.
//
// Threads: every function may run on any thread. Only writers and LZW decoders keep state
// between calls; each belongs to one thread at a time.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_gif_status {
    /// The call succeeded.
    TINTYPE_GIF_OK __attribute__((swift_name("ok"))) = 0,
    /// The image is damaged or truncated, or an argument is invalid.
    TINTYPE_GIF_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    /// An allocation failed.
    TINTYPE_GIF_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The cancel hook returned true.
    TINTYPE_GIF_CANCELLED __attribute__((swift_name("cancelled"))) = 3,
} tintype_gif_status;

/// Called before each part of an image; returns whether to stop. It must return normally (no longjmp).
typedef bool (*tintype_gif_cancel_hook)(void *_Nullable context);

/// Decodes the image whose descriptor begins at `bytes`: OK, CORRUPT, MEMORY or CANCELLED.
///
/// - bytes: the image descriptor, its colour table if it has one, and the image data.
/// - colors: 256 RGBA colours, one for each value that a pixel can have.
/// - dest: receives `height` rows of `width` RGBA pixels, from the top, interlaced or not.
/// - stride: bytes from one row of `dest` to the next, at least 4 * width.
/// - is_cancelled: called on this thread with `context`; may be NULL.
/// - rows_read: set to the number of rows written, also if the call fails. They are the topmost rows unless the image
///   is interlaced.
///
/// CORRUPT also if the descriptor has another `width` or `height`.
tintype_gif_status tintype_gif_decode(
    const uint8_t *bytes, size_t count, const uint8_t *colors, uint8_t *dest, size_t stride, uint32_t width,
    uint32_t height, tintype_gif_cancel_hook _Nullable is_cancelled, void *_Nullable context, uint32_t *rows_read);

/// Decodes the LZW codes of one image, which may arrive in parts (GIF89a, appendix F).
typedef struct tintype_gif_lzw tintype_gif_lzw;

/// Creates a decoder, which the caller destroys. NULL without memory, or if an argument is out of range.
///
/// - code_size: the number of bits of a value, from 1 to 8.
/// - count: the number of values of the image, below 2^32 - 264.
tintype_gif_lzw *_Nullable tintype_gif_lzw_create(uint32_t code_size, size_t count);

/// Decodes the next bytes, without the lengths of the blocks. Returns how many were used; the next call continues with
/// the byte after them.
///
/// Stops after `pause` values of the image, or up to 4,095 values later; at the last value of the image; at its end
/// code; and at a code that is not defined, which is damage. All other bytes are used.
size_t tintype_gif_lzw_decode(tintype_gif_lzw *lzw, const uint8_t *bytes, size_t count, size_t pause);

/// Returns the values so far, in the order in which they are stored. They stay at this address.
const uint8_t *tintype_gif_lzw_values(const tintype_gif_lzw *lzw);

/// Returns the number of values so far.
size_t tintype_gif_lzw_count(const tintype_gif_lzw *lzw);

/// Returns whether nothing more is decoded, because the image has ended or is damaged.
bool tintype_gif_lzw_has_ended(const tintype_gif_lzw *lzw);

void tintype_gif_lzw_destroy(tintype_gif_lzw *lzw);

// MARK: Writing

/// Writes one file into memory.
typedef struct tintype_gif_writer tintype_gif_writer;

/// The colours of the whole file or of one image, three bytes each. The callee copies them.
typedef struct tintype_gif_palette {
    const uint8_t *_Nullable colors;
    /// From 1 to 256; 0 for no palette.
    uint32_t count;
} tintype_gif_palette;

/// The properties of an image (GIF89a, 20 and 23).
typedef struct tintype_gif_frame {
    /// The left edge on the canvas, in pixels.
    uint32_t x;
    /// The top edge on the canvas, in pixels.
    uint32_t y;
    /// In pixels, at least 1.
    uint32_t width;
    /// In pixels, at least 1.
    uint32_t height;
    /// In hundredths of a second, at most 65,535.
    uint32_t delay;
    /// Whether the rectangle is cleared after the image; otherwise the image stays.
    bool is_cleared;
    /// The index that paints nothing; -1 for none.
    int32_t transparent_index;
} tintype_gif_frame;

/// Creates a writer and writes the header: OK, MEMORY or CORRUPT.
///
/// - width, height: the size of the canvas in pixels, at most 65,535; CORRUPT above.
/// - shared: the palette of images without their own; may be empty, then every image needs one.
/// - repeats: the number of repetitions after the first play, at most 65,535; 0 for forever; -1 to write none.
/// - writer: set to the writer, which the caller destroys; NULL unless OK.
tintype_gif_status tintype_gif_writer_create(
    uint32_t width, uint32_t height, tintype_gif_palette shared, int32_t repeats,
    tintype_gif_writer *_Nullable *_Nonnull writer);

/// Adds an image: OK, MEMORY or CORRUPT.
///
/// - frame: must lie within the canvas; CORRUPT otherwise.
/// - own: the palette of the image; empty to use the shared one.
/// - indices: `width * height` palette indices, row by row. The callee does not keep them.
tintype_gif_status tintype_gif_writer_add(
    tintype_gif_writer *writer, tintype_gif_frame frame, tintype_gif_palette own, const uint8_t *indices);

/// Ends the file: OK, MEMORY or CORRUPT. Nothing can be added afterwards, and the writer must still be destroyed.
///
/// - out: set to the file, which the caller releases with `tintype_gif_free`; NULL unless OK.
/// - out_count: set to the size of the file in bytes.
tintype_gif_status tintype_gif_writer_finish(
    tintype_gif_writer *writer, uint8_t *_Nullable *_Nonnull out, size_t *out_count);

/// Releases a writer, finished or not. NULL is allowed.
void tintype_gif_writer_destroy(tintype_gif_writer *_Nullable writer);

/// Releases the bytes of a finished file. NULL is allowed.
void tintype_gif_free(uint8_t *_Nullable bytes);

#pragma clang assume_nonnull end

#endif
