#include "guard.h"
#include "library.h"

#include <stdio.h>
#include <stdlib.h>

struct tintype_svg_document {
    const tintype_svg_library *library;
    RsvgHandle *handle;
    /// See tintype_svg_get_size.
    double width, height;
    bool states_size;
};

// MARK: Documents

static tintype_svg_status corrupt(
    const tintype_svg_library *library, GError *error, char *message, size_t message_size) {
    snprintf(message, message_size, "%s", error == NULL ? "unknown" : error->message);
    if (error != NULL) {
        library->g_error_free(error);
    }
    return TINTYPE_SVG_CORRUPT;
}

typedef struct {
    tintype_svg_document *document;
    const uint8_t *bytes;
    size_t count;
    GError *error;
} parsing;

static void measure(tintype_svg_document *document) {
    const tintype_svg_library *library = document->library;
    int has_view_box = 0;
    RsvgRectangle view_box;
    document->states_size =
        library->rsvg_handle_get_intrinsic_size_in_pixels(document->handle, &document->width, &document->height);
    if (document->states_size) {
        return;
    }
    library->rsvg_handle_get_intrinsic_dimensions(document->handle, NULL, NULL, NULL, NULL, &has_view_box, &view_box);
    document->states_size = has_view_box;
    document->width = has_view_box ? view_box.width : 300;
    document->height = has_view_box ? view_box.height : 150;
}

static void parse(void *context) {
    parsing *parsing = context;
    tintype_svg_document *document = parsing->document;
    const tintype_svg_library *library = document->library;
    // Without a base file, the document cannot refer to anything outside itself.
    document->handle = library->rsvg_handle_new_from_data(parsing->bytes, parsing->count, &parsing->error);
    if (document->handle != NULL) {
        library->rsvg_handle_set_dpi(document->handle, 96);
        measure(document);
    }
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
    parsing parsing = {.document = opened, .bytes = bytes, .count = count};
    if (tintype_svg_guard(parse, &parsing) && opened->handle != NULL) {
        *document = opened;
        return TINTYPE_SVG_OK;
    }
    tintype_svg_status status =
        parsing.error == NULL ? TINTYPE_SVG_PANIC : corrupt(library, parsing.error, message, message_size);
    tintype_svg_close(opened);
    return status;
}

static void release(void *context) {
    tintype_svg_document *document = context;
    document->library->g_object_unref(document->handle);
}

void tintype_svg_close(tintype_svg_document *document) {
    if (document != NULL) {
        if (document->handle != NULL) {
            tintype_svg_guard(release, document);
        }
        free(document);
    }
}

void tintype_svg_get_size(tintype_svg_document *document, double *width, double *height) {
    *width = document->width;
    *height = document->height;
}

bool tintype_svg_states_size(tintype_svg_document *document) {
    return document->states_size;
}

// MARK: Drawing

typedef struct {
    tintype_svg_document *document;
    cairo_t *context;
    RsvgRectangle whole;
    int is_drawn;
} drawing;

static void render(void *context) {
    drawing *drawing = context;
    tintype_svg_document *document = drawing->document;
    drawing->is_drawn = document->library->rsvg_handle_render_document(
        document->handle, drawing->context, &drawing->whole, NULL);
}

/// Draws the document at its own size through a scale, so that it may be stretched.
static tintype_svg_status draw(
    tintype_svg_document *document, cairo_surface_t *surface, tintype_svg_placement placement) {
    const tintype_svg_library *library = document->library;
    drawing drawing = {.document = document, .whole = {.width = document->width, .height = document->height}};
    if (!(drawing.whole.width > 0 && drawing.whole.height > 0)) {
        return TINTYPE_SVG_CORRUPT;
    }
    drawing.context = library->cairo_create(surface);
    library->cairo_translate(drawing.context, placement.x, placement.y);
    library->cairo_scale(
        drawing.context, placement.width / drawing.whole.width, placement.height / drawing.whole.height);
    bool has_returned = tintype_svg_guard(render, &drawing);
    cairo_status_t status = library->cairo_status(drawing.context);
    library->cairo_destroy(drawing.context);
    library->cairo_surface_flush(surface);
    if (!has_returned) {
        return TINTYPE_SVG_PANIC;
    }
    if (status == CAIRO_STATUS_NO_MEMORY) {
        return TINTYPE_SVG_MEMORY;
    }
    return drawing.is_drawn && status == CAIRO_STATUS_SUCCESS ? TINTYPE_SVG_OK : TINTYPE_SVG_CORRUPT;
}

typedef struct {
    const tintype_svg_library *library;
    tintype_svg_cancel_hook is_cancelled;
    void *context;
    bool gave_up;
} interruption;

/// Called after each shape. Finishing the target discards all further drawing on it.
static void ask(cairo_surface_t *observer, cairo_surface_t *target, void *data) {
    (void)observer;
    interruption *asked = data;
    if (!asked->gave_up && asked->is_cancelled(asked->context)) {
        asked->gave_up = true;
        asked->library->cairo_surface_finish(target);
    }
}

static cairo_surface_t *make_observer(cairo_surface_t *target, interruption *asked) {
    const tintype_svg_library *library = asked->library;
    cairo_surface_t *observer = library->cairo_surface_create_observer(target, CAIRO_SURFACE_OBSERVER_NORMAL);
    library->cairo_surface_observer_add_paint_callback(observer, ask, asked);
    library->cairo_surface_observer_add_mask_callback(observer, ask, asked);
    library->cairo_surface_observer_add_fill_callback(observer, ask, asked);
    library->cairo_surface_observer_add_stroke_callback(observer, ask, asked);
    library->cairo_surface_observer_add_glyphs_callback(observer, ask, asked);
    return observer;
}

tintype_svg_status tintype_svg_draw(
    tintype_svg_document *document, uint8_t *dest, size_t stride, uint32_t width, uint32_t height,
    tintype_svg_placement placement, tintype_svg_cancel_hook is_cancelled, void *context) {
    const tintype_svg_library *library = document->library;
    interruption asked = {.library = library, .is_cancelled = is_cancelled, .context = context};
    cairo_surface_t *surface = library->cairo_image_surface_create_for_data(
        dest, CAIRO_FORMAT_ARGB32, (int)width, (int)height, (int)stride);
    cairo_surface_t *drawn =
        is_cancelled == NULL ? library->cairo_surface_reference(surface) : make_observer(surface, &asked);
    tintype_svg_status status = TINTYPE_SVG_CORRUPT;
    if (library->cairo_surface_status(drawn) == CAIRO_STATUS_SUCCESS) {
        status = draw(document, drawn, placement);
    }
    library->cairo_surface_destroy(drawn);
    library->cairo_surface_destroy(surface);
    return asked.gave_up ? TINTYPE_SVG_CANCELLED : status;
}
