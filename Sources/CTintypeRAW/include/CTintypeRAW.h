#ifndef CTINTYPE_RAW_H
#define CTINTYPE_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Decodes raw images of cameras with LibRaw, which is loaded at run time: a program that links this target needs neither
// the library nor its headers until it opens an image.
//
// Invariant: a file belongs to one thread at a time. Files are independent of each other.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_raw_status {
    TINTYPE_RAW_OK __attribute__((swift_name("ok"))) = 0,
    /// The file is damaged or cut short, or of a camera that LibRaw does not know.
    TINTYPE_RAW_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_RAW_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The cancel hook returned true.
    TINTYPE_RAW_CANCELLED __attribute__((swift_name("cancelled"))) = 3,
    /// The file has no preview that is a JPEG.
    TINTYPE_RAW_NO_PREVIEW __attribute__((swift_name("noPreview"))) = 4,
} tintype_raw_status;

/// Called between the steps of decoding. Returns true to cancel; must return normally.
typedef bool (*tintype_raw_cancel_hook)(void *_Nullable context);

/// The addresses of functions of LibRaw, and of OpenMP if LibRaw uses it.
typedef struct tintype_raw_library tintype_raw_library;

/// Returns the names of the functions of `tintype_raw_library`, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_raw_function_names(void);

/// Returns the names of the functions that follow them, which may be missing.
const char *const _Nullable *_Nonnull tintype_raw_optional_function_names(void);

typedef struct tintype_raw_file tintype_raw_file;

/// Opens a file, whose bytes must outlive it, and reads its header. Returns OK, CORRUPT or MEMORY.
tintype_raw_status tintype_raw_open(
    const tintype_raw_library *library, const uint8_t *bytes, size_t count, tintype_raw_cancel_hook _Nullable is_cancelled,
    void *_Nullable context, tintype_raw_file *_Nullable *_Nonnull file);

void tintype_raw_close(tintype_raw_file *_Nullable file);

/// Returns the size of the upright image in pixels. The file can then only be closed.
void tintype_raw_measure(tintype_raw_file *file, int32_t *width, int32_t *height);

/// An image in memory, of 8-bit RGB without padding, or a JPEG.
typedef struct tintype_raw_image {
    const uint8_t *_Nullable bytes;
    size_t count;
    /// In pixels; 0 for a JPEG.
    uint32_t width;
    uint32_t height;
    /// What `tintype_raw_free` releases.
    void *_Nullable owner;
} tintype_raw_image;

/// Returns the embedded preview, a JPEG: OK, NO_PREVIEW, CORRUPT, MEMORY or CANCELLED.
tintype_raw_status tintype_raw_read_preview(tintype_raw_file *file, tintype_raw_image *image);

/// Develops the image as sRGB, with the white balance of the camera, upright: OK, CORRUPT, MEMORY or CANCELLED.
tintype_raw_status tintype_raw_develop(tintype_raw_file *file, tintype_raw_image *image);

/// Releases an image of the file.
void tintype_raw_free(tintype_raw_file *file, tintype_raw_image image);

#pragma clang assume_nonnull end

#endif
