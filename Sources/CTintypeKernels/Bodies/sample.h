// Sampling along a slanted line. Included by each variant.

/// Returns the pixel at a position; transparent outside the image.
static inline four_bytes pixel_at(
    const uint8_t *source, size_t stride, size_t width, size_t height, int64_t x, int64_t y) {
    if (x < 0 || y < 0 || x >= (int64_t)width || y >= (int64_t)height) { return (four_bytes){0}; }
    four_bytes channels;
    memcpy(&channels, source + (size_t)y * stride + 4 * (size_t)x, sizeof channels);
    return channels;
}

/// Interpolates between the pixel at `upper`, the one to its right, and the two below them, which begin at `lower`. The
/// parts are those of the right and the lower pixels, of 256.
static inline four_bytes mixed_pixels(const uint8_t *upper, const uint8_t *lower, uint32_t right, uint32_t below) {
    eight_bytes pairs[2];
    memcpy(&pairs[0], upper, sizeof pairs[0]);
    memcpy(&pairs[1], lower, sizeof pairs[1]);
    const uint16_t left_part = (uint16_t)(256 - right), right_part = (uint16_t)right;
    const eight_shorts parts = {
        left_part, left_part, left_part, left_part, right_part, right_part, right_part, right_part};
    // At most 255 * 256.
    const eight_shorts above = __builtin_convertvector(pairs[0], eight_shorts) * parts;
    const eight_shorts under = __builtin_convertvector(pairs[1], eight_shorts) * parts;
    const four_shorts first = __builtin_shufflevector(above, above, 0, 1, 2, 3)
        + __builtin_shufflevector(above, above, 4, 5, 6, 7);
    const four_shorts second = __builtin_shufflevector(under, under, 0, 1, 2, 3)
        + __builtin_shufflevector(under, under, 4, 5, 6, 7);
    const four_words sum = __builtin_convertvector(first, four_words) * (256 - below)
        + __builtin_convertvector(second, four_words) * below + 32768;
    return __builtin_convertvector(sum >> 16, four_bytes);
}

/// Returns the first `i` with `start + i * step >= low`, at most `count`, for steps above 0; for steps below 0, with
/// `<`.
static inline size_t first_beyond(int64_t start, int64_t step, int64_t low, size_t count) {
    const int64_t distance = step > 0 ? low - start : start - low + 1;
    if (distance <= 0) { return 0; }
    const int64_t size = step > 0 ? step : -step, steps = (distance + size - 1) / size;
    return steps < (int64_t)count ? (size_t)steps : count;
}

/// Reduces the range of `i` to those with `low <= start + i * step < high`.
static inline void keep_within(
    int64_t start, int64_t step, int64_t low, int64_t high, size_t count, size_t *first, size_t *end) {
    size_t enters = 0, leaves = start >= low && start < high ? count : 0;
    if (step != 0) {
        enters = first_beyond(start, step, step > 0 ? low : high, count);
        leaves = first_beyond(start, step, step > 0 ? high : low, count);
    }
    // An empty range stays within the former one.
    if (enters > *first) { *first = enters < *end ? enters : *end; }
    if (leaves < *end) { *end = leaves > *first ? leaves : *first; }
}

/// Interpolates pixels of which some neighbours may be outside the image.
static void sample_edge(
    const uint8_t *source, size_t stride, size_t width, size_t height, uint8_t *target, size_t count, int64_t x,
    int64_t y, int64_t next_x, int64_t next_y) {
    for (size_t i = 0; i < count; i++, x += next_x, y += next_y) {
        const int64_t left = x >> 16, top = y >> 16;
        const four_bytes neighbours[4] = {
            pixel_at(source, stride, width, height, left, top), pixel_at(source, stride, width, height, left + 1, top),
            pixel_at(source, stride, width, height, left, top + 1),
            pixel_at(source, stride, width, height, left + 1, top + 1)};
        const four_bytes channels = mixed_pixels(
            (const uint8_t *)neighbours, (const uint8_t *)(neighbours + 2), (uint32_t)(x >> 8 & 255),
            (uint32_t)(y >> 8 & 255));
        memcpy(target + 4 * i, &channels, sizeof channels);
    }
}

static void sample(
    const uint8_t *source, size_t stride, size_t width, size_t height, uint8_t *target, size_t count, int64_t x,
    int64_t y, int64_t next_x, int64_t next_y) {
    // Pixels without neighbours in the image are transparent. Those inside have all four.
    const int64_t right = (int64_t)width << 16, bottom = (int64_t)height << 16, pixel = 1 << 16;
    size_t first = 0, end = count;
    keep_within(x, next_x, -pixel, right, count, &first, &end);
    keep_within(y, next_y, -pixel, bottom, count, &first, &end);
    size_t inner = first, inner_end = end;
    keep_within(x, next_x, 0, right - pixel, count, &inner, &inner_end);
    keep_within(y, next_y, 0, bottom - pixel, count, &inner, &inner_end);
    memset(target, 0, 4 * first);
    memset(target + 4 * end, 0, 4 * (count - end));
    sample_edge(
        source, stride, width, height, target + 4 * first, inner - first, x + (int64_t)first * next_x,
        y + (int64_t)first * next_y, next_x, next_y);
    sample_edge(
        source, stride, width, height, target + 4 * inner_end, end - inner_end, x + (int64_t)inner_end * next_x,
        y + (int64_t)inner_end * next_y, next_x, next_y);
    x += (int64_t)inner * next_x;
    y += (int64_t)inner * next_y;
    for (size_t i = inner; i < inner_end; i++, x += next_x, y += next_y) {
        const uint8_t *upper = source + (size_t)(y >> 16) * stride + 4 * (size_t)(x >> 16);
        const four_bytes channels =
            mixed_pixels(upper, upper + stride, (uint32_t)(x >> 8 & 255), (uint32_t)(y >> 8 & 255));
        memcpy(target + 4 * i, &channels, sizeof channels);
    }
}
