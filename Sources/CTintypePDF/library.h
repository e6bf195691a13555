#ifndef CTINTYPE_PDF_LIBRARY_H
#define CTINTYPE_PDF_LIBRARY_H

#include "CTintypePDF.h"

// The types that functions.h uses, as far as they are needed here. They do not come from the original headers, because
// SwiftPM applies all flags that pkg-config reports: a program would link poppler and load it at launch.

typedef struct _PopplerDocument PopplerDocument;
typedef struct _PopplerPage PopplerPage;
typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef struct _GBytes GBytes;

typedef struct _GError {
    uint32_t domain;
    int code;
    char *message;
} GError;

/// The values of cairo that are used: of cairo_status_t, and CAIRO_FORMAT_ARGB32.
enum { CAIRO_SUCCESS = 0, CAIRO_NO_MEMORY = 1, CAIRO_ARGB32 = 0 };

/// The addresses of the functions used.
struct tintype_pdf_library {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
#undef FUNCTION
};

#endif
