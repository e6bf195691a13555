// The two passes of resampling. Included by each variant.

/// Bits of fraction of a weight and of an intermediate channel, and the shift and rounding term after each pass.
enum {
    weight_bits = 14,
    kept_bits = 6,
    across_shift = weight_bits - kept_bits,
    down_shift = weight_bits + kept_bits,
    across_half = 1 << (across_shift - 1),
    down_half = 1 << (down_shift - 1),
};

static inline int16_t saturated(int32_t value) {
    return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

static inline uint8_t clamped(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

#ifdef HAS_SUM_OF_TAPS
// The variant has defined sum_of_taps itself: see avx2.c.
#else
/// Returns the weighted sum of `taps` pixels from `pixel` on.
static inline four_ints sum_of_taps(const uint8_t *pixel, const int16_t *weights, size_t taps) {
    four_ints sum = {0};
    for (size_t tap = 0; tap < taps; tap++) {
        four_bytes channels;
        memcpy(&channels, pixel + 4 * tap, sizeof channels);
        sum += __builtin_convertvector(channels, four_ints) * (int32_t)weights[tap];
    }
    return sum;
}
#endif

static void resample_row(
    const uint8_t *source, int16_t *target, size_t width, const int32_t *starts, const int16_t *weights, size_t taps) {
    for (size_t x = 0; x < width; x++, target += 4, weights += taps) {
        four_ints sum = (sum_of_taps(source + 4 * (size_t)starts[x], weights, taps) + across_half) >> across_shift;
        for (int channel = 0; channel < 4; channel++) { target[channel] = saturated(sum[channel]); }
    }
}

#ifdef HAS_TWO_ROWS
#include TWO_ROWS
#endif

static void resample_across(
    const uint8_t *source, size_t source_stride, int16_t *target, size_t target_length, size_t rows, size_t width,
    const int32_t *starts, const int16_t *weights, size_t taps) {
    size_t y = 0;
#ifdef HAS_TWO_ROWS
    for (; y + 2 <= rows; y += 2) {
        resample_two_rows(
            source + y * source_stride, source_stride, target + y * target_length, target_length, width, starts,
            weights, taps);
    }
#endif
    for (; y < rows; y++) {
        resample_row(source + y * source_stride, target + y * target_length, width, starts, weights, taps);
    }
}

/// The number of channels that are summed at once: enough for the widest vectors, few enough for the L1 cache.
enum { block = 256 };

static void sum_block(
    const int16_t *ring, size_t row_length, size_t ring_rows, size_t first, size_t taps, const int16_t *weights,
    int32_t *sums, size_t count) {
    for (size_t i = 0; i < count; i++) { sums[i] = down_half; }
    for (size_t tap = 0; tap < taps; tap++) {
        size_t row = first + tap < ring_rows ? first + tap : first + tap - ring_rows;
        const int16_t *channels = ring + row * row_length;
        int32_t weight = weights[tap];
        if (weight == 0) { continue; }
        for (size_t i = 0; i < count; i++) { sums[i] += channels[i] * weight; }
    }
}

static inline uint8_t at_most(uint8_t value, uint8_t limit) { return value < limit ? value : limit; }

/// Stores pixels with colour limited to alpha, which a filter with negative lobes may exceed.
static void store_block(const int32_t *sums, uint8_t *target, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        uint8_t alpha = clamped(sums[i + 3] >> down_shift);
        for (size_t channel = 0; channel < 3; channel++) {
            target[i + channel] = at_most(clamped(sums[i + channel] >> down_shift), alpha);
        }
        target[i + 3] = alpha;
    }
}

#ifdef HAS_TWO_ROWS
#include DOWN_VECTORS
#endif

static void resample_down(
    const int16_t *ring, size_t row_length, size_t ring_rows, size_t first, size_t taps, const int16_t *weights,
    uint8_t *target, size_t width) {
    size_t channels = 4 * width, done = 0;
#ifdef HAS_TWO_ROWS
    done = resample_down_vectors(ring, row_length, ring_rows, first, taps, weights, target, channels);
#endif
    for (; done < channels; done += block) {
        size_t count = channels - done < block ? channels - done : block;
        int32_t sums[block];
        sum_block(ring + done, row_length, ring_rows, first, taps, weights, sums, count);
        store_block(sums, target + done, count);
    }
}
