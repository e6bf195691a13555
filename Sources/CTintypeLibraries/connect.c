#include "CTintypeLibraries.h"

void tintype_connect(const void **const *slots, const void *addresses) {
    const void *const *next = addresses;
    while (*slots != NULL) {
        **slots++ = *next++;
    }
}
