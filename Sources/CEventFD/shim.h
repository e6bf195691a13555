// eventfd(2), which the Glibc module does not export.
#if __has_include(<sys/eventfd.h>)
#include <sys/eventfd.h>
#endif
