// The functions used of cairo: FUNCTION(result, name, parameters) for each. Define FUNCTION before including this file.

FUNCTION(cairo_surface_t *, cairo_image_surface_create_for_data, (unsigned char *, int, int, int, int))
FUNCTION(int, cairo_surface_status, (cairo_surface_t *))
FUNCTION(void, cairo_surface_flush, (cairo_surface_t *))
FUNCTION(void, cairo_surface_finish, (cairo_surface_t *))
FUNCTION(void, cairo_surface_destroy, (cairo_surface_t *))
FUNCTION(cairo_t *, cairo_create, (cairo_surface_t *))
FUNCTION(void, cairo_scale, (cairo_t *, double, double))
FUNCTION(int, cairo_status, (cairo_t *))
FUNCTION(const char *, cairo_status_to_string, (int))
FUNCTION(void, cairo_destroy, (cairo_t *))
