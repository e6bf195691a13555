// Multiplication and division by alpha. Included by each variant.

static inline bytes premultiplied(bytes pixels) {
    const bytes own = IN_ALPHA(255);
    return scaled_bytes(pixels, alphas(pixels) | own);
}

static void premultiply(uint8_t *pixel_rows, size_t stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        uint8_t *row = pixel_rows + y * stride;
        FOR_EACH_VECTOR(row, row, width, premultiplied(pixels));
    }
}

/// Divides with floats, which is exact: a quotient of a 16-bit by an 8-bit number that is not an integer differs from
/// the nearest integer by more than the precision of a float.
static inline uint32_t unpremultiplied(uint32_t pixel) {
    uint32_t alpha = pixel >> 24;
    if (alpha == 255) { return pixel; }
    if (alpha == 0) { return 0; }
    four_bytes channels;
    memcpy(&channels, &pixel, sizeof channels);
    four_ints sums = __builtin_convertvector(channels, four_ints) * 255 + (int32_t)(alpha / 2);
    four_floats quotients = __builtin_convertvector(sums, four_floats) / (float)alpha;
    four_ints whole = __builtin_convertvector(quotients, four_ints);
    four_ints is_over = whole > 255;
    channels = __builtin_convertvector((is_over & 255) | (~is_over & whole), four_bytes);
    memcpy(&pixel, &channels, sizeof pixel);
    return (pixel & 0xFFFFFF) | alpha << 24;
}

static void unpremultiply(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, source + y * source_stride + 4 * x, 4);
            pixel = unpremultiplied(pixel);
            memcpy(target + y * target_stride + 4 * x, &pixel, 4);
        }
    }
}

static void flatten(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height,
    const uint8_t background[4]) {
    bytes behind;
    for (size_t i = 0; i < vector_bytes; i++) { behind[i] = background[i % 4]; }
    for (size_t y = 0; y < height; y++) {
        const uint8_t *from = source + y * source_stride;
        FOR_EACH_VECTOR(
            from, target + y * target_stride, width, laid_over(pixels, behind));
    }
}
