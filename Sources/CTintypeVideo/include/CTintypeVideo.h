#ifndef CTINTYPE_VIDEO_H
#define CTINTYPE_VIDEO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Decodes single frames of MP4, QuickTime, WebM and Matroska with the libraries of FFmpeg, which are loaded at run
// time: a program that links this target needs neither the libraries nor their headers until it opens a video.
//
// Invariant: a reader belongs to one thread at a time. Readers are independent of each other.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_video_status {
    TINTYPE_VIDEO_OK __attribute__((swift_name("ok"))) = 0,
    /// The file is damaged or truncated; the message tells why.
    TINTYPE_VIDEO_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_VIDEO_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The file has no video, or one that the libraries do not decode.
    TINTYPE_VIDEO_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 3,
    TINTYPE_VIDEO_CANCELLED __attribute__((swift_name("cancelled"))) = 4,
} tintype_video_status;

/// The addresses of functions of libavformat and of the libraries that it links.
typedef struct tintype_video_library tintype_video_library;
/// The addresses of functions of libswscale.
typedef struct tintype_video_scaler tintype_video_scaler;

/// Return the names of the functions, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_video_function_names(void);
const char *const _Nullable *_Nonnull tintype_video_scaler_function_names(void);

/// Whether the libraries have the versions whose types are declared here: those of FFmpeg 5.
bool tintype_video_is_supported(const tintype_video_library *library);

typedef struct tintype_video_reader tintype_video_reader;

/// The properties of the video.
typedef struct tintype_video_header {
    /// Pixels of a frame as it is stored.
    int32_t width, height;
    /// The width of a pixel divided by its height.
    double pixel_ratio;
    /// The orientation as in Exif, 1 to 8.
    int32_t orientation;
    /// In seconds; 0 if it is unknown.
    double duration;
} tintype_video_header;

/// The properties of a decoded frame: code points of ITU-T H.273.
typedef struct tintype_video_frame {
    int32_t width, height;
    int32_t primaries, transfer;
} tintype_video_frame;

/// Opens a file, whose bytes must outlive the reader, and reads its header.
///
/// - container: The name of a demuxer of libavformat: no other is tried.
/// - message: Receives the reason for CORRUPT and UNSUPPORTED.
tintype_video_status tintype_video_open(
    const tintype_video_library *library, const tintype_video_scaler *scaler, const uint8_t *bytes, size_t count,
    const char *container, tintype_video_reader *_Nullable *_Nonnull reader, char *message, size_t message_size);

void tintype_video_close(tintype_video_reader *_Nullable reader);

tintype_video_header tintype_video_get_header(const tintype_video_reader *reader);

/// Decodes the frame that is shown at a time, or the last one before it.
///
/// - seconds: From the beginning of the video.
/// - maximum_pixels: The most pixels that a frame may have.
/// - is_cancelled: Called for each packet.
tintype_video_status tintype_video_decode(
    tintype_video_reader *reader, double seconds, int64_t maximum_pixels, bool (*is_cancelled)(void *_Nullable),
    void *_Nullable context, tintype_video_frame *frame, char *message, size_t message_size);

/// Converts the decoded frame to opaque RGBA of 8 or 16 bits per channel, at another size.
tintype_video_status tintype_video_convert(
    tintype_video_reader *reader, bool is_wide, uint8_t *dest, size_t stride, int32_t width, int32_t height);

#pragma clang assume_nonnull end

#endif
