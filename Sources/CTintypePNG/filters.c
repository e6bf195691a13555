#include "filters.h"

#include <stdbool.h>
#include <string.h>

/// Four samples of a pixel, with room for differences. Compilers make instructions of vectors of it.
typedef int16_t lanes __attribute__((vector_size(8)));
typedef uint8_t bytes __attribute__((vector_size(4)));

static inline lanes load(const uint8_t *at) {
    bytes four;
    memcpy(&four, at, 4);
    return __builtin_convertvector(four, lanes);
}

static inline bytes narrow(lanes pixel) {
    return __builtin_convertvector(pixel, bytes);
}

static inline lanes distance(lanes x) {
    lanes sign = x >> 15;
    return (x ^ sign) - sign;
}

/// The neighbour that is nearest to a + b - c: the left one if two are, then the upper one.
static inline lanes paeth(lanes a, lanes b, lanes c) {
    lanes to_a = b - c, to_b = a - c, to_c = distance(to_a + to_b);
    to_a = distance(to_a);
    to_b = distance(to_b);
    lanes is_a = (lanes)(to_a <= to_b) & (lanes)(to_a <= to_c);
    lanes is_b = (lanes)(to_b <= to_c);
    return (a & is_a) | (~is_a & ((b & is_b) | (c & ~is_b)));
}

// MARK: Reading

// The size of a pixel is a constant in each copy of these functions.

static inline __attribute__((always_inline)) void undo_sub(uint8_t *row, size_t count, size_t pixel) {
    bytes left = {0};
    for (size_t i = 0; i < count; i += pixel) {
        bytes here;
        memcpy(&here, row + i, 4);
        left += here;
        memcpy(row + i, &left, pixel);
    }
}

static inline __attribute__((always_inline)) void undo_average(
    uint8_t *row, const uint8_t *above, size_t count, size_t pixel) {
    lanes left = {0};
    for (size_t i = 0; i < count; i += pixel) {
        bytes sum = narrow(load(row + i) + ((left + load(above + i)) >> 1));
        left = __builtin_convertvector(sum, lanes);
        memcpy(row + i, &sum, pixel);
    }
}

static inline __attribute__((always_inline)) void undo_paeth(
    uint8_t *row, const uint8_t *above, size_t count, size_t pixel) {
    lanes left = {0}, corner = {0};
    for (size_t i = 0; i < count; i += pixel) {
        lanes upper = load(above + i);
        bytes sum = narrow(load(row + i) + paeth(left, upper, corner));
        corner = upper;
        left = __builtin_convertvector(sum, lanes);
        memcpy(row + i, &sum, pixel);
    }
}

static void undo_up(uint8_t *restrict row, const uint8_t *restrict above, size_t count) {
    for (size_t i = 0; i < count; i++) { row[i] += above[i]; }
}

static inline __attribute__((always_inline)) void undo(
    uint8_t *row, const uint8_t *above, size_t count, size_t pixel, int filter) {
    switch (filter) {
    case FILTER_SUB:
        undo_sub(row, count, pixel);
        break;
    case FILTER_AVERAGE:
        undo_average(row, above, count, pixel);
        break;
    default:
        undo_paeth(row, above, count, pixel);
    }
}

void tintype_png_unfilter(uint8_t *row, const uint8_t *above, size_t count, size_t pixel, int filter) {
    if (filter == FILTER_NONE) {
        return;
    }
    if (filter == FILTER_UP) {
        undo_up(row, above, count);
        return;
    }
    switch (pixel) {
    case 1:
        undo(row, above, count, 1, filter);
        break;
    case 2:
        undo(row, above, count, 2, filter);
        break;
    case 3:
        undo(row, above, count, 3, filter);
        break;
    default:
        undo(row, above, count, 4, filter);
    }
}

// MARK: Writing

static inline int nearest(int a, int b, int c) {
    int to_a = b - c, to_b = a - c, to_c = to_a + to_b;
    to_a = to_a < 0 ? -to_a : to_a;
    to_b = to_b < 0 ? -to_b : to_b;
    to_c = to_c < 0 ? -to_c : to_c;
    int other = to_b <= to_c ? b : c;
    return ((to_a <= to_b) & (to_a <= to_c)) ? a : other;
}

static inline uint8_t prediction(int filter, uint8_t left, uint8_t upper, uint8_t corner) {
    switch (filter) {
    case FILTER_SUB:
        return left;
    case FILTER_UP:
        return upper;
    case FILTER_AVERAGE:
        return (uint8_t)((left + upper) >> 1);
    case FILTER_PAETH:
        return (uint8_t)nearest(left, upper, corner);
    default:
        return 0;
    }
}

static inline __attribute__((always_inline)) void apply_one(
    uint8_t *restrict out, const uint8_t *restrict row, const uint8_t *restrict above, size_t count, size_t pixel,
    int filter) {
    for (size_t i = 0; i < pixel && i < count; i++) { out[i] = row[i] - prediction(filter, 0, above[i], 0); }
    for (size_t i = pixel; i < count; i++) {
        out[i] = row[i] - prediction(filter, row[i - pixel], above[i], above[i - pixel]);
    }
}

static void apply(
    uint8_t *out, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel, int filter) {
    switch (filter) {
    case FILTER_SUB:
        apply_one(out, row, above, count, pixel, FILTER_SUB);
        break;
    case FILTER_UP:
        apply_one(out, row, above, count, pixel, FILTER_UP);
        break;
    case FILTER_AVERAGE:
        apply_one(out, row, above, count, pixel, FILTER_AVERAGE);
        break;
    case FILTER_PAETH:
        apply_one(out, row, above, count, pixel, FILTER_PAETH);
        break;
    default:
        memcpy(out, row, count);
    }
}

/// The sum of the differences as signed numbers without their signs.
static uint64_t cost(const uint8_t *filtered, size_t count) {
    uint64_t sum = 0;
    while (count > 0) {
        const size_t part = count < 1 << 16 ? count : 1 << 16;
        uint32_t partial = 0;
        for (size_t i = 0; i < part; i++) {
            int difference = (int8_t)filtered[i];
            partial += (uint32_t)(difference < 0 ? -difference : difference);
        }
        sum += partial;
        filtered += part;
        count -= part;
    }
    return sum;
}

void tintype_png_filter(
    uint8_t *out, uint8_t *candidate, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
    int filter_count) {
    out[0] = FILTER_NONE;
    memcpy(out + 1, row, count);
    uint64_t least = filter_count > 1 ? cost(row, count) : 0;
    for (int filter = FILTER_SUB; filter < filter_count; filter++) {
        apply(candidate, row, above, count, pixel, filter);
        const uint64_t sum = cost(candidate, count);
        if (sum < least) {
            least = sum;
            out[0] = (uint8_t)filter;
            memcpy(out + 1, candidate, count);
        }
    }
}
