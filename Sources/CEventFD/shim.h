// eventfd(2), which Glibc's module does not show.
#if __has_include(<sys/eventfd.h>)
#include <sys/eventfd.h>
#endif
