// Sampling along a slanted line. Included by each variant.

/// Returns the pixel at a position; transparent outside the image.
static inline four_ints pixel_at(const uint8_t *source, size_t stride, size_t width, size_t height, int64_t x, int64_t y) {
    if (x < 0 || y < 0 || x >= (int64_t)width || y >= (int64_t)height) { return (four_ints){0}; }
    four_bytes channels;
    memcpy(&channels, source + (size_t)y * stride + 4 * (size_t)x, sizeof channels);
    return __builtin_convertvector(channels, four_ints);
}

static void sample(
    const uint8_t *source, size_t stride, size_t width, size_t height, uint8_t *target, size_t count, int64_t x,
    int64_t y, int64_t next_x, int64_t next_y) {
    for (size_t i = 0; i < count; i++, x += next_x, y += next_y) {
        int64_t left = x >> 16, top = y >> 16;
        int32_t right_part = (int32_t)(x >> 8 & 255), lower_part = (int32_t)(y >> 8 & 255);
        four_ints upper = pixel_at(source, stride, width, height, left, top) * (256 - right_part)
            + pixel_at(source, stride, width, height, left + 1, top) * right_part;
        four_ints lower = pixel_at(source, stride, width, height, left, top + 1) * (256 - right_part)
            + pixel_at(source, stride, width, height, left + 1, top + 1) * right_part;
        four_ints sum = (upper * (256 - lower_part) + lower * lower_part + 32768) >> 16;
        four_bytes channels = __builtin_convertvector(sum, four_bytes);
        memcpy(target + 4 * i, &channels, sizeof channels);
    }
}
