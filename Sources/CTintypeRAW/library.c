#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/// Looks up all functions.
///
/// - Returns: the name of the first function that is missing, or null.
static const char *find_functions(tintype_raw_library *library, void *handle) {
#define FUNCTION(result, name, parameters)                                                                             \
    if ((library->name = (result(*) parameters)dlsym(handle, #name)) == NULL) {                                        \
        return #name;                                                                                                  \
    }
#include "functions.h"
#undef FUNCTION
    return NULL;
}

tintype_raw_status tintype_raw_load(
    const char *name, tintype_raw_library **library, char *message, size_t message_size) {
    *library = NULL;
    // Never closed: images may be in use until the process ends.
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        snprintf(message, message_size, "%s", reason == NULL ? "unknown" : reason);
        return TINTYPE_RAW_UNAVAILABLE;
    }
    tintype_raw_library *found = calloc(1, sizeof *found);
    if (found == NULL) {
        return TINTYPE_RAW_MEMORY;
    }
    const char *missing = find_functions(found, handle);
    if (missing != NULL) {
        snprintf(message, message_size, "it has no %s", missing);
        free(found);
        return TINTYPE_RAW_UNAVAILABLE;
    }
    found->omp_set_num_threads = (void (*)(int))dlsym(handle, "omp_set_num_threads");
    *library = found;
    return TINTYPE_RAW_OK;
}
