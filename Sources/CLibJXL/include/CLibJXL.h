#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>
#include <stdint.h>

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
    FUNCTION(JxlDecoderSetParallelRunner) FUNCTION(JxlDecoderSetPreferredColorProfile) FUNCTION(JxlDecoderSkipFrames) \
    FUNCTION(JxlDecoderSubscribeEvents) FUNCTION(JxlEncoderAddBox) FUNCTION(JxlEncoderAddImageFrame) \
    FUNCTION(JxlEncoderCloseBoxes) FUNCTION(JxlEncoderCloseInput) FUNCTION(JxlEncoderCreate) \
    FUNCTION(JxlEncoderDestroy) FUNCTION(JxlEncoderFrameSettingsCreate) \
    FUNCTION(JxlEncoderFrameSettingsSetOption) FUNCTION(JxlEncoderGetError) FUNCTION(JxlEncoderInitBasicInfo) \
    FUNCTION(JxlEncoderInitFrameHeader) FUNCTION(JxlEncoderProcessOutput) FUNCTION(JxlEncoderSetBasicInfo) \
    FUNCTION(JxlEncoderSetColorEncoding) FUNCTION(JxlEncoderSetFrameDistance) FUNCTION(JxlEncoderSetFrameHeader) \
    FUNCTION(JxlEncoderSetFrameLossless) FUNCTION(JxlEncoderSetParallelRunner) FUNCTION(JxlEncoderUseBoxes)

TINTYPE_FUNCTIONS(TINTYPE_RENAME)
TINTYPE_DECLARE_CALLS(tintype_jxl)
#endif
