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

/// The channels of one position of all lines.
typedef uint8_t lane_bytes __attribute__((vector_size(lane)));
typedef uint16_t lane_words __attribute__((vector_size(2 * lane)));

/// Where the pixels of the lines are: the distances in bytes from one position to the next, and from one line to the
/// next. Up to 8 lines are there.
typedef struct {
    size_t next, next_line, count;
} line_layout;

/// Loads lines as 16-bit channels, 8 of them fraction.
static void load_lines(const uint8_t *source, uint16_t *to, size_t length, line_layout layout) {
    for (size_t n = 0; n < length; n++, source += layout.next, to += lane) {
        lane_bytes channels = {0};
        if (layout.next_line == 4 && layout.count == lines) {
            memcpy(&channels, source, sizeof channels);
        } else if (layout.count == lines) {
            // The loop below with a constant count, which stays in registers.
            eight_words pixels;
            for (size_t line = 0; line < lines; line++) {
                uint32_t pixel;
                memcpy(&pixel, source + line * layout.next_line, 4);
                pixels[line] = pixel;
            }
            channels = (lane_bytes)pixels;
        } else {
            for (size_t line = 0; line < layout.count; line++) {
                memcpy((uint8_t *)&channels + 4 * line, source + line * layout.next_line, 4);
            }
        }
        lane_words wide = __builtin_convertvector(channels, lane_words) << 8;
        memcpy(to, &wide, sizeof wide);
    }
}

static void store_lines(const uint16_t *from, uint8_t *target, size_t length, line_layout layout) {
    for (size_t n = 0; n < length; n++, target += layout.next, from += lane) {
        lane_words wide;
        memcpy(&wide, from, sizeof wide);
        lane_bytes channels = __builtin_convertvector((wide + 128) >> 8, lane_bytes);
        if (layout.next_line == 4 && layout.count == lines) {
            memcpy(target, &channels, sizeof channels);
        } else if (layout.count == lines) {
            eight_words pixels = (eight_words)channels;
            for (size_t line = 0; line < lines; line++) {
                uint32_t pixel = pixels[line];
                memcpy(target + line * layout.next_line, &pixel, 4);
            }
        } else {
            for (size_t line = 0; line < layout.count; line++) {
                memcpy(target + line * layout.next_line, (uint8_t *)&channels + 4 * line, 4);
            }
        }
    }
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
            source + from, scratch, length,
            is_vertical ? (line_layout){source_stride, 4, group} : (line_layout){4, source_stride, group});
        box_pass(scratch, other, length, reach, full, edge);
        box_pass(other, scratch, length, reach, full, edge);
        box_pass(scratch, other, length, reach, full, edge);
        store_lines(
            other, target + to, length,
            is_vertical ? (line_layout){target_stride, 4, group} : (line_layout){4, target_stride, group});
    }
}
