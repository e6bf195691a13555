#include "library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct tintype_svg_document {
    const tintype_svg_library *library;
    RsvgHandle *handle;
    /// See tintype_svg_get_size.
    double width, height;
};

// MARK: Documents

/// Returns a length in pixels; NAN for a percentage, which stands for `auto`. librsvg's font has 12 pixels.
static double pixels(int is_given, RsvgLength length) {
    static const double units[] = {NAN, 1, 12, 6, 96, 96 / 2.54, 96 / 25.4, 96 / 72.0, 16};
    return is_given && length.unit <= RSVG_UNIT_PC ? length.length * units[length.unit] : NAN;
}

static void measure(tintype_svg_document *document) {
    const tintype_svg_library *library = document->library;
    if (library->rsvg_handle_get_intrinsic_size_in_pixels(document->handle, &document->width, &document->height)) {
        return;
    }
    int has_width = 0, has_height = 0, has_view_box = 0;
    RsvgLength width = {0}, height = {0};
    RsvgRectangle view_box = {.width = 300, .height = 150};
    library->rsvg_handle_get_intrinsic_dimensions(
        document->handle, &has_width, &width, &has_height, &height, &has_view_box, &view_box);
    const RsvgRectangle standard = has_view_box ? view_box : (RsvgRectangle){.width = 300, .height = 150};
    const double ratio = has_view_box ? standard.width / standard.height : NAN;
    const double across = pixels(has_width, width), down = pixels(has_height, height);
    document->width = !isnan(across) ? across : isfinite(down * ratio) ? down * ratio : standard.width;
    document->height = !isnan(down) ? down : isfinite(across / ratio) ? across / ratio : standard.height;
}

tintype_svg_status tintype_svg_open(
    const tintype_svg_library *library, const uint8_t *bytes, size_t count, tintype_svg_document **document,
    char *message, size_t message_size) {
    *document = NULL;
    tintype_svg_document *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return TINTYPE_SVG_MEMORY;
    }
    opened->library = library;
    GError *error = NULL;
    // Without a base file, the document cannot refer to anything outside itself.
    opened->handle = library->rsvg_handle_new_from_data(bytes, count, &error);
    if (opened->handle == NULL) {
        snprintf(message, message_size, "%s", error == NULL ? "unknown" : error->message);
        if (error != NULL) {
            library->g_error_free(error);
        }
        free(opened);
        return TINTYPE_SVG_CORRUPT;
    }
    library->rsvg_handle_set_dpi(opened->handle, 96);
    measure(opened);
    *document = opened;
    return TINTYPE_SVG_OK;
}

void tintype_svg_close(tintype_svg_document *document) {
    if (document != NULL) {
        document->library->g_object_unref(document->handle);
        free(document);
    }
}

void tintype_svg_get_size(tintype_svg_document *document, double *width, double *height) {
    *width = document->width;
    *height = document->height;
}

// MARK: Drawing

/// Draws the document at its own size through a scale, so that it may be stretched.
static tintype_svg_status draw(
    tintype_svg_document *document, cairo_surface_t *surface, tintype_svg_placement placement) {
    const tintype_svg_library *library = document->library;
    RsvgRectangle whole = {.width = document->width, .height = document->height};
    if (!(whole.width > 0 && whole.height > 0)) {
        return TINTYPE_SVG_CORRUPT;
    }
    cairo_t *context = library->cairo_create(surface);
    library->cairo_translate(context, placement.x, placement.y);
    library->cairo_scale(context, placement.width / whole.width, placement.height / whole.height);
    int is_drawn = library->rsvg_handle_render_document(document->handle, context, &whole, NULL);
    cairo_status_t status = library->cairo_status(context);
    library->cairo_destroy(context);
    library->cairo_surface_flush(surface);
    if (status == CAIRO_STATUS_NO_MEMORY) {
        return TINTYPE_SVG_MEMORY;
    }
    return is_drawn && status == CAIRO_STATUS_SUCCESS ? TINTYPE_SVG_OK : TINTYPE_SVG_CORRUPT;
}

tintype_svg_status tintype_svg_draw(
    tintype_svg_document *document, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_svg_placement placement) {
    const tintype_svg_library *library = document->library;
    cairo_surface_t *surface = library->cairo_image_surface_create_for_data(
        dest, CAIRO_FORMAT_ARGB32, (int)width, (int)height, (int)stride);
    tintype_svg_status status = TINTYPE_SVG_CORRUPT;
    if (library->cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
        status = draw(document, surface, placement);
    }
    library->cairo_surface_destroy(surface);
    return status;
}
