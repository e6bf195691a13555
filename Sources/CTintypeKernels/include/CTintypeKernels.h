/// Loops over 8-bit RGBA pixels. No allocation; every function may run on any thread.
///
/// Each loop is compiled for several instruction sets from one text; the best that the machine has is chosen once, when
/// the first loop runs. All arithmetic is on integers or on uncontracted floats, so every variant gives equal results.
#ifndef CTINTYPE_KERNELS_H
#define CTINTYPE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

/// One variant of every loop.
///
/// Strides are bytes from one row to the next. Pointers of input and output do not overlap unless it says "in place".
/// Pixels are premultiplied unless it says "straight".
typedef struct {
    /// The instruction set.
    const char *_Nonnull name;

    // MARK: Alpha

    /// Multiplies straight colour by alpha, in place, rounding to nearest.
    void (*_Nonnull premultiply)(uint8_t *pixels, size_t stride, size_t width, size_t height);

    /// Divides colour by alpha, rounding to nearest; a pixel of alpha 0 becomes transparent black.
    /// Source and target may be the same.
    void (*_Nonnull unpremultiply)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height);

    /// Puts pixels on a background of one colour; source and target may be the same.
    void (*_Nonnull flatten)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, const uint8_t background[4]);

    // MARK: Resampling

    /// Writes rows of `width` intermediate pixels, one for each of `rows` rows of the source, each pixel the weighted
    /// sum of `taps` pixels from `starts[x]` on. The weights of a pixel sum to 1 << 14. Intermediate channels are 16
    /// bits with 6 of fraction, so that neither the precision nor the overshoot of the first pass is lost to the
    /// second. Two rows at once are faster than one after the other; there may be more.
    void (*_Nonnull resample_across)(
        const uint8_t *source, size_t source_stride, int16_t *target, size_t target_length, size_t rows, size_t width,
        const int32_t *starts, const int16_t *weights, size_t taps);

    /// Writes one row of `width` pixels, each the weighted sum of the intermediate pixels above one another in `taps`
    /// rows of `row_length` channels, from row `first` on of a ring of `ring_rows`. Colour is kept at or below alpha.
    void (*_Nonnull resample_down)(
        const int16_t *ring, size_t row_length, size_t ring_rows, size_t first, size_t taps, const int16_t *weights,
        uint8_t *target, size_t width);

    /// Adds `times` times each channel of a row of `width` pixels to the sums of its block of `factor` pixels. What the
    /// last block lacks counts as the last pixel. Before and after these are `margin` blocks all of the first and of the
    /// last pixel. Sums have room for 2^56 pixels.
    void (*_Nonnull add_blocks)(
        const uint8_t *source, size_t width, size_t factor, size_t margin, uint64_t times, uint64_t *sums);

    /// Divides `count` sums by `area`, rounding to nearest, and makes them 0.
    void (*_Nonnull average_blocks)(uint64_t *sums, uint64_t area, uint8_t *target, size_t count);

    // MARK: Moving

    /// Replaces pixels by others.
    void (*_Nonnull copy)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height);

    /// Turns a picture as the Exif orientation `orientation` (1 to 8) asks. `width` and `height` are those of the
    /// source; the target has them exchanged for 5 to 8.
    void (*_Nonnull orient)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, int orientation);

    /// Writes `count` pixels along a line that begins at (`x`, `y`) and goes on by (`next_x`, `next_y`), all in pixels
    /// with 16 bits of fraction, 0 being the middle of the first pixel; mixed linearly from the four pixels around
    /// each place. What is outside the picture is transparent.
    void (*_Nonnull sample)(
        const uint8_t *source, size_t stride, size_t width, size_t height, uint8_t *target, size_t count, int64_t x,
        int64_t y, int64_t next_x, int64_t next_y);

    // MARK: Blurring

    /// Blurs along one axis by three passes of a box: each pixel becomes the sum of those up to `reach` away, at most
    /// 16000, times `full`, plus the next two times `edge`; these weights sum to 1. What is outside counts as the pixel
    /// at the edge. Source and target may be the same. `scratch` has room for 64 numbers a pixel of the axis.
    void (*_Nonnull blur)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, int is_vertical, size_t reach, float full, float edge, uint16_t *scratch);

    // MARK: Colour

    /// Puts the source on the target, in place. `mode` is one of Core Graphics' blend modes, 0 to 27.
    void (*_Nonnull blend)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, int mode);

    /// Makes each straight channel, from 0 to 1, a weighted sum of all four and 1, in place. `matrix` has a row of five
    /// weights for each of red, green, blue and alpha.
    void (*_Nonnull color_matrix)(
        uint8_t *pixels, size_t stride, size_t width, size_t height, const float matrix[20]);

    /// Multiplies each pixel of a row by its own coverage, 255 being all, in place.
    void (*_Nonnull cover)(uint8_t *pixels, const uint8_t *coverage, size_t width);

    /// RGBA to BGRA, and back; source and target may be the same.
    void (*_Nonnull swap_red_and_blue)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height);

    // MARK: Depths: 8 bits, 16 bits, and floats from 0 to 1, rounding to nearest

    void (*_Nonnull narrow_words)(const uint16_t *source, uint8_t *target, size_t count);
    void (*_Nonnull widen_bytes)(const uint8_t *source, uint16_t *target, size_t count);
    /// What is below 0 or no number becomes 0, what is above 1 becomes 255.
    void (*_Nonnull narrow_floats)(const float *source, uint8_t *target, size_t count);
    void (*_Nonnull floats_of_bytes)(const uint8_t *source, float *target, size_t count);
} tintype_kernels;

#pragma clang diagnostic pop

/// The variant that is best on this machine.
const tintype_kernels *_Nonnull tintype_kernels_current(void);

/// The variant at a place of the list of those that this machine can run, plain C first; null beyond the end. For
/// tests that compare them.
const tintype_kernels *_Nullable tintype_kernels_at(size_t index);

#endif
