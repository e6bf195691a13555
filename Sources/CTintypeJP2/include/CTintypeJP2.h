#ifndef CTINTYPE_JP2_H
#define CTINTYPE_JP2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Decodes JPEG 2000 with OpenJPEG, which is loaded at run time: a program that links this target needs neither the
// library nor its headers until it opens an image.
//
// Invariant: a reader belongs to one thread at a time. Readers are independent of each other.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_jp2_status {
    TINTYPE_JP2_OK __attribute__((swift_name("ok"))) = 0,
    /// The file is damaged or truncated; the message tells why.
    TINTYPE_JP2_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_JP2_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The cancel hook returned true.
    TINTYPE_JP2_CANCELLED __attribute__((swift_name("cancelled"))) = 3,
} tintype_jp2_status;

/// What the colour channels of an image are.
typedef enum __attribute__((enum_extensibility(closed))) tintype_jp2_colors {
    /// Nothing is stated.
    TINTYPE_JP2_UNSPECIFIED __attribute__((swift_name("unspecified"))) = 0,
    TINTYPE_JP2_RGB __attribute__((swift_name("rgb"))) = 1,
    TINTYPE_JP2_GREY __attribute__((swift_name("grey"))) = 2,
    /// Luma and two colour differences, with the equations of sRGB (sYCC) or of e-sRGB.
    TINTYPE_JP2_YCC __attribute__((swift_name("ycc"))) = 3,
    TINTYPE_JP2_CMYK __attribute__((swift_name("cmyk"))) = 4,
} tintype_jp2_colors;

/// Called while bytes are read. Returns true to cancel; must return normally.
typedef bool (*tintype_jp2_cancel_hook)(void *_Nullable context);

/// The addresses of functions of OpenJPEG.
typedef struct tintype_jp2_library tintype_jp2_library;

/// Returns the names of the functions of `tintype_jp2_library`, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_jp2_function_names(void);

/// Returns the names of the optional functions, which follow the others and may be missing.
const char *const _Nullable *_Nonnull tintype_jp2_optional_function_names(void);

typedef struct tintype_jp2_reader tintype_jp2_reader;

/// A channel of an image.
typedef struct tintype_jp2_channel {
    /// The samples in rows without padding; null until they are decoded.
    const int32_t *_Nullable samples;
    /// The size in samples.
    uint32_t width, height;
    /// The distance between samples on the grid of the image.
    uint32_t step_across, step_down;
    /// The number of bits of a sample, from 1 to 31.
    uint32_t bits;
    bool is_signed;
    /// 0 for a colour, 1 for alpha, 2 for alpha by which the colours are multiplied.
    uint16_t alpha;
} tintype_jp2_channel;

/// The properties of an image.
typedef struct tintype_jp2_header {
    /// The size in pixels.
    uint32_t width, height;
    uint32_t channel_count;
    /// The number of sizes that can be decoded, each half of the one before.
    uint32_t resolution_count;
    tintype_jp2_colors colors;
    /// The ICC profile, valid as long as the reader; its length is 0 if there is none.
    const uint8_t *_Nullable profile;
    size_t profile_bytes;
} tintype_jp2_header;

/// Opens a file and reads its header.
///
/// - bytes: Must outlive the reader.
/// - message: Receives the reason for CORRUPT.
tintype_jp2_status tintype_jp2_open(
    const tintype_jp2_library *library, const uint8_t *bytes, size_t count,
    tintype_jp2_cancel_hook _Nullable is_cancelled, void *_Nullable context, tintype_jp2_reader *_Nullable *_Nonnull reader,
    char *message, size_t message_size);

void tintype_jp2_close(tintype_jp2_reader *_Nullable reader);

/// Returns the properties. After decoding, the colours and the number of channels are those of the decoded image.
tintype_jp2_header tintype_jp2_get_header(const tintype_jp2_reader *reader);

/// Returns a channel of the header, whose index must be less than `channel_count`.
tintype_jp2_channel tintype_jp2_get_channel(const tintype_jp2_reader *reader, uint32_t index);

/// Decodes all samples. Can be called once.
///
/// - reduction: How often the size is halved; less than `resolution_count`.
tintype_jp2_status tintype_jp2_decode(
    tintype_jp2_reader *reader, uint32_t reduction, char *message, size_t message_size);

#pragma clang assume_nonnull end

#endif
