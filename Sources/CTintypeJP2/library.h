#ifndef CTINTYPE_JP2_LIBRARY_H
#define CTINTYPE_JP2_LIBRARY_H

#include "CTintypeJP2.h"

#include <sys/types.h>

// The types that functions.h uses, as openjpeg.h of versions 2.1 to 2.5 defines them.

/// More than the size of the parameters, which only OpenJPEG reads and writes.
typedef struct {
    uint64_t reserved[2048];
} opj_dparameters_t;

typedef struct {
    uint32_t dx, dy, w, h, x0, y0, prec, bpp, sgnd, resno_decoded, factor;
    int32_t *data;
    uint16_t alpha;
} opj_image_comp_t;

typedef struct {
    uint32_t x0, y0, x1, y1, numcomps;
    int color_space;
    opj_image_comp_t *comps;
    uint8_t *icc_profile_buf;
    uint32_t icc_profile_len;
} opj_image_t;

/// The beginning of the coding of a component.
typedef struct {
    uint32_t compno, csty, numresolutions;
} opj_tccp_info_t;

typedef struct {
    int tileno;
    uint32_t csty;
    int prg;
    uint32_t numlayers, mct;
    opj_tccp_info_t *tccp_info;
} opj_tile_info_v2_t;

typedef struct {
    uint32_t tx0, ty0, tdx, tdy, tw, th, nbcomps;
    opj_tile_info_v2_t m_default_tile_info;
    opj_tile_info_v2_t *tile_info;
} opj_codestream_info_v2_t;

/// The values of OpenJPEG that are used.
enum {
    OPJ_CODEC_J2K = 0,
    OPJ_CODEC_JP2 = 2,
    OPJ_CLRSPC_SRGB = 1,
    OPJ_CLRSPC_GRAY = 2,
    OPJ_CLRSPC_SYCC = 3,
    OPJ_CLRSPC_EYCC = 4,
    OPJ_CLRSPC_CMYK = 5,
};

/// The addresses of the functions used.
struct tintype_jp2_library {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
#define OPTIONAL_FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
};

#endif
