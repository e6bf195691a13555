#ifndef TINTYPE_SVG_GUARD_H
#define TINTYPE_SVG_GUARD_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Calls `body`, and returns false if librsvg panicked in it instead of returning.
///
/// A panic is an assertion of librsvg that hostile input violates. It unwinds the stack like an exception of C++, and
/// ends the process if nothing catches it. A thread whose call has panicked must make no other call that may panic:
/// Rust ends the process at the second one. librsvg built with Rust 1.81 or later ends the process at the first.
bool tintype_svg_guard(void (*body)(void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
