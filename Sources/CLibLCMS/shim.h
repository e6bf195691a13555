#include <lcms2.h>

// lcms2 describes the layout of pixels by macros that Swift cannot import.

/// RGBA of 8 bits.
static const cmsUInt32Number tintype_lcms_rgba_8 = TYPE_RGBA_8;
/// The first byte of four is the grey.
static const cmsUInt32Number tintype_lcms_grey_of_rgba_8 =
    COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(1);
/// 255 is all of an ink.
static const cmsUInt32Number tintype_lcms_cmyk_8 = TYPE_CMYK_8;
/// RGBA of 16 bits.
static const cmsUInt32Number tintype_lcms_rgba_16 = TYPE_RGBA_16;
static const cmsUInt32Number tintype_lcms_grey_of_rgba_16 =
    COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(2);
/// RGBA of floats.
static const cmsUInt32Number tintype_lcms_rgba_float =
    FLOAT_SH(1) | COLORSPACE_SH(PT_RGB) | CHANNELS_SH(3) | EXTRA_SH(1) | BYTES_SH(4);
