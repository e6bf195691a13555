/// Loops over 8-bit RGBA pixels. They allocate no memory, and may be called from any thread.
///
/// Each loop is compiled for several instruction sets from one source text. The best one that the machine supports is
/// chosen once, on first use. All arithmetic is on integers or on floats without contraction, so all variants give
/// equal results.
#ifndef CTINTYPE_KERNELS_H
#define CTINTYPE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

/// One variant of every loop.
///
/// Strides are the number of bytes from one row to the next; widths and heights are in pixels. Input and output must
/// not overlap, unless a comment says "in place" or that they may be the same. Pixels are premultiplied, unless a
/// comment says "straight".
typedef struct {
    /// The name of the instruction set.
    const char *_Nonnull name;

    // MARK: Alpha

    /// Multiplies straight colour by alpha, in place, rounded to nearest.
    void (*_Nonnull premultiply)(uint8_t *pixels, size_t stride, size_t width, size_t height);

    /// Divides colour by alpha, rounded to nearest. A pixel with alpha 0 becomes transparent black. Source and target
    /// may be the same.
    void (*_Nonnull unpremultiply)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height);

    /// Composites pixels over an opaque background colour. Source and target may be the same.
    void (*_Nonnull flatten)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, const uint8_t background[4]);

    // MARK: Resampling

    /// Resamples `rows` rows horizontally to `width` intermediate pixels each. Each pixel is the weighted sum of `taps`
    /// source pixels from `starts[x]` on; the weights of a pixel sum to 1 << 14. `target_length` is the number of
    /// channels from one target row to the next. Intermediate channels have 16 bits, 6 of them fraction, so that the
    /// second pass has the precision and the overshoot of the first. Two rows per call are faster than two calls; more
    /// are allowed.
    void (*_Nonnull resample_across)(
        const uint8_t *source, size_t source_stride, int16_t *target, size_t target_length, size_t rows, size_t width,
        const int32_t *starts, const int16_t *weights, size_t taps);

    /// Resamples vertically to one row of `width` pixels. Each pixel is the weighted sum of the intermediate pixels of
    /// its column in `taps` rows, from row `first` on, of a ring of `ring_rows` rows of `row_length` channels. Colour
    /// is limited to alpha.
    void (*_Nonnull resample_down)(
        const int16_t *ring, size_t row_length, size_t ring_rows, size_t first, size_t taps, const int16_t *weights,
        uint8_t *target, size_t width);

    /// Adds each channel of a row of `width` pixels, multiplied by `times`, to the sums of its block of `factor`
    /// pixels. The last pixel fills an incomplete last block. `margin` blocks of the first pixel precede these, and
    /// `margin` blocks of the last pixel follow. A sum can hold 2^56 pixels.
    void (*_Nonnull add_blocks)(
        const uint8_t *source, size_t width, size_t factor, size_t margin, uint64_t times, uint64_t *sums);

    /// Divides `count` sums by `area`, rounded to nearest, and resets them to 0.
    void (*_Nonnull average_blocks)(uint64_t *sums, uint64_t area, uint8_t *target, size_t count);

    // MARK: Moving

    /// Copies pixels.
    void (*_Nonnull copy)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height);

    /// Turns an image with the Exif orientation `orientation` (1 to 8) upright. `width` and `height` are those of the
    /// source; for orientations 5 to 8, the target has them swapped.
    void (*_Nonnull orient)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, int orientation);

    /// Samples `count` pixels along a line that starts at (`x`, `y`) and advances by (`next_x`, `next_y`) per pixel,
    /// with bilinear interpolation. Coordinates are pixels with 16 bits of fraction; 0 is the centre of the first
    /// pixel. Pixels outside the image are transparent.
    void (*_Nonnull sample)(
        const uint8_t *source, size_t stride, size_t width, size_t height, uint8_t *target, size_t count, int64_t x,
        int64_t y, int64_t next_x, int64_t next_y);

    // MARK: Blurring

    /// Blurs along one axis with three box passes. In each pass, a pixel becomes the sum of the pixels up to `reach`
    /// away times `full`, plus the next pixel on either side times `edge`; all weights sum to 1. `reach` is at most
    /// 16000. The edge pixel stands for those outside the image. Source and target may be the same. `scratch` has room
    /// for 64 numbers per pixel of the axis.
    void (*_Nonnull blur)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, int is_vertical, size_t reach, float full, float edge, uint16_t *scratch);

    /// Adds the difference between source and blurred, times `amount` / 256, to the source, where it is greater than
    /// `threshold`. Colours stay between 0 and alpha, and alpha stays. `amount` is 0 to 8,388,607. Target and source
    /// may be the same.
    void (*_Nonnull sharpen)(
        const uint8_t *source, size_t source_stride, const uint8_t *blurred, size_t blurred_stride, uint8_t *target,
        size_t target_stride, size_t width, size_t height, int32_t amount, int32_t threshold);

    // MARK: Colour

    /// Blends the source onto the target, in place. `mode` is a blend mode of Core Graphics (`CGBlendMode`), 0 to 27.
    void (*_Nonnull blend)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height, int mode);

    /// Replaces each straight channel, from 0 to 1, by a weighted sum of all four channels and 1, in place. `matrix`
    /// has a row of five weights for each of red, green, blue and alpha.
    void (*_Nonnull color_matrix)(
        uint8_t *pixels, size_t stride, size_t width, size_t height, const float matrix[20]);

    /// Multiplies each pixel of a row by its coverage, from 0 to 255 for full coverage, in place.
    void (*_Nonnull cover)(uint8_t *pixels, const uint8_t *coverage, size_t width);

    /// Converts RGBA to BGRA or back. Source and target may be the same.
    void (*_Nonnull swap_red_and_blue)(
        const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width,
        size_t height);

    // MARK: Depth conversion between 8 bits, 16 bits, and floats from 0 to 1, rounded to nearest

    /// Converts 16-bit channels to 8 bits.
    void (*_Nonnull narrow_words)(const uint16_t *source, uint8_t *target, size_t count);
    /// Converts 8-bit channels to 16 bits.
    void (*_Nonnull widen_bytes)(const uint8_t *source, uint16_t *target, size_t count);
    /// Converts float channels to 8 bits. Negative values and NaN become 0, values above 1 become 255.
    void (*_Nonnull narrow_floats)(const float *source, uint8_t *target, size_t count);
    /// Converts 8-bit channels to floats.
    void (*_Nonnull floats_of_bytes)(const uint8_t *source, float *target, size_t count);
} tintype_kernels;

#pragma clang diagnostic pop

/// Returns the best variant for this machine.
const tintype_kernels *_Nonnull tintype_kernels_current(void);

/// Returns the variant at an index of those that this machine can run, plain C first; null beyond the end. For tests
/// that compare the variants.
const tintype_kernels *_Nullable tintype_kernels_at(size_t index);

/// Calls a function at once on `count` threads, at most 64, with the calling one, which has the number 0. Those that
/// the system refuses are left out. Returns after the last call.
void tintype_run_threads(int count, void (*_Nonnull work)(void *_Nonnull context, int number), void *_Nonnull context);

#endif
