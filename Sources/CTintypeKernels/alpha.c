#include "CTintypeKernels.h"

/// value * alpha / 255, rounded to nearest, exact for all 8-bit inputs.
static inline uint8_t scaled(unsigned value, unsigned alpha) {
    unsigned product = value * alpha + 128;
    return (uint8_t)((product + (product >> 8)) >> 8);
}

void tintype_premultiply(uint8_t *pixels, size_t stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        uint8_t *pixel = pixels + y * stride;
        for (size_t x = 0; x < width; x++, pixel += 4) {
            unsigned alpha = pixel[3];
            pixel[0] = scaled(pixel[0], alpha);
            pixel[1] = scaled(pixel[1], alpha);
            pixel[2] = scaled(pixel[2], alpha);
        }
    }
}

static inline uint8_t divided(unsigned value, unsigned alpha) {
    unsigned quotient = (value * 255 + alpha / 2) / alpha;
    return quotient > 255 ? 255 : (uint8_t)quotient;
}

static void unpremultiply_pixel(const uint8_t *source, uint8_t *target) {
    unsigned alpha = source[3];
    for (int channel = 0; channel < 3; channel++) {
        target[channel] = alpha == 0 ? 0 : alpha == 255 ? source[channel] : divided(source[channel], alpha);
    }
    target[3] = (uint8_t)alpha;
}

void tintype_unpremultiply(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            unpremultiply_pixel(source + y * source_stride + 4 * x, target + y * target_stride + 4 * x);
        }
    }
}

void tintype_flatten(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height,
    const uint8_t background[4]) {
    for (size_t y = 0; y < height; y++) {
        const uint8_t *from = source + y * source_stride;
        uint8_t *to = target + y * target_stride;
        for (size_t x = 0; x < width; x++, from += 4, to += 4) {
            unsigned rest = 255u - from[3];
            to[0] = (uint8_t)(from[0] + scaled(background[0], rest));
            to[1] = (uint8_t)(from[1] + scaled(background[1], rest));
            to[2] = (uint8_t)(from[2] + scaled(background[2], rest));
            to[3] = 255;
        }
    }
}
