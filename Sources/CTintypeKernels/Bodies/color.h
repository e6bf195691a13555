// Conversions of single pixels. Included by each variant.

static inline four_floats load_pixel(const uint8_t *pixel) {
    four_bytes channels;
    memcpy(&channels, pixel, sizeof channels);
    return __builtin_convertvector(channels, four_floats);
}

/// Returns channels clamped to 0 to 1; NaN becomes 0.
static inline four_floats limited(four_floats value) {
    const four_floats one = {1, 1, 1, 1};
    value = (four_floats)((four_ints)value & (value > 0));
    four_ints is_over = value > one;
    return (four_floats)((is_over & (four_ints)one) | (~is_over & (four_ints)value));
}

/// Stores channels from 0 to 1, rounded to nearest.
static inline void store_pixel(uint8_t *pixel, four_floats value) {
    four_bytes channels =
        __builtin_convertvector(__builtin_convertvector(limited(value) * 255 + 0.5f, four_ints), four_bytes);
    memcpy(pixel, &channels, sizeof channels);
}

static inline four_floats with_alpha(four_floats color, float alpha) {
    color[3] = alpha;
    return color;
}

static void color_matrix(uint8_t *pixel_rows, size_t stride, size_t width, size_t height, const float matrix[20]) {
    four_floats columns[5];
    for (size_t column = 0; column < 5; column++) {
        for (size_t row = 0; row < 4; row++) { columns[column][row] = matrix[5 * row + column]; }
    }
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            uint8_t *pixel = pixel_rows + y * stride + 4 * x;
            four_floats color = load_pixel(pixel);
            float alpha = color[3];
            if (alpha > 0) { color /= alpha; }
            four_floats mixed = limited(
                columns[0] * color[0] + columns[1] * color[1] + columns[2] * color[2] + columns[3] * (alpha / 255)
                + columns[4]);
            store_pixel(pixel, with_alpha(mixed * mixed[3], mixed[3]));
        }
    }
}

static void cover(uint8_t *pixel_row, const uint8_t *coverage, size_t width) {
    for (size_t x = 0; x < width; x++) {
        for (size_t c = 0; c < 4; c++) { pixel_row[4 * x + c] = scaled_byte(pixel_row[4 * x + c], coverage[x]); }
    }
}

static void swap_red_and_blue(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        const uint8_t *from = source + y * source_stride;
        uint8_t *to = target + y * target_stride;
        for (size_t x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, from + 4 * x, 4);
            pixel = (pixel & 0xFF00FF00) | (pixel & 0xFF) << 16 | (pixel >> 16 & 0xFF);
            memcpy(to + 4 * x, &pixel, 4);
        }
    }
}

static void narrow_words(const uint16_t *source, uint8_t *target, size_t count) {
    // 65535 is 255 times 257.
    for (size_t i = 0; i < count; i++) { target[i] = (uint8_t)((source[i] * 255u + 32895u) >> 16); }
}

static void widen_bytes(const uint8_t *source, uint16_t *target, size_t count) {
    for (size_t i = 0; i < count; i++) { target[i] = (uint16_t)(source[i] * 257); }
}

static void narrow_floats(const float *source, uint8_t *target, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float value = source[i] > 0 ? source[i] : 0;
        target[i] = (uint8_t)(int32_t)((value < 1 ? value : 1) * 255 + 0.5f);
    }
}

static void floats_of_bytes(const uint8_t *source, float *target, size_t count) {
    for (size_t i = 0; i < count; i++) { target[i] = (float)source[i] / 255; }
}
