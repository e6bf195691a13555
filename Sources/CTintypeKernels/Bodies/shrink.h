// Averages over blocks of pixels, for ratios at which resampling weights are too coarse. Included by each variant.

/// The number of pixels whose sum fits into 32 bits.
enum { summed_at_once = 1 << 16 };

static inline void add_block(const uint8_t *source, size_t width, uint64_t times, uint64_t *sums) {
    while (width > 0) {
        size_t count = width < summed_at_once ? width : summed_at_once;
        uint32_t part[4] = {0};
        for (size_t x = 0; x < count; x++) {
            for (size_t channel = 0; channel < 4; channel++) { part[channel] += source[4 * x + channel]; }
        }
        for (size_t channel = 0; channel < 4; channel++) { sums[channel] += times * part[channel]; }
        source += 4 * count;
        width -= count;
    }
}

static inline void add_pixel(const uint8_t *pixel, uint64_t times, uint64_t *sums) {
    for (size_t channel = 0; channel < 4; channel++) { sums[channel] += times * pixel[channel]; }
}

static void add_blocks(
    const uint8_t *source, size_t width, size_t factor, size_t margin, uint64_t times, uint64_t *sums) {
    const uint8_t *last = source + 4 * (width - 1);
    for (size_t i = 0; i < margin; i++, sums += 4) { add_pixel(source, times * factor, sums); }
    size_t x = 0;
    for (; x + factor <= width; x += factor, sums += 4) { add_block(source + 4 * x, factor, times, sums); }
    if (x < width) {
        add_block(source + 4 * x, width - x, times, sums);
        add_pixel(last, times * (factor - (width - x)), sums);
        sums += 4;
    }
    for (size_t i = 0; i < margin; i++, sums += 4) { add_pixel(last, times * factor, sums); }
}

static void average_blocks(uint64_t *sums, uint64_t area, uint8_t *target, size_t count) {
    for (size_t i = 0; i < count; i++) {
        target[i] = (uint8_t)((sums[i] + area / 2) / area);
        sums[i] = 0;
    }
}
