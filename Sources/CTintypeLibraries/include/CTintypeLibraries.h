/// Calls of libraries that are loaded when they are needed.
///
/// A program that links a library loads it, and all libraries that it needs, at every start: for libavif, libheif and
/// libjxl together, this takes longer than the rest of a whole `tintype info`. So on Linux nothing links them. Their
/// module maps rename their functions (`TINTYPE_RENAME`), and a C file defines the renamed ones (`TINTYPE_CALLS`). Each
/// is a single jump to an address that is set when the library is loaded. A call before that ends the process.
///
/// A list of functions is a macro that applies its argument to every name:
///
///     #define TINTYPE_FUNCTIONS(FUNCTION) FUNCTION(avifDecoderCreate) FUNCTION(avifDecoderParse) …
#ifndef CTINTYPE_LIBRARIES_H
#define CTINTYPE_LIBRARIES_H

#include <stddef.h>

#define TINTYPE_PRAGMA(text) _Pragma(#text)

/// Makes calls of a declared function refer to `tintype_FUNCTION`, so that the name does not collide with the library's
/// own function in a program that links the library as well.
#define TINTYPE_RENAME(function) TINTYPE_PRAGMA(redefine_extname function tintype_##function)

/// Declares what ``TINTYPE_CALLS`` defines.
#define TINTYPE_DECLARE_CALLS(library)                                                                                 \
    const char *const *library##_names(void);                                                                          \
    void library##_connect(const void *addresses);

/// Defines the renamed functions and two functions of Tintype: `LIBRARY_names` returns the names in the library, up to
/// a null pointer; `LIBRARY_connect` sets their addresses, an array in the order of the names. It must be called once,
/// before all calls of the library.
#define TINTYPE_CALLS(library)                                                                                         \
    TINTYPE_FUNCTIONS(TINTYPE_CALL)                                                                                    \
    const char *const *library##_names(void) {                                                                         \
        static const char *const names[] = {TINTYPE_FUNCTIONS(TINTYPE_NAME) NULL};                                     \
        return names;                                                                                                  \
    }                                                                                                                  \
    void library##_connect(const void *addresses) {                                                                    \
        static const void **const slots[] = {TINTYPE_FUNCTIONS(TINTYPE_SLOT) NULL};                                    \
        tintype_connect(slots, addresses);                                                                             \
    }

#define TINTYPE_NAME(function) #function,
#define TINTYPE_SLOT(function) &tintype_address_of_##function,

// A jump leaves all arguments, and the address to return to, where the caller has put them. `endbr64` and `bti c` (as a
// hint) mark places that indirect jumps may reach.
#if defined(__x86_64__)
#define TINTYPE_JUMP(slot) "endbr64\n jmp *" slot "(%rip)\n"
#elif defined(__aarch64__)
#define TINTYPE_JUMP(slot) "hint #34\n adrp x16, " slot "\n ldr x16, [x16, :lo12:" slot "]\n br x16\n"
#else
#error "CTintypeLibraries.h has no jump for this processor: add one above"
#endif

#define TINTYPE_CALL(function)                                                                                         \
    __attribute__((used, visibility("hidden"))) const void *tintype_address_of_##function = NULL;                      \
    __asm__(".pushsection .text\n .p2align 4\n .globl tintype_" #function "\n .hidden tintype_" #function              \
            "\n .type tintype_" #function ", %function\ntintype_" #function ":\n"                                      \
            TINTYPE_JUMP("tintype_address_of_" #function)                                                              \
            ".size tintype_" #function ", . - tintype_" #function "\n .popsection\n");

/// Stores addresses in as many slots, which end with a null pointer.
void tintype_connect(const void **const *slots, const void *addresses);

#endif
