// Blending of two images. Included by each variant.
//
// W3C, "Compositing and Blending Level 1", sections 9 and 10; two modes exist only in Core Graphics.

// MARK: Separable modes: a straight channel of the backdrop and one of the source give a straight channel

static inline float least(float a, float b) { return a < b ? a : b; }
static inline float most(float a, float b) { return a > b ? a : b; }

static inline float multiplied(float under, float over) { return under * over; }
static inline float screened(float under, float over) { return under + over - under * over; }
static inline float hard_lit(float under, float over) {
    return over <= 0.5f ? multiplied(under, 2 * over) : screened(under, 2 * over - 1);
}
static inline float overlaid(float under, float over) { return hard_lit(over, under); }
static inline float dodged(float under, float over) {
    return under <= 0 ? 0 : over >= 1 ? 1 : least(1, under / (1 - over));
}
static inline float burnt(float under, float over) {
    return under >= 1 ? 1 : over <= 0 ? 0 : 1 - least(1, (1 - under) / over);
}
static inline float soft_lit(float under, float over) {
    if (over <= 0.5f) { return under - (1 - 2 * over) * under * (1 - under); }
    float lit = under <= 0.25f ? ((16 * under - 12) * under + 4) * under : __builtin_sqrtf(under);
    return under + (2 * over - 1) * (lit - under);
}
static inline float difference(float under, float over) { return under < over ? over - under : under - over; }
static inline float excluded(float under, float over) { return under + over - 2 * under * over; }

// MARK: Non-separable modes

static inline float luminosity(four_floats color) { return 0.3f * color[0] + 0.59f * color[1] + 0.11f * color[2]; }
static inline float lowest(four_floats color) { return least(color[0], least(color[1], color[2])); }
static inline float highest(four_floats color) { return most(color[0], most(color[1], color[2])); }
static inline float saturation(four_floats color) { return highest(color) - lowest(color); }

static inline four_floats clipped(four_floats color) {
    float middle = luminosity(color), low = lowest(color), high = highest(color);
    if (low < 0) { color = middle + (color - middle) * middle / (middle - low); }
    if (high > 1) { color = middle + (color - middle) * (1 - middle) / (high - middle); }
    return color;
}

static inline four_floats with_luminosity(four_floats color, float value) {
    return clipped(color + (value - luminosity(color)));
}

static inline four_floats with_saturation(four_floats color, float value) {
    float range = saturation(color);
    return range > 0 ? (color - lowest(color)) * (value / range) : (four_floats){0};
}

static inline four_floats together(four_floats under, four_floats over, int mode) {
    switch (mode) {
    case 12: return with_luminosity(with_saturation(over, saturation(under)), luminosity(under));
    case 13: return with_luminosity(with_saturation(under, saturation(over)), luminosity(under));
    case 14: return with_luminosity(over, luminosity(under));
    default: return with_luminosity(under, luminosity(over));
    }
}

// MARK: Loops

static inline four_floats straight(four_floats color) { return color[3] > 0 ? color / color[3] : color; }

/// Computes `result`: `MIXED` where source and backdrop overlap, each of them unchanged where it is alone.
#define OVERLAP(MIXED)                                                                                                 \
    four_floats under = straight(back), over = straight(front);                                                        \
    four_floats mixed = (MIXED);                                                                                       \
    four_floats result = front * (1 - back[3]) + back * (1 - front[3]) + mixed * (front[3] * back[3]);                 \
    result = with_alpha(result, front[3] + back[3] - front[3] * back[3]);

#define EACH(FORMULA)                                                                                                  \
    OVERLAP(((four_floats){FORMULA(under[0], over[0]), FORMULA(under[1], over[1]), FORMULA(under[2], over[2]), 0}))

/// Computes `result` with the Porter-Duff factors of the source and of the backdrop.
#define PARTS(OF_FRONT, OF_BACK) four_floats result = front * (OF_FRONT) + back * (OF_BACK);

#define BLEND_LOOP(BODY)                                                                                               \
    for (size_t y = 0; y < height; y++) {                                                                              \
        for (size_t x = 0; x < width; x++) {                                                                           \
            uint8_t *pixel = target + y * target_stride + 4 * x;                                                       \
            four_floats front = load_pixel(source + y * source_stride + 4 * x) / 255;                                  \
            four_floats back = load_pixel(pixel) / 255;                                                                \
            BODY store_blended(pixel, result);                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    return

/// Stores a pixel with colour limited to alpha, which rounding may exceed.
static inline void store_blended(uint8_t *pixel, four_floats value) {
    store_pixel(pixel, value);
    for (int c = 0; c < 3; c++) { pixel[c] = pixel[c] < pixel[3] ? pixel[c] : pixel[3]; }
}

static inline four_floats darker_sum(four_floats front, four_floats back) {
    float alpha = least(1, front[3] + back[3]);
    return with_alpha(alpha - ((front[3] - front) + (back[3] - back)), alpha);
}

static void blend_over(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height) {
    for (size_t y = 0; y < height; y++) {
        uint8_t *row = target + y * target_stride;
        const uint8_t *from = source + y * source_stride;
        size_t x = 0;
        for (; x + vector_pixels <= width; x += vector_pixels) {
            store_bytes(row + 4 * x, laid_over(load_bytes(from + 4 * x), load_bytes(row + 4 * x)));
        }
        for (; x < width; x++) {
            for (size_t c = 0; c < 4; c++) {
                row[4 * x + c] = (uint8_t)(from[4 * x + c] + scaled_byte(row[4 * x + c], 255u - from[4 * x + 3]));
            }
        }
    }
}

static void blend(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height,
    int mode) {
    switch (mode) {
    case 0: blend_over(source, source_stride, target, target_stride, width, height); return;
    case 1: BLEND_LOOP(EACH(multiplied));
    case 2: BLEND_LOOP(EACH(screened));
    case 3: BLEND_LOOP(EACH(overlaid));
    case 4: BLEND_LOOP(EACH(least));
    case 5: BLEND_LOOP(EACH(most));
    case 6: BLEND_LOOP(EACH(dodged));
    case 7: BLEND_LOOP(EACH(burnt));
    case 8: BLEND_LOOP(EACH(soft_lit));
    case 9: BLEND_LOOP(EACH(hard_lit));
    case 10: BLEND_LOOP(EACH(difference));
    case 11: BLEND_LOOP(EACH(excluded));
    case 12:
    case 13:
    case 14:
    case 15: BLEND_LOOP(OVERLAP(together(under, over, mode)));
    case 16: BLEND_LOOP(PARTS(0, 0));
    case 17: BLEND_LOOP(PARTS(1, 0));
    case 18: BLEND_LOOP(PARTS(back[3], 0));
    case 19: BLEND_LOOP(PARTS(1 - back[3], 0));
    case 20: BLEND_LOOP(PARTS(back[3], 1 - front[3]));
    case 21: BLEND_LOOP(PARTS(1 - back[3], 1));
    case 22: BLEND_LOOP(PARTS(0, front[3]));
    case 23: BLEND_LOOP(PARTS(0, 1 - front[3]));
    case 24: BLEND_LOOP(PARTS(1 - back[3], front[3]));
    case 25: BLEND_LOOP(PARTS(1 - back[3], 1 - front[3]));
    case 26: BLEND_LOOP(four_floats result = darker_sum(front, back););
    case 27: BLEND_LOOP(PARTS(1, 1));
    default: return;
    }
}
