/// Loops over 8-bit RGBA pixels. No allocation, no global state; every function may run on any thread.
///
/// Strides are bytes from one row to the next. Pointers of input and output do not overlap unless it says "in place".
#ifndef CTINTYPE_KERNELS_H
#define CTINTYPE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/// Multiplies colour by alpha, in place, rounding to nearest.
void tintype_premultiply(uint8_t *pixels, size_t stride, size_t width, size_t height);

/// Divides colour by alpha, rounding to nearest; a pixel of alpha 0 becomes transparent black.
void tintype_unpremultiply(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height);

/// Puts premultiplied pixels on an opaque background given as RGBA; the result is opaque.
void tintype_flatten(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height,
    const uint8_t background[4]);

/// Lays premultiplied pixels over others, in place of these: source + target * (1 - alpha), rounded to nearest.
void tintype_blend_over(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height);

/// Replaces pixels by others.
void tintype_copy_pixels(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height);

/// Writes one row of `width` intermediate pixels, each the weighted sum of `taps` pixels of `source` from `starts[x]`
/// on. The weights of a pixel sum to 1 << 14. Intermediate channels are 16 bits with 6 of fraction, so that neither
/// the precision nor the overshoot of the first pass is lost to the second.
void tintype_resample_across(
    const uint8_t *source, int16_t *target, size_t width, const int32_t *starts, const int16_t *weights, size_t taps);

/// Writes one row of `width` premultiplied pixels, each the weighted sum of the intermediate pixels above one another
/// in `taps` rows of `row_length` channels, which stand in a ring that begins at row `first`. Colour is kept at or
/// below alpha.
void tintype_resample_down(
    const int16_t *ring, size_t row_length, size_t first, size_t taps, const int16_t *weights, uint8_t *target,
    size_t width);

/// Turns a picture as the Exif orientation `orientation` (1 to 8) asks. `width` and `height` are those of the source;
/// the target has them exchanged for 5 to 8.
void tintype_orient(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height,
    int orientation);

#endif
