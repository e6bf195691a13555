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

/// Whether a matrix keeps the alpha of every pixel, and no colour depends on it.
static bool keeps_alpha(const float matrix[20]) {
    static const float identity[5] = {0, 0, 0, 1, 0};
    for (size_t column = 0; column < 5; column++) {
        if (matrix[15 + column] != identity[column]) { return false; }
    }
    return matrix[3] == 0 && matrix[8] == 0 && matrix[13] == 0;
}

/// Applies such a matrix to eight pixels. Premultiplied colours need no division: instead of 1, alpha is the constant
/// and the limit.
static inline void mix_eight(uint8_t *pixels, const float matrix[20]) {
    eight_words words;
    memcpy(&words, pixels, sizeof words);
    const eight_floats red = EIGHT_FLOATS(words & 255), green = EIGHT_FLOATS(words >> 8 & 255);
    const eight_floats blue = EIGHT_FLOATS(words >> 16 & 255), alpha = EIGHT_FLOATS(words >> 24);
    eight_words result = words & 0xFF000000u;
    for (size_t row = 0; row < 3; row++) {
        const float *weights = matrix + 5 * row;
        eight_floats mixed = red * weights[0] + green * weights[1] + blue * weights[2] + alpha * weights[4];
        // A comparison with NaN is false, so NaN becomes 0.
        mixed = (eight_floats)((eight_ints)mixed & (mixed > 0));
        eight_ints is_over = mixed > alpha;
        mixed = (eight_floats)((is_over & (eight_ints)alpha) | (~is_over & (eight_ints)mixed));
        result |= (eight_words)__builtin_convertvector(mixed + 0.5f, eight_ints) << (uint32_t)(8 * row);
    }
    memcpy(pixels, &result, sizeof result);
}

static void mix_row(uint8_t *pixels, size_t width, const float matrix[20]) {
    size_t x = 0;
    for (; x + 8 <= width; x += 8) { mix_eight(pixels + 4 * x, matrix); }
    if (x == width) { return; }
    uint8_t last[32] = {0};
    memcpy(last, pixels + 4 * x, 4 * (width - x));
    mix_eight(last, matrix);
    memcpy(pixels + 4 * x, last, 4 * (width - x));
}

static void color_matrix(uint8_t *pixel_rows, size_t stride, size_t width, size_t height, const float matrix[20]) {
    if (keeps_alpha(matrix)) {
        for (size_t y = 0; y < height; y++) { mix_row(pixel_rows + y * stride, width, matrix); }
        return;
    }
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
