// The functions used of librsvg, cairo and GLib: FUNCTION(result, name, parameters) for each. Define FUNCTION before
// including this file.

FUNCTION(RsvgHandle *, rsvg_handle_new_from_data, (const uint8_t *, size_t, GError **))
FUNCTION(void, rsvg_handle_set_dpi, (RsvgHandle *, double))
FUNCTION(int, rsvg_handle_get_intrinsic_size_in_pixels, (RsvgHandle *, double *, double *))
FUNCTION(
    void, rsvg_handle_get_intrinsic_dimensions,
    (RsvgHandle *, int *, RsvgLength *, int *, RsvgLength *, int *, RsvgRectangle *))
FUNCTION(int, rsvg_handle_render_document, (RsvgHandle *, cairo_t *, const RsvgRectangle *, GError **))

FUNCTION(cairo_t *, cairo_create, (cairo_surface_t *))
FUNCTION(void, cairo_destroy, (cairo_t *))
FUNCTION(void, cairo_translate, (cairo_t *, double, double))
FUNCTION(void, cairo_scale, (cairo_t *, double, double))
FUNCTION(cairo_status_t, cairo_status, (cairo_t *))

FUNCTION(
    cairo_surface_t *, cairo_image_surface_create_for_data, (unsigned char *, cairo_format_t, int, int, int))
FUNCTION(void, cairo_surface_destroy, (cairo_surface_t *))
FUNCTION(void, cairo_surface_flush, (cairo_surface_t *))
FUNCTION(cairo_status_t, cairo_surface_status, (cairo_surface_t *))

FUNCTION(void, g_object_unref, (void *))
FUNCTION(void, g_error_free, (GError *))
