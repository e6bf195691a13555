#ifndef CTINTYPE_PDF_H
#define CTINTYPE_PDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Draws pages of PDF documents with poppler-glib, which is loaded at run time: a program that links this target needs
// neither the library nor its headers until it opens a document.
//
// Invariant: a document belongs to one thread at a time. Documents are independent of each other.

/// The result of a call.
typedef enum __attribute__((enum_extensibility(closed))) tintype_pdf_status {
    TINTYPE_PDF_OK __attribute__((swift_name("ok"))) = 0,
    /// The bytes are not a PDF, or poppler rejects the PDF, for example because it is encrypted.
    TINTYPE_PDF_CORRUPT __attribute__((swift_name("corrupt"))) = 1,
    TINTYPE_PDF_MEMORY __attribute__((swift_name("memory"))) = 2,
    /// The document has no such page.
    TINTYPE_PDF_NO_PAGE __attribute__((swift_name("noPage"))) = 3,
} tintype_pdf_status;

/// The addresses of functions of poppler-glib, cairo and GLib.
typedef struct tintype_pdf_library tintype_pdf_library;

/// Returns the names of the functions of `tintype_pdf_library`, in order, up to a null pointer.
const char *const _Nullable *_Nonnull tintype_pdf_function_names(void);

typedef struct tintype_pdf_document tintype_pdf_document;

/// Opens a document. Poppler keeps a copy of the bytes. Returns OK, MEMORY, or CORRUPT with the reason in `message`,
/// truncated to `message_size` bytes.
tintype_pdf_status tintype_pdf_open(
    const tintype_pdf_library *library, const uint8_t *bytes, size_t count,
    tintype_pdf_document *_Nullable *_Nonnull document, char *message, size_t message_size);

void tintype_pdf_close(tintype_pdf_document *_Nullable document);

int32_t tintype_pdf_page_count(const tintype_pdf_document *document);

/// Returns OK or NO_PAGE, with the size of a page in points (1/72 inch). The numbers may have any value.
tintype_pdf_status tintype_pdf_get_page_size(
    const tintype_pdf_document *document, int32_t page, double *width, double *height);

/// The rectangle of the whole page, in pixels of the target. Parts outside the target are clipped.
typedef struct {
    double x, y, width, height;
} tintype_pdf_placement;

/// Draws a page over white, as 32-bit words, alpha in the highest byte, with rows `stride` bytes apart.
///
/// - OK, NO_PAGE, MEMORY; CORRUPT if nothing could be drawn.
tintype_pdf_status tintype_pdf_draw(
    const tintype_pdf_document *document, int32_t page, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_pdf_placement placement);

#pragma clang assume_nonnull end

#endif
