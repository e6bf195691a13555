#ifndef CTINTYPE_RAW_H
#define CTINTYPE_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Decodes raw images of cameras with LibRaw, which is loaded at run time: a program that links this target needs
// neither the library nor its headers until it opens an image.
//
// Invariant: a file belongs to one thread at a time. Files are independent of each other.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_raw_status {
    TINTYPE_RAW_OK __attribute__((swift_name("ok"))) = 0,
    /// The file contains invalid data.
    TINTYPE_RAW_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_RAW_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The cancel hook returned true.
    TINTYPE_RAW_CANCELLED __attribute__((swift_name("cancelled"))) = 3,
    /// The file has no preview that is a JPEG.
    TINTYPE_RAW_NO_PREVIEW __attribute__((swift_name("noPreview"))) = 4,
    /// LibRaw does not support the camera, or its encoding of samples.
    TINTYPE_RAW_UNSUPPORTED __attribute__((swift_name("unsupported"))) = 5,
    /// The file ends too early.
    TINTYPE_RAW_TRUNCATED __attribute__((swift_name("truncated"))) = 6,
    /// The image exceeds a limit of LibRaw.
    TINTYPE_RAW_TOO_BIG __attribute__((swift_name("tooBig"))) = 7,
    /// LibRaw is of a version whose state has another layout.
    TINTYPE_RAW_INCOMPATIBLE __attribute__((swift_name("incompatible"))) = 8,
} tintype_raw_status;

/// Called between the steps of decoding. Returns true to cancel; must return normally.
typedef bool (*tintype_raw_cancel_hook)(void *_Nullable context);

/// The addresses of functions of LibRaw, and of OpenMP if LibRaw uses it.
typedef struct tintype_raw_library tintype_raw_library;

/// Returns the names of the functions of `tintype_raw_library`, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_raw_function_names(void);

/// Returns the names of the optional functions of `tintype_raw_library`, which follow the others and may be missing.
const char *const _Nullable *_Nonnull tintype_raw_optional_function_names(void);

typedef struct tintype_raw_file tintype_raw_file;

/// Opens a file, whose bytes must outlive it, and reads its header. Returns OK, CORRUPT, UNSUPPORTED, TRUNCATED,
/// TOO_BIG, MEMORY, CANCELLED or INCOMPATIBLE.
tintype_raw_status tintype_raw_open(
    const tintype_raw_library *library, const uint8_t *bytes, size_t count, tintype_raw_cancel_hook _Nullable is_cancelled,
    void *_Nullable context, tintype_raw_file *_Nullable *_Nonnull file);

void tintype_raw_close(tintype_raw_file *_Nullable file);

/// The header of a file.
typedef struct tintype_raw_header {
    /// The size of the sensor in samples, of which LibRaw unpacks all.
    uint32_t sensor_width, sensor_height;
    /// The size of the part with the image.
    uint32_t active_width, active_height;
    /// The size of the upright image in pixels. Images of sensors with diagonal rows have another one; see
    /// `tintype_raw_measure`.
    uint32_t width, height;
    /// Whether the sensor has one sample for each pixel, of one colour, and not samples of all colours.
    bool is_mosaic;
} tintype_raw_header;

tintype_raw_header tintype_raw_get_header(const tintype_raw_file *file);

/// Returns the size of the upright image in pixels. The file can then only be closed.
void tintype_raw_measure(tintype_raw_file *file, uint32_t *width, uint32_t *height);

/// An image in memory: a JPEG, or samples of 8 bits without padding.
typedef struct tintype_raw_image {
    const uint8_t *_Nullable bytes;
    size_t count;
    /// In pixels; 0 for a JPEG.
    uint32_t width;
    uint32_t height;
    /// 1 for grey, 3 for RGB.
    uint32_t channels;
    /// The memory that `tintype_raw_free` releases.
    void *_Nullable owner;
} tintype_raw_image;

/// Returns the embedded preview, a JPEG. Returns OK, NO_PREVIEW also for a damaged one, or a status of
/// `tintype_raw_open`.
tintype_raw_status tintype_raw_read_preview(tintype_raw_file *file, tintype_raw_image *image);

/// Develops the image as grey or sRGB, with the white balance of the camera, upright. Returns OK, or a status of
/// `tintype_raw_open`.
tintype_raw_status tintype_raw_develop(tintype_raw_file *file, tintype_raw_image *image);

/// Releases an image of the file.
void tintype_raw_free(tintype_raw_file *file, tintype_raw_image image);

#pragma clang assume_nonnull end

#endif
