#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tintype_pdf_document {
    const tintype_pdf_library *library;
    PopplerDocument *document;
};

// MARK: Documents

tintype_pdf_status tintype_pdf_open(
    const tintype_pdf_library *library, const uint8_t *bytes, size_t count, tintype_pdf_document **document,
    char *message, size_t message_size) {
    *document = NULL;
    tintype_pdf_document *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return TINTYPE_PDF_MEMORY;
    }
    // GLib aborts if its own allocation fails, so the copy is allocated with malloc.
    void *copied = malloc(count);
    if (copied == NULL) {
        free(opened);
        return TINTYPE_PDF_MEMORY;
    }
    memcpy(copied, bytes, count);
    GError *error = NULL;
    GBytes *copy = library->g_bytes_new_with_free_func(copied, count, free, copied);
    opened->library = library;
    opened->document = library->poppler_document_new_from_bytes(copy, NULL, &error);
    library->g_bytes_unref(copy);
    if (opened->document != NULL) {
        *document = opened;
        return TINTYPE_PDF_OK;
    }
    snprintf(message, message_size, "%s", error == NULL ? "unknown" : error->message);
    if (error != NULL) {
        library->g_error_free(error);
    }
    free(opened);
    return TINTYPE_PDF_CORRUPT;
}

void tintype_pdf_close(tintype_pdf_document *document) {
    if (document != NULL) {
        document->library->g_object_unref(document->document);
        free(document);
    }
}

int32_t tintype_pdf_page_count(const tintype_pdf_document *document) {
    return document->library->poppler_document_get_n_pages(document->document);
}

/// Returns a page, which the caller unreferences, or null if there is none.
static PopplerPage *get_page(const tintype_pdf_document *document, int32_t page) {
    bool exists = page >= 0 && page < tintype_pdf_page_count(document);
    return exists ? document->library->poppler_document_get_page(document->document, page) : NULL;
}

tintype_pdf_status tintype_pdf_get_page_size(
    const tintype_pdf_document *document, int32_t page, double *width, double *height) {
    PopplerPage *found = get_page(document, page);
    if (found == NULL) {
        return TINTYPE_PDF_NO_PAGE;
    }
    document->library->poppler_page_get_size(found, width, height);
    document->library->g_object_unref(found);
    return TINTYPE_PDF_OK;
}

// MARK: Drawing

/// Draws a page through a scale, so that it may be stretched.
static tintype_pdf_status draw(
    const tintype_pdf_library *library, PopplerPage *page, cairo_surface_t *surface, tintype_pdf_placement placement) {
    double width = 0, height = 0;
    library->poppler_page_get_size(page, &width, &height);
    if (!(width > 0 && height > 0)) {
        return TINTYPE_PDF_CORRUPT;
    }
    cairo_t *context = library->cairo_create(surface);
    library->cairo_set_source_rgb(context, 1, 1, 1);
    library->cairo_paint(context);
    library->cairo_translate(context, placement.x, placement.y);
    library->cairo_scale(context, placement.width / width, placement.height / height);
    library->poppler_page_render(page, context);
    int status = library->cairo_status(context);
    library->cairo_destroy(context);
    library->cairo_surface_flush(surface);
    return status == CAIRO_SUCCESS ? TINTYPE_PDF_OK
        : status == CAIRO_NO_MEMORY ? TINTYPE_PDF_MEMORY
                                    : TINTYPE_PDF_CORRUPT;
}

tintype_pdf_status tintype_pdf_draw(
    const tintype_pdf_document *document, int32_t page, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_pdf_placement placement) {
    const tintype_pdf_library *library = document->library;
    PopplerPage *found = get_page(document, page);
    if (found == NULL) {
        return TINTYPE_PDF_NO_PAGE;
    }
    cairo_surface_t *surface = library->cairo_image_surface_create_for_data(
        dest, CAIRO_ARGB32, (int)width, (int)height, (int)stride);
    tintype_pdf_status status = TINTYPE_PDF_CORRUPT;
    if (library->cairo_surface_status(surface) == CAIRO_SUCCESS) {
        status = draw(library, found, surface, placement);
    }
    library->cairo_surface_destroy(surface);
    library->g_object_unref(found);
    return status;
}
