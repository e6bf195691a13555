#ifndef CTINTYPE_EXR_H
#define CTINTYPE_EXR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Decodes OpenEXR with OpenEXRCore, which is loaded at run time: a program that links this target needs neither the
// library nor its headers until it opens an image.
//
// Invariant: a reader belongs to one thread at a time. Readers are independent of each other.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_exr_status {
    TINTYPE_EXR_OK __attribute__((swift_name("ok"))) = 0,
    /// The file is damaged or truncated; the message tells why.
    TINTYPE_EXR_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_EXR_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The file has no flat image with colours, or a compression that the library lacks.
    TINTYPE_EXR_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 3,
} tintype_exr_status;

/// The addresses of functions of OpenEXRCore.
typedef struct tintype_exr_library tintype_exr_library;

/// Returns the names of the functions of `tintype_exr_library`, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_exr_function_names(void);

typedef struct tintype_exr_reader tintype_exr_reader;

/// A rectangle whose sides include both ends.
typedef struct tintype_exr_window {
    int32_t min_x, min_y, max_x, max_y;
} tintype_exr_window;

/// The properties of the first flat image with colours.
typedef struct tintype_exr_header {
    /// The part of the plane that is shown.
    tintype_exr_window display;
    /// The part that has pixels.
    tintype_exr_window data;
    /// The number of rows that are read at once.
    int32_t band_height;
    bool has_alpha;
    /// Whether the only colour is luminance.
    bool is_grey;
    /// Whether a colour has 32 bits.
    bool is_float;
    /// Whether the file states its primaries.
    bool has_chromaticities;
    /// The x and y of red, green, blue and white.
    float chromaticities[8];
} tintype_exr_header;

/// Opens a file, whose bytes must outlive the reader, and reads its header.
///
/// - maximum_side: The largest side of a window and of a tile in pixels.
/// - message: Receives the reason for CORRUPT and UNSUPPORTED.
tintype_exr_status tintype_exr_open(
    const tintype_exr_library *library, const uint8_t *bytes, size_t count, int32_t maximum_side,
    tintype_exr_reader *_Nullable *_Nonnull reader, char *message, size_t message_size);

void tintype_exr_close(tintype_exr_reader *_Nullable reader);

tintype_exr_header tintype_exr_get_header(const tintype_exr_reader *reader);

/// Reads a band of rows of the data window: red, green, blue and alpha as linear light. Bands are read in order.
///
/// - band: The number of the band from the top.
/// - luma: The share of red, green and blue in luminance.
/// - rgba: Receives four numbers for each pixel, in rows of the width of the data window.
tintype_exr_status tintype_exr_read_band(
    tintype_exr_reader *reader, int32_t band, const float luma[_Nonnull 3], float *rgba, char *message,
    size_t message_size);

#pragma clang assume_nonnull end

#endif
