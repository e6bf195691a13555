#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>
#include <stdint.h>

/// Makes the calling thread treat subnormal floating-point numbers as zero, and returns the mode that it had before.
static inline uint64_t tintype_jxl_ignore_subnormals(void) {
#if defined(__x86_64__)
    // MXCSR: bit 6 for operands, bit 15 for results.
    uint32_t mode, changed;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    changed = mode | 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(changed) : "memory");
    return mode;
#elif defined(__aarch64__)
    // FPCR: bit 24 for both.
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | 1 << 24) : "memory");
    return mode;
#else
#error "CLibJXL.h cannot make this processor ignore subnormal numbers: add it above"
#endif
}

/// Restores the mode that tintype_jxl_ignore_subnormals returned.
static inline void tintype_jxl_restore_arithmetic(uint64_t mode) {
#if defined(__x86_64__)
    const uint32_t former = (uint32_t)mode;
    __asm__ volatile("ldmxcsr %0" : : "m"(former) : "memory");
#else
    __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory");
#endif
}

#if __linux__
#include <CTintypeLibraries.h>

/// The functions that Tintype calls.
#define TINTYPE_FUNCTIONS(FUNCTION) \
    FUNCTION(JxlColorEncodingSetToSRGB) FUNCTION(JxlDecoderCloseInput) FUNCTION(JxlDecoderCreate) \
    FUNCTION(JxlDecoderDestroy) FUNCTION(JxlDecoderFlushImage) FUNCTION(JxlDecoderGetBasicInfo) \
    FUNCTION(JxlDecoderGetBoxType) FUNCTION(JxlDecoderGetColorAsEncodedProfile) \
    FUNCTION(JxlDecoderGetColorAsICCProfile) FUNCTION(JxlDecoderGetFrameHeader) \
    FUNCTION(JxlDecoderGetICCProfileSize) FUNCTION(JxlDecoderImageOutBufferSize) \
    FUNCTION(JxlDecoderProcessInput) FUNCTION(JxlDecoderReleaseBoxBuffer) FUNCTION(JxlDecoderReleaseInput) \
    FUNCTION(JxlDecoderSetBoxBuffer) FUNCTION(JxlDecoderSetCoalescing) FUNCTION(JxlDecoderSetDecompressBoxes) \
    FUNCTION(JxlDecoderSetImageOutBuffer) FUNCTION(JxlDecoderSetInput) FUNCTION(JxlDecoderSetKeepOrientation) \
    FUNCTION(JxlDecoderSetPreferredColorProfile) FUNCTION(JxlDecoderSkipFrames) \
    FUNCTION(JxlDecoderSubscribeEvents) FUNCTION(JxlEncoderAddBox) FUNCTION(JxlEncoderAddImageFrame) \
    FUNCTION(JxlEncoderCloseBoxes) FUNCTION(JxlEncoderCloseInput) FUNCTION(JxlEncoderCreate) \
    FUNCTION(JxlEncoderDestroy) FUNCTION(JxlEncoderFrameSettingsCreate) \
    FUNCTION(JxlEncoderFrameSettingsSetOption) FUNCTION(JxlEncoderGetError) FUNCTION(JxlEncoderInitBasicInfo) \
    FUNCTION(JxlEncoderInitFrameHeader) FUNCTION(JxlEncoderProcessOutput) FUNCTION(JxlEncoderSetBasicInfo) \
    FUNCTION(JxlEncoderSetColorEncoding) FUNCTION(JxlEncoderSetFrameDistance) FUNCTION(JxlEncoderSetFrameHeader) \
    FUNCTION(JxlEncoderSetFrameLossless) FUNCTION(JxlEncoderUseBoxes)

TINTYPE_FUNCTIONS(TINTYPE_RENAME)
TINTYPE_DECLARE_CALLS(tintype_jxl)
#endif
