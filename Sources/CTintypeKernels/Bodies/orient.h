// Turning by quarters and mirroring. Included by each variant.

/// Where the next pixel of a target row, and the next target row, are found in the source; in bytes.
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

/// Copies the pixels that end at `last`, the last of them first.
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

/// Pixels a side of the squares that a picture is turned in, so that both it and its turned form stay in the cache.
enum { tile = 32 };

static void copy_tile(walk from, uint8_t *target, size_t stride, size_t x0, size_t y0, size_t x1, size_t y1) {
    for (size_t y = y0; y < y1; y++) {
        const uint8_t *pixel = from.origin + (ptrdiff_t)y * from.next_row + (ptrdiff_t)x0 * from.next_pixel;
        for (size_t x = x0; x < x1; x++, pixel += from.next_pixel) { memcpy(target + y * stride + 4 * x, pixel, 4); }
    }
}

static void copy_turned(walk from, uint8_t *target, size_t stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y += tile) {
        for (size_t x = 0; x < width; x += tile) {
            copy_tile(
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
