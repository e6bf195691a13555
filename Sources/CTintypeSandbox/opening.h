#ifndef CTINTYPE_SANDBOX_OPENING_H
#define CTINTYPE_SANDBOX_OPENING_H

#include <stdint.h>

/// Handles the system calls that the filter traps: those that open files. It performs them and records refusals, which
/// a library would pass over in silence.
int tintype_opening_watch(void);

/// The address behind the only instruction whose system calls the filter does not trap.
uint64_t tintype_opening_address(void);

#endif
