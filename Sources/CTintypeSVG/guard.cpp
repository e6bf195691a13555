#include "guard.h"

#include <setjmp.h>

bool tintype_svg_guard(void (*body)(void *context), void *context) {
    jmp_buf before;
    if (setjmp(before) != 0) {
        return false;
    }
    try {
        body(context);
        return true;
    } catch (...) {
        // Leaving the handler would destroy the panic, which Rust forbids to others by ending the process. The jump
        // passes only this frame; the panic, less than a kilobyte, is leaked.
        longjmp(before, 1);
    }
}
