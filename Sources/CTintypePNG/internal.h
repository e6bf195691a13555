#ifndef CTINTYPE_PNG_INTERNAL_H
#define CTINTYPE_PNG_INTERNAL_H

#include "CTintypePNG.h"

#include <setjmp.h>

#include <png.h>

enum { TINTYPE_PNG_LONGEST_SIDE = PNG_UINT_31_MAX };

/// The target of libpng's errors. A public function calls `setjmp(fence.escape)` before it calls libpng. After a jump,
/// the fence holds the reason.
typedef struct {
    jmp_buf escape;
    /// The meaning of the next error. libpng passes only a text, so a callback that knows better than "corrupt" sets
    /// this before it fails.
    tintype_png_status status;
    char message[128];
} tintype_png_fence;

/// Resets the fence.
void tintype_png_fence_raise(tintype_png_fence *fence);

/// Jumps out of libpng to the fence's `setjmp`.
_Noreturn void tintype_png_fence_escape(tintype_png_fence *fence, tintype_png_status status, const char *message);

/// Like libpng's functions, with errors and allocations through the fence. They escape rather than return null.
png_structp tintype_png_create_read(tintype_png_fence *fence);
png_structp tintype_png_create_write(tintype_png_fence *fence);
png_infop tintype_png_create_info(tintype_png_fence *fence, png_structp png);

/// Makes libpng read only the pixels and what they need; the survey has read the rest.
void tintype_png_keep_pixels_alone(png_structp png, const tintype_png_limits *limits);

/// Makes libpng output RGBA of 8 bits per channel, or of 16 if `is_wide` is true. Returns the number of passes.
int tintype_png_ask_for_rgba(png_structp png, png_infop info, bool is_wide);

/// A chunk whose length and type are present.
typedef struct {
    uint32_t length;
    const uint8_t *type;
    const uint8_t *data;
    /// Whether its data and checksum are present as well.
    bool is_whole;
} tintype_png_chunk;

/// A position in the sequence of chunks.
typedef struct {
    const uint8_t *next;
    size_t left;
} tintype_png_walk;

/// Starts before the first chunk. Returns OK, NEEDS_MORE, or CORRUPT if the bytes do not start a PNG.
tintype_png_status tintype_png_walk_begin(tintype_png_walk *walk, const uint8_t *bytes, size_t count);

/// Moves past a chunk. Returns OK, NEEDS_MORE, or CORRUPT if there is no valid chunk.
tintype_png_status tintype_png_walk_next(tintype_png_walk *walk, tintype_png_chunk *chunk);

bool tintype_png_chunk_is(const tintype_png_chunk *chunk, const char *type);

/// Fills the fields of `header` that libpng does not read, from the chunks before the first IDAT. Returns OK,
/// NEEDS_MORE, CORRUPT, UNSUPPORTED, or LIMIT, for which a chunk's length suffices.
tintype_png_status tintype_png_survey(
    const uint8_t *bytes, size_t count, const tintype_png_limits *limits, tintype_png_header *header);

#endif
