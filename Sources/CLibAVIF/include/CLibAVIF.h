#include <avif/avif.h>
#include <stdbool.h>

/// The file name of the library with these headers.
#if AVIF_VERSION_MAJOR >= 1
#define TINTYPE_AVIF_FILE "libavif.so.16"
#else
#define TINTYPE_AVIF_FILE "libavif.so.15"
#endif

#if __linux__
#include <CTintypeLibraries.h>

/// The functions that Tintype calls.
#define TINTYPE_FUNCTIONS(FUNCTION) \
    FUNCTION(avifCropRectConvertCleanApertureBox) FUNCTION(avifDecoderCreate) FUNCTION(avifDecoderDestroy) \
    FUNCTION(avifDecoderNearestKeyframe) FUNCTION(avifDecoderNthImage) FUNCTION(avifDecoderNthImageMaxExtent) \
    FUNCTION(avifDecoderParse) FUNCTION(avifDecoderSetIOMemory) FUNCTION(avifEncoderAddImage) \
    FUNCTION(avifEncoderCreate) FUNCTION(avifEncoderDestroy) FUNCTION(avifEncoderFinish) \
    FUNCTION(avifImageCreate) FUNCTION(avifImageCreateEmpty) FUNCTION(avifImageDestroy) \
    FUNCTION(avifImageRGBToYUV) FUNCTION(avifImageSetMetadataExif) FUNCTION(avifImageSetMetadataXMP) \
    FUNCTION(avifImageSetProfileICC) FUNCTION(avifImageSetViewRect) FUNCTION(avifImageYUVToRGB) \
    FUNCTION(avifRGBImageSetDefaults) FUNCTION(avifRWDataFree) FUNCTION(avifResultToString)

TINTYPE_FUNCTIONS(TINTYPE_RENAME)
TINTYPE_DECLARE_CALLS(tintype_avif)
#endif

// Functions that libavif 1.0 added or changed. Debian 12 has 0.11.

/// Sets how often a sequence plays; 0 is forever. Returns whether libavif writes it: from 1.0 on.
static inline bool tintype_avif_set_play_count(avifEncoder *encoder, int plays) {
#if AVIF_VERSION >= 1000000
    encoder->repetitionCount = plays == 0 ? AVIF_REPETITION_COUNT_INFINITE : plays - 1;
    return true;
#else
    (void)encoder;
    (void)plays;
    return false;
#endif
}

/// The result of a call that copies metadata. Until 1.0 libavif did not report that memory ran out.
#if AVIF_VERSION >= 1000000
#define TINTYPE_AVIF_RESULT(call) (call)
#else
#define TINTYPE_AVIF_RESULT(call) ((call), AVIF_RESULT_OK)
#endif

/// Copies a colour profile into an image.
static inline avifResult tintype_avif_set_profile(avifImage *image, const uint8_t *bytes, size_t count) {
    return TINTYPE_AVIF_RESULT(avifImageSetProfileICC(image, bytes, count));
}

/// Copies Exif data, from their byte order mark on, into an image.
static inline avifResult tintype_avif_set_exif(avifImage *image, const uint8_t *bytes, size_t count) {
    return TINTYPE_AVIF_RESULT(avifImageSetMetadataExif(image, bytes, count));
}

/// Copies an XMP packet into an image.
static inline avifResult tintype_avif_set_xmp(avifImage *image, const uint8_t *bytes, size_t count) {
    return TINTYPE_AVIF_RESULT(avifImageSetMetadataXMP(image, bytes, count));
}
