#include "CTintypeKernels.h"

/// Bits of fraction: of a weight, of an intermediate channel, and what is left of a sum after each pass.
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

void tintype_resample_across(
    const uint8_t *source, int16_t *target, size_t width, const int32_t *starts, const int16_t *weights, size_t taps) {
    for (size_t x = 0; x < width; x++, target += 4, weights += taps) {
        const uint8_t *pixel = source + 4 * (size_t)starts[x];
        int32_t sum[4] = {across_half, across_half, across_half, across_half};
        for (size_t tap = 0; tap < taps; tap++, pixel += 4) {
            for (int channel = 0; channel < 4; channel++) { sum[channel] += pixel[channel] * weights[tap]; }
        }
        for (int channel = 0; channel < 4; channel++) { target[channel] = saturated(sum[channel] >> across_shift); }
    }
}

/// Channels that are summed at once: enough for the widest vectors, few enough for the first cache.
enum { block = 256 };

static void sum_block(
    const int16_t *ring, size_t row_length, size_t first, size_t taps, const int16_t *weights, int32_t *sums,
    size_t count) {
    for (size_t i = 0; i < count; i++) { sums[i] = down_half; }
    for (size_t tap = 0; tap < taps; tap++) {
        size_t row = first + tap < taps ? first + tap : first + tap - taps;
        const int16_t *channels = ring + row * row_length;
        int32_t weight = weights[tap];
        if (weight == 0) { continue; }
        for (size_t i = 0; i < count; i++) { sums[i] += channels[i] * weight; }
    }
}

static inline uint8_t at_most(uint8_t value, uint8_t limit) { return value < limit ? value : limit; }

/// A filter with negative lobes can leave colour above alpha, which no premultiplied pixel may have.
static void store_block(const int32_t *sums, uint8_t *target, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        uint8_t alpha = clamped(sums[i + 3] >> down_shift);
        for (size_t channel = 0; channel < 3; channel++) {
            target[i + channel] = at_most(clamped(sums[i + channel] >> down_shift), alpha);
        }
        target[i + 3] = alpha;
    }
}

void tintype_resample_down(
    const int16_t *ring, size_t row_length, size_t first, size_t taps, const int16_t *weights, uint8_t *target,
    size_t width) {
    size_t channels = 4 * width;
    for (size_t done = 0; done < channels; done += block) {
        size_t count = channels - done < block ? channels - done : block;
        int32_t sums[block];
        sum_block(ring + done, row_length, first, taps, weights, sums, count);
        store_block(sums, target + done, count);
    }
}
