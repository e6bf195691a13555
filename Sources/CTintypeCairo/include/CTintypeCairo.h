#ifndef CTINTYPE_CAIRO_H
#define CTINTYPE_CAIRO_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Canvases of cairo, which is loaded at run time: a program that links this target needs neither the library nor its
// headers until it draws.

/// The addresses of functions of cairo.
typedef struct tintype_cairo_library tintype_cairo_library;

/// Returns the names of the functions of `tintype_cairo_library`, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_cairo_function_names(void);

/// Draws over pixels: 32-bit words with premultiplied alpha in the highest byte.
///
/// - stride: The bytes from one row to the next, a multiple of 4.
/// - scale: The pixels for each unit of the canvas.
/// - draw: Receives the context, a `cairo_t`, which is valid during the call.
///
/// Returns the status of the context afterwards, a `cairo_status_t`: 0 if all is well, 1 without enough memory.
int tintype_cairo_draw(
    const tintype_cairo_library *library, uint8_t *pixels, int32_t width, int32_t height, size_t stride, double scale,
    void (*draw)(void *_Nullable owner, void *context), void *_Nullable owner);

/// Returns the description of a status.
const char *tintype_cairo_describe(const tintype_cairo_library *library, int status);

#pragma clang assume_nonnull end

#endif
