#ifndef CTINTYPE_SVG_LIBRARY_H
#define CTINTYPE_SVG_LIBRARY_H

#include "CTintypeSVG.h"
#include "types.h"

/// The addresses of the functions used.
struct tintype_svg_library {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
#undef FUNCTION
};

#endif
