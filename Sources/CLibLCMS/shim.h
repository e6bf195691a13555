#include <lcms2.h>

// lcms2 describes pixel layouts by macros that Swift cannot import.

/// RGBA, 8 bits per channel.
static const cmsUInt32Number tintype_lcms_rgba_8 = TYPE_RGBA_8;
/// Four bytes per pixel, of which the first is the grey value.
static const cmsUInt32Number tintype_lcms_grey_of_rgba_8 =
    COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(1);
/// CMYK, 8 bits per channel; 255 is full ink.
static const cmsUInt32Number tintype_lcms_cmyk_8 = TYPE_CMYK_8;
/// RGBA, 16 bits per channel.
static const cmsUInt32Number tintype_lcms_rgba_16 = TYPE_RGBA_16;
/// L*, a*, b* and alpha, 16 bits per channel.
static const cmsUInt32Number tintype_lcms_lab_of_rgba_16 =
    COLORSPACE_SH(PT_Lab) | EXTRA_SH(1) | CHANNELS_SH(3) | BYTES_SH(2);
static const cmsUInt32Number tintype_lcms_grey_of_rgba_16 =
    COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(2);
/// RGBA, 32-bit floating point per channel.
static const cmsUInt32Number tintype_lcms_rgba_float =
    FLOAT_SH(1) | COLORSPACE_SH(PT_RGB) | CHANNELS_SH(3) | EXTRA_SH(1) | BYTES_SH(4);
