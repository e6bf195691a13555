#ifndef CTINTYPE_PNG_INTERNAL_H
#define CTINTYPE_PNG_INTERNAL_H

#include "CTintypePNG.h"

#include <setjmp.h>

#include <png.h>

enum { TINTYPE_PNG_LONGEST_SIDE = PNG_UINT_31_MAX };

/// Where libpng's errors land. A public function calls `setjmp(fence.escape)`
/// before it calls libpng; the fence then holds why it was left.
typedef struct {
    jmp_buf escape;
    /// What the next error means. libpng tells only its words, so a callback
    /// that knows better than "corrupt" says so here before it fails.
    tintype_png_status status;
    char message[128];
} tintype_png_fence;

/// Clears the fence.
void tintype_png_fence_raise(tintype_png_fence *fence);

/// Leaves libpng for the fence's `setjmp`.
_Noreturn void tintype_png_fence_escape(tintype_png_fence *fence, tintype_png_status status, const char *message);

/// As libpng's functions, with errors and memory going by the fence. Escapes
/// rather than return null.
png_structp tintype_png_create_read(tintype_png_fence *fence);
png_structp tintype_png_create_write(tintype_png_fence *fence);
png_infop tintype_png_create_info(tintype_png_fence *fence, png_structp png);

/// Has libpng read the pixels and what they need; the survey has seen to the rest.
void tintype_png_keep_pixels_alone(png_structp png, const tintype_png_limits *limits);

/// Has libpng make 8-bit RGBA of whatever is stored; returns the passes that come.
int tintype_png_ask_for_rgba(png_structp png, png_infop info, bool is_wide);

/// A chunk, of which the length and type have come.
typedef struct {
    uint32_t length;
    const uint8_t *type;
    const uint8_t *data;
    /// Whether data and checksum have come as well.
    bool is_whole;
} tintype_png_chunk;

/// A place in the row of chunks that a PNG is.
typedef struct {
    const uint8_t *next;
    size_t left;
} tintype_png_walk;

/// Begins before the first chunk: OK, NEEDS_MORE, or CORRUPT if these bytes begin no PNG.
tintype_png_status tintype_png_walk_begin(tintype_png_walk *walk, const uint8_t *bytes, size_t count);

/// Moves past a chunk: OK, NEEDS_MORE, or CORRUPT if no chunk is there.
tintype_png_status tintype_png_walk_next(tintype_png_walk *walk, tintype_png_chunk *chunk);

bool tintype_png_chunk_is(const tintype_png_chunk *chunk, const char *type);

/// Fills in what `header` tells of chunks before the first IDAT that libpng is
/// not asked to read: OK, NEEDS_MORE, CORRUPT, UNSUPPORTED or LIMIT, which a
/// chunk's length alone is enough for.
tintype_png_status tintype_png_survey(
    const uint8_t *bytes, size_t count, const tintype_png_limits *limits, tintype_png_header *header);

#endif
