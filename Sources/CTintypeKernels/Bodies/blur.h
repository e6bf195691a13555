// Three passes of a box filter with soft edges, which approximate a Gaussian. Included by each variant.
//
// P. Gwosdek et al., "Theoretical Foundations of Gaussian Convolution by Extended Box Filtering", 2011.

/// The number of lines that are blurred at once, and of their channels; few enough that long lines stay in the L2
/// cache.
enum { lines = 8, lane = 4 * lines };

/// Returns the index of position `n` of a line. Positions outside the line have the index of the nearest edge.
static inline size_t clamped_lane(ptrdiff_t n, size_t length) {
    return lane * (n < 0 ? 0 : (size_t)n < length ? (size_t)n : length - 1);
}

/// Computes the box sums of position 0.
static void start_sums(const uint16_t *from, int32_t sums[lane], size_t length, size_t reach) {
    size_t inside = reach < length ? reach : length - 1;
    int32_t beyond = (int32_t)(reach - inside);
    for (size_t c = 0; c < lane; c++) {
        sums[c] = from[c] * (int32_t)(reach + 1) + from[lane * (length - 1) + c] * beyond;
    }
    for (size_t n = 1; n <= inside; n++) {
        for (size_t c = 0; c < lane; c++) { sums[c] += from[lane * n + c]; }
    }
}

/// Runs one box pass: each position becomes the sum of the positions within `reach` times `full`, plus the next one on
/// either side times `edge`.
static void box_pass(
    const uint16_t *restrict from, uint16_t *restrict to, size_t length, size_t reach, float full, float edge) {
    int32_t sums[lane];
    start_sums(from, sums, length, reach);
    for (size_t n = 0; n < length; n++) {
        const uint16_t *before = from + clamped_lane((ptrdiff_t)n - (ptrdiff_t)reach - 1, length);
        const uint16_t *leaving = from + clamped_lane((ptrdiff_t)n - (ptrdiff_t)reach, length);
        const uint16_t *entering = from + clamped_lane((ptrdiff_t)(n + reach) + 1, length);
        uint16_t *out = to + lane * n;
        for (size_t c = 0; c < lane; c++) {
            float blurred = (float)sums[c] * full + (float)(before[c] + entering[c]) * edge;
            out[c] = (uint16_t)(int32_t)(blurred + 0.5f);
            sums[c] += entering[c] - leaving[c];
        }
    }
}

/// Visits all positions in blocks that are contiguous both in the image and in the lanes, for the cache.
#define FOR_EACH_PLACE(LENGTH, COUNT, BODY)                                                                            \
    for (size_t block_at = 0; block_at < (LENGTH); block_at += 16) {                                                   \
        size_t block_end = block_at + 16 < (LENGTH) ? block_at + 16 : (LENGTH);                                        \
        for (size_t line = 0; line < (COUNT); line++) {                                                                \
            for (size_t n = block_at; n < block_end; n++) { BODY }                                                     \
        }                                                                                                              \
    }

/// Loads lines as 16-bit channels, 8 of them fraction.
static void load_lines(
    const uint8_t *source, uint16_t *to, size_t length, size_t count, size_t next, size_t next_line) {
    FOR_EACH_PLACE(length, count, {
        const uint8_t *pixel = source + n * next + line * next_line;
        for (size_t c = 0; c < 4; c++) { to[lane * n + 4 * line + c] = (uint16_t)(pixel[c] << 8); }
    })
}

static void store_lines(
    const uint16_t *from, uint8_t *target, size_t length, size_t count, size_t next, size_t next_line) {
    FOR_EACH_PLACE(length, count, {
        uint8_t *pixel = target + n * next + line * next_line;
        for (size_t c = 0; c < 4; c++) { pixel[c] = (uint8_t)((from[lane * n + 4 * line + c] + 128) >> 8); }
    })
}

static void blur(
    const uint8_t *source, size_t source_stride, uint8_t *target, size_t target_stride, size_t width, size_t height,
    int is_vertical, size_t reach, float full, float edge, uint16_t *scratch) {
    size_t length = is_vertical ? height : width, count = is_vertical ? width : height;
    uint16_t *other = scratch + lane * length;
    for (size_t line = 0; line < count; line += lines) {
        size_t group = count - line < lines ? count - line : lines;
        size_t from = line * (is_vertical ? 4 : source_stride), to = line * (is_vertical ? 4 : target_stride);
        load_lines(
            source + from, scratch, length, group, is_vertical ? source_stride : 4, is_vertical ? 4 : source_stride);
        box_pass(scratch, other, length, reach, full, edge);
        box_pass(other, scratch, length, reach, full, edge);
        box_pass(scratch, other, length, reach, full, edge);
        store_lines(
            other, target + to, length, group, is_vertical ? target_stride : 4, is_vertical ? 4 : target_stride);
    }
}
