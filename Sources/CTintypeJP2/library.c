#include "library.h"

const char *const *tintype_jp2_function_names(void) {
    static const char *const names[] = {
#define FUNCTION(result, name, parameters) #name,
#include "functions.h"
        NULL};
    return names;
}

const char *const *tintype_jp2_optional_function_names(void) {
    static const char *const names[] = {
#define OPTIONAL_FUNCTION(result, name, parameters) #name,
#include "functions.h"
        NULL};
    return names;
}
