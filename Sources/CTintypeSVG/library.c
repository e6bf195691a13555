#include "library.h"

const char *const *tintype_svg_function_names(void) {
    static const char *const names[] = {
#define FUNCTION(result, name, parameters) #name,
#include "functions.h"
#undef FUNCTION
        NULL};
    _Static_assert(
        sizeof(struct tintype_svg_library) == sizeof names - sizeof names[0], "one address for each name");
    return names;
}
