#ifndef CTINTYPE_EXR_READER_H
#define CTINTYPE_EXR_READER_H

#include "library.h"

/// The channels that make an image, in the order of the result.
enum {
    CHANNEL_RED,
    CHANNEL_GREEN,
    CHANNEL_BLUE,
    CHANNEL_ALPHA,
    CHANNEL_LUMINANCE,
    CHANNEL_RED_DIFFERENCE,
    CHANNEL_BLUE_DIFFERENCE,
    CHANNEL_COUNT,
};

struct tintype_exr_reader {
    const tintype_exr_library *library;
    exr_context_t context;
    const uint8_t *bytes;
    size_t count;
    int part;
    bool is_tiled;
    int32_t tile_width, tile_height;
    /// The name of each channel, or null.
    const char *names[CHANNEL_COUNT];
    /// The distance between samples.
    int32_t step_across[CHANNEL_COUNT], step_down[CHANNEL_COUNT];
    /// The last row of samples of each channel that has fewer than pixels, for the first rows of the next band.
    float *last_rows[CHANNEL_COUNT];
    tintype_exr_header header;
    /// The first error that the library reported.
    char message[200];
};

/// Returns the status of a result other than success, and its message.
tintype_exr_status tintype_exr_failure(
    const tintype_exr_reader *reader, exr_result_t result, char *message, size_t message_size);

#endif
