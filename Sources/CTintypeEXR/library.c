#include "library.h"

const char *const *tintype_exr_function_names(void) {
    static const char *const names[] = {
#define FUNCTION(result, name, parameters) #name,
#include "functions.h"
        NULL};
    return names;
}
