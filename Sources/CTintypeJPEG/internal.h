#ifndef CTINTYPE_JPEG_INTERNAL_H
#define CTINTYPE_JPEG_INTERNAL_H

#include "CTintypeJPEG.h"

#include <setjmp.h>
#include <stdio.h>

// The order matters: jerror.h depends on macros of jpeglib.h.
#include <jpeglib.h>

#include <jerror.h>

/// The target of libjpeg's errors. A public function calls `setjmp(fence.escape)` before it calls libjpeg. After a
/// jump, the fence holds the reason.
typedef struct {
    /// First member, so that `cinfo->err` points to the fence.
    struct jpeg_error_mgr manager;
    jmp_buf escape;
    tintype_jpeg_status status;
    /// The first damage found, or OK.
    tintype_jpeg_status damage;
    tintype_jpeg_tolerance tolerance;
    /// Whether the input has ended and libjpeg reads an artificial end marker. Errors from here on mean truncation.
    bool input_ended;
    char message[JMSG_LENGTH_MAX];
} tintype_jpeg_fence;

/// Resets the fence and returns the value for `cinfo->err`.
struct jpeg_error_mgr *tintype_jpeg_fence_raise(tintype_jpeg_fence *fence);

/// Jumps out of libjpeg to the fence's `setjmp`.
_Noreturn void tintype_jpeg_fence_escape(tintype_jpeg_fence *fence, tintype_jpeg_status status, const char *message);

/// Records damage, and escapes unless it is tolerated.
///
/// - is_minor: whether damage of this kind and at this position leaves enough of the image: `tintype_jpeg_tolerance`.
void tintype_jpeg_fence_note_damage(
    tintype_jpeg_fence *fence, tintype_jpeg_status damage, bool is_minor, const char *message);

/// Makes libjpeg keep the segments that `describe` reads.
void tintype_jpeg_keep_metadata(j_decompress_ptr cinfo);

/// Fills `header` after `jpeg_read_header`. Returns false if the colour space is unknown.
bool tintype_jpeg_describe(const struct jpeg_decompress_struct *cinfo, tintype_jpeg_header *header);

/// Escapes with LIMIT if more than `max_scans` scans have begun; 0 means no limit.
void tintype_jpeg_check_scans(j_decompress_ptr cinfo, uint32_t max_scans);

/// Makes `jpeg_start_decompress` output RGBA, or CMYK for the functions below to convert.
void tintype_jpeg_choose_output(j_decompress_ptr cinfo, uint32_t scale_eighths);

/// Reads at most `max_rows` rows as RGBA. Returns their number; 0 at the end of the image or on suspension.
uint32_t tintype_jpeg_read_some_rows(j_decompress_ptr cinfo, uint8_t *dest, size_t stride, uint32_t max_rows);

/// Like `tintype_jpeg_read_some_rows`, but CMYK images stay CMYK, where 255 is full ink.
uint32_t tintype_jpeg_read_some_inks(j_decompress_ptr cinfo, uint8_t *dest, size_t stride, uint32_t max_rows);

/// The bytes of a file that have arrived and that libjpeg has not used yet.
typedef struct {
    /// First member, so that `cinfo->src` points to the feed.
    struct jpeg_source_mgr source;
    uint8_t *storage;
    size_t capacity;
    /// The number of bytes that libjpeg skipped and that have not arrived.
    size_t to_skip;
} tintype_jpeg_feed;

/// Initialises an empty feed and returns the value for `cinfo->src`.
struct jpeg_source_mgr *tintype_jpeg_feed_prepare(tintype_jpeg_feed *feed);

/// Appends a copy of the bytes. Returns false if memory runs out.
bool tintype_jpeg_feed_append(tintype_jpeg_feed *feed, const uint8_t *bytes, size_t count);

#endif
