// The types of librsvg, cairo and GLib that functions.h uses, as far as they are needed here.
//
// They do not come from the original headers, because SwiftPM applies all flags that pkg-config reports: with the
// header folders come the libraries, and a program that links them loads them at launch. Tests/SVGDeclarations compares
// both.

#ifndef CTINTYPE_SVG_TYPES_H
#define CTINTYPE_SVG_TYPES_H

#include <stdint.h>

typedef struct _RsvgHandle RsvgHandle;
typedef enum { RSVG_UNIT_PERCENT, RSVG_UNIT_PX, RSVG_UNIT_PC = 8 } RsvgUnit;
typedef struct {
    double length;
    RsvgUnit unit;
} RsvgLength;
typedef struct _RsvgRectangle {
    double x, y, width, height;
} RsvgRectangle;

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef enum { CAIRO_STATUS_SUCCESS = 0, CAIRO_STATUS_NO_MEMORY = 1 } cairo_status_t;
typedef enum { CAIRO_FORMAT_INVALID = -1, CAIRO_FORMAT_ARGB32 = 0 } cairo_format_t;

typedef struct _GError {
    uint32_t domain;
    int code;
    char *message;
} GError;

#endif
