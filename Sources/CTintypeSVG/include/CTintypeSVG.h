#ifndef CTINTYPE_SVG_H
#define CTINTYPE_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A narrow interface to librsvg without GLib's types. librsvg is loaded on demand, because it brings 30 other
// libraries, which a program without SVGs does not need.
//
// A document has no base address, so librsvg loads nothing that it refers to. librsvg runs no scripts. An assertion of
// librsvg that fails ends the process.
//
// Invariant: one thread at a time may use a document. A library is never changed, and any thread may use it.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_svg_status {
    TINTYPE_SVG_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes are not an SVG, or librsvg rejects it.
    TINTYPE_SVG_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_SVG_MEMORY __attribute__((swift_name("memory"))) = 2,
} tintype_svg_status;

/// The addresses of functions of librsvg, cairo and GLib.
typedef struct tintype_svg_library tintype_svg_library;

/// Returns the names of the functions of `tintype_svg_library`, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_svg_function_names(void);

typedef struct tintype_svg_document tintype_svg_document;

/// Parses a complete document. Returns OK, MEMORY, or CORRUPT with the reason in `message`, truncated to
/// `message_size` bytes.
tintype_svg_status tintype_svg_open(
    const tintype_svg_library *library, const uint8_t *bytes, size_t count,
    tintype_svg_document *_Nullable *_Nonnull document, char *message, size_t message_size);

void tintype_svg_close(tintype_svg_document *_Nullable document);

/// Returns the size of the document in pixels. If it states one side, the other follows from the ratio of its view box;
/// if it states none, it has the size of the view box. Without a view box, sides that are not stated are 300 and 150
/// (CSS 2.1, 10.3.2 and 10.6.2). The numbers may have any value.
void tintype_svg_get_size(tintype_svg_document *document, double *width, double *height);

/// The rectangle of the whole document, in pixels of the target. Parts outside the target are clipped.
typedef struct {
    double x, y, width, height;
} tintype_svg_placement;

/// Draws the document into premultiplied 32-bit words, alpha in the highest byte, with rows `stride` bytes apart, which
/// must be clear before.
tintype_svg_status tintype_svg_draw(
    tintype_svg_document *document, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_svg_placement placement);

#pragma clang assume_nonnull end

#endif
