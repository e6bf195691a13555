// The functions used of poppler-glib, cairo and GLib: FUNCTION(result, name, parameters) for each. Define FUNCTION
// before including this file.

FUNCTION(PopplerDocument *, poppler_document_new_from_bytes, (GBytes *, const char *, GError **))
FUNCTION(int, poppler_document_get_n_pages, (PopplerDocument *))
FUNCTION(PopplerPage *, poppler_document_get_page, (PopplerDocument *, int))
FUNCTION(void, poppler_page_get_size, (PopplerPage *, double *, double *))
FUNCTION(void, poppler_page_render, (PopplerPage *, cairo_t *))

FUNCTION(cairo_surface_t *, cairo_image_surface_create_for_data, (unsigned char *, int, int, int, int))
FUNCTION(int, cairo_surface_status, (cairo_surface_t *))
FUNCTION(void, cairo_surface_flush, (cairo_surface_t *))
FUNCTION(void, cairo_surface_destroy, (cairo_surface_t *))
FUNCTION(cairo_t *, cairo_create, (cairo_surface_t *))
FUNCTION(void, cairo_set_source_rgb, (cairo_t *, double, double, double))
FUNCTION(void, cairo_paint, (cairo_t *))
FUNCTION(void, cairo_translate, (cairo_t *, double, double))
FUNCTION(void, cairo_scale, (cairo_t *, double, double))
FUNCTION(int, cairo_status, (cairo_t *))
FUNCTION(void, cairo_destroy, (cairo_t *))

FUNCTION(GBytes *, g_bytes_new_with_free_func, (const void *, size_t, void (*)(void *), void *))
FUNCTION(void, g_bytes_unref, (GBytes *))
FUNCTION(void, g_object_unref, (void *))
FUNCTION(void, g_error_free, (GError *))
