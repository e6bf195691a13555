#ifndef CTINTYPE_JPEG_INTERNAL_H
#define CTINTYPE_JPEG_INTERNAL_H

#include "CTintypeJPEG.h"

#include <setjmp.h>
#include <stdio.h>

// In this order: jerror.h looks at what jpeglib.h configures.
#include <jpeglib.h>

#include <jerror.h>

/// Where libjpeg's errors land. A public function calls `setjmp(fence.escape)`
/// before it calls libjpeg; the fence then holds why it was left.
typedef struct {
    /// First, so that `cinfo->err` is the fence itself.
    struct jpeg_error_mgr manager;
    jmp_buf escape;
    tintype_jpeg_status status;
    /// The first damage met; OK while there is none.
    tintype_jpeg_status damage;
    bool tolerates_damage;
    /// The input has run out and libjpeg reads a made-up end marker: what it
    /// complains about from here on is truncation.
    bool input_ended;
    char message[JMSG_LENGTH_MAX];
} tintype_jpeg_fence;

/// Clears the fence and returns what goes into `cinfo->err`.
struct jpeg_error_mgr *tintype_jpeg_fence_raise(tintype_jpeg_fence *fence);

/// Leaves libjpeg for the fence's `setjmp`.
_Noreturn void tintype_jpeg_fence_escape(tintype_jpeg_fence *fence, tintype_jpeg_status status, const char *message);

/// Notes damage, and escapes unless damage is tolerated.
void tintype_jpeg_fence_note_damage(tintype_jpeg_fence *fence, tintype_jpeg_status damage, const char *message);

/// Has libjpeg keep the segments that `describe` looks at.
void tintype_jpeg_keep_metadata(j_decompress_ptr cinfo);

/// Fills `header` after `jpeg_read_header`; false when the colour space is none we can show.
bool tintype_jpeg_describe(const struct jpeg_decompress_struct *cinfo, tintype_jpeg_header *header);

/// Escapes with LIMIT when more scans than `max_scans` (0 for any) have begun.
void tintype_jpeg_check_scans(j_decompress_ptr cinfo, uint32_t max_scans);

/// Has `jpeg_start_decompress` produce RGBA, or CMYK for the rows below to convert.
void tintype_jpeg_choose_output(j_decompress_ptr cinfo, uint32_t scale_eighths);

/// Reads a few rows as RGBA, `max_rows` at most; 0 at the picture's end or on suspension.
uint32_t tintype_jpeg_read_some_rows(j_decompress_ptr cinfo, uint8_t *dest, size_t stride, uint32_t max_rows);

/// The same, but that a picture of inks stays CMYK: 255 is all of an ink.
uint32_t tintype_jpeg_read_some_inks(j_decompress_ptr cinfo, uint8_t *dest, size_t stride, uint32_t max_rows);

/// The part of a file that has arrived and that libjpeg has yet to use.
typedef struct {
    /// First, so that `cinfo->src` is the feed itself.
    struct jpeg_source_mgr source;
    uint8_t *storage;
    size_t capacity;
    /// Bytes libjpeg skipped that have not arrived.
    size_t to_skip;
} tintype_jpeg_feed;

/// Sets an empty feed up and returns what goes into `cinfo->src`.
struct jpeg_source_mgr *tintype_jpeg_feed_prepare(tintype_jpeg_feed *feed);

/// Copies bytes to the feed's end; false when memory ran out.
bool tintype_jpeg_feed_append(tintype_jpeg_feed *feed, const uint8_t *bytes, size_t count);

#endif
