#ifndef CTINTYPE_RAW_LIBRARY_H
#define CTINTYPE_RAW_LIBRARY_H

#include "CTintypeRAW.h"

// The types that functions.h uses, as LibRaw's C interface defines them.

/// The beginning of LibRaw's state, as in versions 0.20 and 0.21. `tintype_raw_open` compares it with what functions
/// return.
typedef struct {
    void *image;
    struct {
        uint16_t raw_height, raw_width, height, width, top_margin, left_margin, iheight, iwidth;
        unsigned raw_pitch;
        double pixel_aspect;
        int flip;
    } sizes;
} libraw_data_t;

typedef struct {
    int type;
    uint16_t height, width, colors, bits;
    unsigned data_size;
    unsigned char data[];
} libraw_processed_image_t;

/// The values of LibRaw that are used.
enum {
    LIBRAW_JPEG = 1,
    LIBRAW_BITMAP = 2,
    LIBRAW_NO_CALLBACKS = 3,
    LIBRAW_SRGB = 1,
    /// The result of libraw_COLOR for samples of all colours at once.
    LIBRAW_ALL_COLORS = 6,
    LIBRAW_UNSUPPORTED = -2,
    LIBRAW_NO_THUMBNAIL = -5,
    LIBRAW_UNSUPPORTED_THUMBNAIL = -6,
    LIBRAW_NOT_IMPLEMENTED = -8,
    LIBRAW_NO_MEMORY = -100007,
    LIBRAW_IO_ERROR = -100009,
    LIBRAW_CANCELLED = -100010,
    LIBRAW_TOO_BIG = -100012,
};

/// The addresses of the functions used.
struct tintype_raw_library {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
    // Null if LibRaw was built without OpenMP.
#define OPTIONAL_FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
};

#endif
