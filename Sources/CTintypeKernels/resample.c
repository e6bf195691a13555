#include "CTintypeKernels.h"

enum { weight_bits = 14, half = 1 << (weight_bits - 1) };

static inline uint8_t clamped(int32_t sum) {
    int32_t value = sum >> weight_bits;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void tintype_resample_across(
    const void *source, void *target, size_t width, const int32_t *starts, const int16_t *weights, size_t taps) {
    uint8_t *out = target;
    for (size_t x = 0; x < width; x++, out += 4, weights += taps) {
        const uint8_t *pixel = (const uint8_t *)source + 4 * (size_t)starts[x];
        int32_t sum[4] = {half, half, half, half};
        for (size_t tap = 0; tap < taps; tap++, pixel += 4) {
            for (int channel = 0; channel < 4; channel++) { sum[channel] += pixel[channel] * weights[tap]; }
        }
        for (int channel = 0; channel < 4; channel++) { out[channel] = clamped(sum[channel]); }
    }
}

/// Bytes that are summed at once: enough for the widest vectors, few enough for the first cache.
enum { block = 256 };

static void sum_block(
    const uint8_t *ring, size_t row_bytes, size_t first, size_t taps, const int16_t *weights, int32_t *sums,
    size_t count) {
    for (size_t i = 0; i < count; i++) { sums[i] = half; }
    for (size_t tap = 0; tap < taps; tap++) {
        size_t row = first + tap < taps ? first + tap : first + tap - taps;
        const uint8_t *bytes = ring + row * row_bytes;
        int32_t weight = weights[tap];
        if (weight == 0) { continue; }
        for (size_t i = 0; i < count; i++) { sums[i] += bytes[i] * weight; }
    }
}

static inline uint8_t at_most(uint8_t value, uint8_t limit) { return value < limit ? value : limit; }

/// A filter with negative lobes can leave colour above alpha, which no premultiplied pixel may have.
static void store_block(const int32_t *sums, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        uint8_t alpha = clamped(sums[i + 3]);
        out[i] = at_most(clamped(sums[i]), alpha);
        out[i + 1] = at_most(clamped(sums[i + 1]), alpha);
        out[i + 2] = at_most(clamped(sums[i + 2]), alpha);
        out[i + 3] = alpha;
    }
}

void tintype_resample_down(
    const void *ring, size_t row_bytes, size_t first, size_t taps, const int16_t *weights, void *target, size_t width) {
    size_t bytes = 4 * width;
    for (size_t done = 0; done < bytes; done += block) {
        size_t count = bytes - done < block ? bytes - done : block;
        int32_t sums[block];
        sum_block((const uint8_t *)ring + done, row_bytes, first, taps, weights, sums, count);
        store_block(sums, (uint8_t *)target + done, count);
    }
}
