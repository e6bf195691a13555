#include "CTintypeSVG.h"

#include <stdio.h>

#include <librsvg/rsvg.h>

static RsvgHandle *handle_of(tintype_svg_document *document) {
    return (RsvgHandle *)document;
}

// MARK: Documents

static void tell(GError *error, char *message, size_t message_size) {
    snprintf(message, message_size, "%s", error == NULL ? "unknown" : error->message);
    g_clear_error(&error);
}

tintype_svg_status tintype_svg_open(
    const uint8_t *bytes, size_t count, tintype_svg_document **document, char *message, size_t message_size) {
    GError *error = NULL;
    GInputStream *stream = g_memory_input_stream_new_from_data(bytes, (gssize)count, NULL);
    // Without a base file, nothing outside the document can be referred to.
    RsvgHandle *handle = rsvg_handle_new_from_stream_sync(stream, NULL, RSVG_HANDLE_FLAGS_NONE, NULL, &error);
    g_object_unref(stream);
    *document = (tintype_svg_document *)handle;
    if (handle == NULL) {
        tell(error, message, message_size);
        return TINTYPE_SVG_CORRUPT;
    }
    rsvg_handle_set_dpi(handle, 96);
    return TINTYPE_SVG_OK;
}

void tintype_svg_close(tintype_svg_document *document) {
    if (document != NULL) {
        g_object_unref(document);
    }
}

void tintype_svg_get_size(tintype_svg_document *document, double *width, double *height) {
    gboolean has_width, has_height, has_view_box;
    RsvgLength ignored_width, ignored_height;
    RsvgRectangle view_box;
    if (rsvg_handle_get_intrinsic_size_in_pixels(handle_of(document), width, height)) {
        return;
    }
    rsvg_handle_get_intrinsic_dimensions(
        handle_of(document), &has_width, &ignored_width, &has_height, &ignored_height, &has_view_box, &view_box);
    *width = has_view_box ? view_box.width : 300;
    *height = has_view_box ? view_box.height : 150;
}

// MARK: Drawing

/// Cairo's pixels are 32-bit words, alpha first.
static void make_rgba(uint8_t *dest, size_t stride, uint32_t width, uint32_t height) {
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *pixel = dest + y * stride;
        for (uint32_t x = 0; x < width; x++, pixel += 4) {
            uint32_t argb = *(const uint32_t *)(const void *)pixel;
            pixel[0] = (uint8_t)(argb >> 16);
            pixel[1] = (uint8_t)(argb >> 8);
            pixel[2] = (uint8_t)argb;
            pixel[3] = (uint8_t)(argb >> 24);
        }
    }
}

/// Drawn at its own size through a scale, so that it may be stretched.
static tintype_svg_status draw(tintype_svg_document *document, cairo_surface_t *surface, tintype_svg_place place) {
    RsvgRectangle whole = {.x = 0, .y = 0};
    tintype_svg_get_size(document, &whole.width, &whole.height);
    if (!(whole.width > 0 && whole.height > 0)) {
        return TINTYPE_SVG_CORRUPT;
    }
    cairo_t *context = cairo_create(surface);
    cairo_translate(context, place.x, place.y);
    cairo_scale(context, place.width / whole.width, place.height / whole.height);
    gboolean is_drawn = rsvg_handle_render_document(handle_of(document), context, &whole, NULL);
    cairo_status_t status = cairo_status(context);
    cairo_destroy(context);
    cairo_surface_flush(surface);
    if (status == CAIRO_STATUS_NO_MEMORY) {
        return TINTYPE_SVG_MEMORY;
    }
    return is_drawn && status == CAIRO_STATUS_SUCCESS ? TINTYPE_SVG_OK : TINTYPE_SVG_CORRUPT;
}

typedef struct {
    tintype_svg_cancel_hook is_cancelled;
    void *context;
    bool gave_up;
} interruption;

/// What is drawn on a surface that is finished goes nowhere.
static void ask(cairo_surface_t *observer, cairo_surface_t *target, void *data) {
    (void)observer;
    interruption *asked = data;
    if (!asked->gave_up && asked->is_cancelled(asked->context)) {
        asked->gave_up = true;
        cairo_surface_finish(target);
    }
}

static cairo_surface_t *make_observer(cairo_surface_t *target, interruption *asked) {
    cairo_surface_t *observer = cairo_surface_create_observer(target, CAIRO_SURFACE_OBSERVER_NORMAL);
    cairo_surface_observer_add_paint_callback(observer, ask, asked);
    cairo_surface_observer_add_mask_callback(observer, ask, asked);
    cairo_surface_observer_add_fill_callback(observer, ask, asked);
    cairo_surface_observer_add_stroke_callback(observer, ask, asked);
    cairo_surface_observer_add_glyphs_callback(observer, ask, asked);
    return observer;
}

tintype_svg_status tintype_svg_draw(
    tintype_svg_document *document, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_svg_place place, tintype_svg_cancel_hook is_cancelled, void *context) {
    interruption asked = {.is_cancelled = is_cancelled, .context = context};
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        dest, CAIRO_FORMAT_ARGB32, (int)width, (int)height, (int)stride);
    cairo_surface_t *drawn = is_cancelled == NULL ? cairo_surface_reference(surface) : make_observer(surface, &asked);
    tintype_svg_status status = TINTYPE_SVG_CORRUPT;
    if (cairo_surface_status(drawn) == CAIRO_STATUS_SUCCESS) {
        status = draw(document, drawn, place);
    }
    cairo_surface_destroy(drawn);
    cairo_surface_destroy(surface);
    make_rgba(dest, stride, width, height);
    return asked.gave_up ? TINTYPE_SVG_CANCELLED : status;
}
