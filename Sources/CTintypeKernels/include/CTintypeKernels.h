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
    void (*_Nonnull unpremultiply)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height);

    /// Puts pixels on an opaque background given as RGBA; the result is opaque.
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

    // MARK: Turning

    /// Turns a picture as the Exif orientation `orientation` (1 to 8) asks. `width` and `height` are those of the
    /// source; the target has them exchanged for 5 to 8.
    void (*_Nonnull orient)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, int orientation);
} tintype_kernels;

#pragma clang diagnostic pop

/// The variant that is best on this machine.
const tintype_kernels *_Nonnull tintype_kernels_current(void);

/// The variant at a place of the list of those that this machine can run, plain C first; null beyond the end. For
/// tests that compare them.
const tintype_kernels *_Nullable tintype_kernels_at(size_t index);

#endif
