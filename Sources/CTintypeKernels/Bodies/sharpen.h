// Unsharp masking. Included by each variant.

enum { sharpened_at_once = 256 };

/// Sharpens at most `sharpened_at_once` pixels. Each step is a loop over bytes, which compilers turn into vectors.
static inline void sharpen_part(
    const uint8_t *source, const uint8_t *blurred, uint8_t *target, size_t width, int32_t amount, int32_t threshold) {
    uint8_t limits[4 * sharpened_at_once];
    for (size_t x = 0; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, source + 4 * x, 4);
        pixel = (pixel >> 24) * 0x01010101u;
        memcpy(limits + 4 * x, &pixel, 4);
    }
    for (size_t i = 0; i < 4 * width; i++) {
        int32_t difference = source[i] - blurred[i];
        int32_t size = difference < 0 ? -difference : difference;
        int32_t change = size > threshold ? (difference * amount + 128) >> 8 : 0;
        int32_t value = source[i] + change;
        value = value < 0 ? 0 : value;
        target[i] = (uint8_t)(value < limits[i] ? value : limits[i]);
    }
    for (size_t x = 0; x < width; x++) { target[4 * x + 3] = limits[4 * x]; }
}

static void sharpen(
    const uint8_t *source, size_t source_stride, const uint8_t *blurred, size_t blurred_stride, uint8_t *target,
    size_t target_stride, size_t width, size_t height, int32_t amount, int32_t threshold) {
    for (size_t y = 0; y < height; y++) {
        const uint8_t *from = source + y * source_stride, *mask = blurred + y * blurred_stride;
        uint8_t *to = target + y * target_stride;
        for (size_t x = 0; x < width; x += sharpened_at_once) {
            size_t count = width - x < sharpened_at_once ? width - x : sharpened_at_once;
            sharpen_part(from + 4 * x, mask + 4 * x, to + 4 * x, count, amount, threshold);
        }
    }
}
