// Compiles only if CTintypeSVG's declarations of librsvg, cairo and GLib agree with their headers. It is not linked
// into any program.

#include <stddef.h>

// CTintypeSVG's declarations, under names of their own.
#define _GError declared_gerror
#define GError declared_error
#define RsvgHandle declared_handle
#define RsvgLength declared_length
#define RsvgUnit declared_unit
#define RSVG_UNIT_PERCENT DECLARED_PERCENT
#define RSVG_UNIT_PX DECLARED_PX
#define RSVG_UNIT_PC DECLARED_PC
#define _RsvgRectangle declared_rsvg_rectangle
#define RsvgRectangle declared_rectangle
#define cairo_t declared_cairo
#define cairo_surface_t declared_surface
#define cairo_status_t declared_status
#define CAIRO_STATUS_SUCCESS DECLARED_SUCCESS
#define CAIRO_STATUS_NO_MEMORY DECLARED_NO_MEMORY
#define cairo_format_t declared_format
#define CAIRO_FORMAT_INVALID DECLARED_INVALID
#define CAIRO_FORMAT_ARGB32 DECLARED_ARGB32
#include "../../Sources/CTintypeSVG/types.h"
#undef _GError
#undef GError
#undef RsvgHandle
#undef RsvgLength
#undef RsvgUnit
#undef RSVG_UNIT_PERCENT
#undef RSVG_UNIT_PX
#undef RSVG_UNIT_PC
#undef _RsvgRectangle
#undef RsvgRectangle
#undef cairo_t
#undef cairo_surface_t
#undef cairo_status_t
#undef CAIRO_STATUS_SUCCESS
#undef CAIRO_STATUS_NO_MEMORY
#undef cairo_format_t
#undef CAIRO_FORMAT_INVALID
#undef CAIRO_FORMAT_ARGB32

#include <librsvg/rsvg.h>

#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define SAME_PLACE(ours, theirs, member)                                                                               \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, member), #theirs "." #member);                           \
    SAME_SIZE(((ours *)0)->member, ((theirs *)0)->member)

SAME_VALUE(DECLARED_SUCCESS, CAIRO_STATUS_SUCCESS);
SAME_VALUE(DECLARED_NO_MEMORY, CAIRO_STATUS_NO_MEMORY);
SAME_VALUE(DECLARED_INVALID, CAIRO_FORMAT_INVALID);
SAME_VALUE(DECLARED_ARGB32, CAIRO_FORMAT_ARGB32);
SAME_SIZE(declared_status, cairo_status_t);
SAME_SIZE(declared_format, cairo_format_t);
SAME_SIZE(declared_rectangle, RsvgRectangle);
SAME_PLACE(declared_rectangle, RsvgRectangle, x);
SAME_PLACE(declared_rectangle, RsvgRectangle, y);
SAME_PLACE(declared_rectangle, RsvgRectangle, width);
SAME_PLACE(declared_rectangle, RsvgRectangle, height);
SAME_VALUE(DECLARED_PERCENT, RSVG_UNIT_PERCENT);
SAME_VALUE(DECLARED_PX, RSVG_UNIT_PX);
SAME_VALUE(DECLARED_PC, RSVG_UNIT_PC);
SAME_SIZE(declared_length, RsvgLength);
SAME_PLACE(declared_length, RsvgLength, length);
SAME_PLACE(declared_length, RsvgLength, unit);
SAME_SIZE(declared_error, GError);
SAME_PLACE(declared_error, GError, domain);
SAME_PLACE(declared_error, GError, code);
SAME_PLACE(declared_error, GError, message);

#define FUNCTION(result, name, parameters)                                                                             \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&(name)), result(*) parameters), #name);
#include "../../Sources/CTintypeSVG/functions.h"
#undef FUNCTION
