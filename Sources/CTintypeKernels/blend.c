#include "CTintypeKernels.h"

#include <string.h>

/// value * share / 255, rounded to nearest, exact for all 8-bit inputs.
static inline unsigned scaled(unsigned value, unsigned share) {
    unsigned product = value * share + 128;
    return (product + (product >> 8)) >> 8;
}

static inline void blend_pixel(const uint8_t *source, uint8_t *target) {
    unsigned rest = 255u - source[3];
    if (rest == 0) {
        memcpy(target, source, 4);
    } else if (rest < 255) {
        for (int channel = 0; channel < 4; channel++) {
            // At most 255, since premultiplied colour is at most its alpha.
            target[channel] = (uint8_t)(source[channel] + scaled(target[channel], rest));
        }
    }
}

void tintype_blend_over(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            blend_pixel(source + y * source_stride + 4 * x, target + y * target_stride + 4 * x);
        }
    }
}

void tintype_copy_pixels(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        memcpy(target + y * target_stride, source + y * source_stride, 4 * width);
    }
}
