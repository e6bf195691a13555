#ifndef CTINTYPE_RAW_LIBRARY_H
#define CTINTYPE_RAW_LIBRARY_H

#include "CTintypeRAW.h"

// The types that functions.h uses, as LibRaw's C interface defines them.

typedef struct libraw_data libraw_data_t;

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
    LIBRAW_NO_MEMORY = -100007,
    LIBRAW_CANCELLED = -100010,
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
