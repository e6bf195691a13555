#include "CBenchmarkControls.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

bool control_can_count_instructions(void) { return RUNNING_ON_VALGRIND > 0; }

void control_begin_instructions(void) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void control_end_instructions(const char *name) {
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}
#else
bool control_can_count_instructions(void) { return false; }
void control_begin_instructions(void) {}
void control_end_instructions(const char *name) { (void)name; }
#endif
