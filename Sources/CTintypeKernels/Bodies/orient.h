// Rotation by multiples of 90° and mirroring. Included by each variant.

/// How to read the source in the order of the target: the first pixel, and the byte offsets to the next pixel of a
/// target row and to the next target row.
typedef struct {
    const uint8_t *origin;
    ptrdiff_t next_pixel;
    ptrdiff_t next_row;
} walk;

static walk walk_for(const uint8_t *source, size_t source_stride, size_t width, size_t height, int orientation) {
    ptrdiff_t stride = (ptrdiff_t)source_stride;
    const uint8_t *right = source + 4 * (width - 1);
    const uint8_t *bottom = source + source_stride * (height - 1);
    const uint8_t *corner = bottom + 4 * (width - 1);
    switch (orientation) {
    case 2: return (walk){right, -4, stride};
    case 3: return (walk){corner, -4, -stride};
    case 4: return (walk){bottom, 4, -stride};
    case 5: return (walk){source, stride, 4};
    case 6: return (walk){bottom, -stride, 4};
    case 7: return (walk){corner, -stride, -4};
    case 8: return (walk){right, stride, -4};
    default: return (walk){source, 4, stride};
    }
}

/// Copies the `width` pixels that end at `last`, in reverse order.
static void copy_mirrored(const uint8_t *last, uint8_t *target, size_t width) {
    size_t x = 0;
    for (; x + 4 <= width; x += 4) {
        four_ints pixels;
        memcpy(&pixels, last - 4 * (ptrdiff_t)(x + 3), sizeof pixels);
        pixels = __builtin_shufflevector(pixels, pixels, 3, 2, 1, 0);
        memcpy(target + 4 * x, &pixels, sizeof pixels);
    }
    for (; x < width; x++) { memcpy(target + 4 * x, last - 4 * (ptrdiff_t)x, 4); }
}

static void copy_rows(walk from, uint8_t *target, size_t stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++, from.origin += from.next_row, target += stride) {
        if (from.next_pixel > 0) {
            memcpy(target, from.origin, 4 * width);
        } else {
            copy_mirrored(from.origin, target, width);
        }
    }
}

/// The side in pixels of the square tiles in which an image is rotated, so that source and target stay in the cache.
enum { tile = 32 };

static void copy_tile(walk from, uint8_t *target, size_t stride, size_t x0, size_t y0, size_t x1, size_t y1) {
    for (size_t y = y0; y < y1; y++) {
        const uint8_t *pixel = from.origin + (ptrdiff_t)y * from.next_row + (ptrdiff_t)x0 * from.next_pixel;
        for (size_t x = x0; x < x1; x++, pixel += from.next_pixel) { memcpy(target + y * stride + 4 * x, pixel, 4); }
    }
}

/// Loads four pixels of a source row, in the order of the target rows that they belong to.
static inline four_ints four_down(walk from, size_t x, size_t y) {
    const uint8_t *first = from.origin + (ptrdiff_t)y * from.next_row + (ptrdiff_t)x * from.next_pixel;
    four_ints pixels;
    memcpy(&pixels, from.next_row > 0 ? first : first - 12, sizeof pixels);
    return from.next_row > 0 ? pixels : __builtin_shufflevector(pixels, pixels, 3, 2, 1, 0);
}

/// Transposes 4×4 pixels in registers.
static inline void copy_sixteen(walk from, uint8_t *target, size_t stride, size_t x, size_t y) {
    four_ints a = four_down(from, x, y), b = four_down(from, x + 1, y);
    four_ints c = four_down(from, x + 2, y), d = four_down(from, x + 3, y);
    four_ints ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    four_ints ab_end = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd_end = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    four_ints rows[4] = {
        __builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
        __builtin_shufflevector(ab_end, cd_end, 0, 1, 4, 5), __builtin_shufflevector(ab_end, cd_end, 2, 3, 6, 7)};
    for (size_t row = 0; row < 4; row++) { memcpy(target + (y + row) * stride + 4 * x, &rows[row], sizeof rows[row]); }
}

static void turn_tile(walk from, uint8_t *target, size_t stride, size_t x0, size_t y0, size_t x1, size_t y1) {
    size_t across = x0 + (x1 - x0) / 4 * 4, down = y0 + (y1 - y0) / 4 * 4;
    for (size_t y = y0; y < down; y += 4) {
        for (size_t x = x0; x < across; x += 4) { copy_sixteen(from, target, stride, x, y); }
    }
    copy_tile(from, target, stride, across, y0, x1, down);
    copy_tile(from, target, stride, x0, down, x1, y1);
}

static void copy_turned(walk from, uint8_t *target, size_t stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y += tile) {
        for (size_t x = 0; x < width; x += tile) {
            turn_tile(
                from, target, stride, x, y, x + tile < width ? x + tile : width,
                y + tile < height ? y + tile : height);
        }
    }
}

static void orient(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height,
    int orientation) {
    walk from = walk_for(source, source_stride, width, height, orientation);
    if (orientation > 4) {
        copy_turned(from, target, target_stride, height, width);
    } else {
        copy_rows(from, target, target_stride, width, height);
    }
}

static void copy(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) { memcpy(target + y * target_stride, source + y * source_stride, 4 * width); }
}
