#include "CTintypeCairo.h"

// Declared here, and not by the original headers, because SwiftPM applies all flags that pkg-config reports: a program
// would link cairo and load it at launch.

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;

/// The value of CAIRO_FORMAT_ARGB32.
enum { CAIRO_ARGB32 = 0 };

/// The addresses of the functions used.
struct tintype_cairo_library {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
#undef FUNCTION
};

const char *const *tintype_cairo_function_names(void) {
    static const char *const names[] = {
#define FUNCTION(result, name, parameters) #name,
#include "functions.h"
#undef FUNCTION
        NULL};
    _Static_assert(
        sizeof(struct tintype_cairo_library) == sizeof names - sizeof names[0], "one address for each name");
    return names;
}

int tintype_cairo_draw(
    const tintype_cairo_library *library, uint8_t *pixels, int32_t width, int32_t height, size_t stride, double scale,
    void (*draw)(void *owner, void *context), void *owner) {
    cairo_surface_t *surface =
        library->cairo_image_surface_create_for_data(pixels, CAIRO_ARGB32, width, height, (int)stride);
    int status = library->cairo_surface_status(surface);
    if (status == 0) {
        cairo_t *context = library->cairo_create(surface);
        library->cairo_scale(context, scale, scale);
        draw(owner, context);
        status = library->cairo_status(context);
        library->cairo_destroy(context);
        library->cairo_surface_flush(surface);
    }
    // The program may still hold the surface, but the pixels belong to the caller.
    library->cairo_surface_finish(surface);
    library->cairo_surface_destroy(surface);
    return status;
}

const char *tintype_cairo_describe(const tintype_cairo_library *library, int status) {
    return library->cairo_status_to_string(status);
}
