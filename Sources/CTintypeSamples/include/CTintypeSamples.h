#ifndef CTINTYPE_SAMPLES_H
#define CTINTYPE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/// A sample image, embedded in the program.
typedef struct {
    const char *name;
    const char *media_type;
    const uint8_t *bytes;
    size_t count;
} tintype_sample;

/// Returns the sample images, which live as long as the program, and sets `count` to their number.
extern const tintype_sample *tintype_samples(size_t *count);

#endif
