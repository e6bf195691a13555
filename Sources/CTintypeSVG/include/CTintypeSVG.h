#ifndef CTINTYPE_SVG_H
#define CTINTYPE_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// A narrow way to librsvg, without GLib's types. It is loaded when it is asked for: with it come 30 other libraries, of
// which a program that meets no SVG is to pay nothing.
//
// A document has no address of its own, so librsvg loads nothing that it refers
// to; librsvg runs no scripts, and bounds elements and the number of references,
// but not how deep they go: each costs stack.
//
// Invariant: a document belongs to one thread at a time. A library is never changed, and may be used by all.

/// What a call came to.
typedef enum __attribute__((enum_extensibility(closed))) tintype_svg_status {
    TINTYPE_SVG_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes are no SVG, or one that librsvg refuses.
    TINTYPE_SVG_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_SVG_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The cancel hook said so.
    TINTYPE_SVG_CANCELLED __attribute__((swift_name("cancelled"))) = 3,
    /// There is no librsvg here, or none that has what is called of it.
    TINTYPE_SVG_UNAVAILABLE __attribute__((swift_name("unavailable"))) = 4,
} tintype_svg_status;

/// Asked after each shape whether to give up; must return normally.
typedef bool (*tintype_svg_cancel_hook)(void *_Nullable context);

/// librsvg, with cairo and GLib.
typedef struct tintype_svg_library tintype_svg_library;

/// Loads the library of that name, as dlopen(3) finds it, until the process ends: OK, MEMORY, or UNAVAILABLE with the
/// reason in `message`, cut to `message_size`.
tintype_svg_status tintype_svg_load(
    const char *name, tintype_svg_library *_Nullable *_Nonnull library, char *message, size_t message_size);

typedef struct tintype_svg_document tintype_svg_document;

/// Reads a whole document: OK, MEMORY, or CORRUPT with the reason in `message`, cut to `message_size`.
tintype_svg_status tintype_svg_open(
    const tintype_svg_library *library, const uint8_t *bytes, size_t count,
    tintype_svg_document *_Nullable *_Nonnull document, char *message, size_t message_size);

void tintype_svg_close(tintype_svg_document *_Nullable document);

/// The size that the document gives itself in pixels, or else that of its view box; 300 × 150 where it has neither, as
/// in CSS 2.1, 10.3.2. May be any number.
void tintype_svg_get_size(tintype_svg_document *document, double *width, double *height);

/// Where the whole document lies, in pixels of what is drawn; what is outside of that is left out.
typedef struct {
    double x, y, width, height;
} tintype_svg_place;

/// Draws the document into 8-bit premultiplied RGBA, `stride` bytes a row, which must be clear before.
///
/// - CANCELLED: `dest` is partly drawn. librsvg goes on without drawing to the end of the document. It asks no one about
///   shapes that it draws aside first: those of a group that is translucent, masked or filtered.
///
/// A hook costs 160 bytes that are never given back: cairo 1.16 loses the list of who is to be told of shapes.
tintype_svg_status tintype_svg_draw(
    tintype_svg_document *document, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_svg_place place, tintype_svg_cancel_hook _Nullable is_cancelled, void *_Nullable context);

#pragma clang assume_nonnull end

#endif
