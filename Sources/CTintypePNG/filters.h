#ifndef CTINTYPE_PNG_FILTERS_H
#define CTINTYPE_PNG_FILTERS_H

#include <stddef.h>
#include <stdint.h>

// The filters of rows (PNG third edition, 9): each byte is stored as its difference to a prediction from the byte of
// the pixel before it, of the row above, or both.

enum {
    FILTER_NONE,
    FILTER_SUB,
    FILTER_UP,
    FILTER_AVERAGE,
    FILTER_PAETH,
    FILTER_COUNT,
};

/// Replaces a filtered row by its bytes.
///
/// - above: the bytes of the row above; zeros for the first one. As many bytes as `row`.
/// - pixel: the number of bytes of a pixel, 1...8.
///
/// Both rows must be readable for 8 more bytes.
void tintype_png_unfilter(uint8_t *row, const uint8_t *above, size_t count, size_t pixel, int filter);

/// Filters a row with the filter whose differences have the least sum, of those before `filter_count` (PNG third
/// edition, 12.7).
///
/// - out: receives the number of the filter, and `count` bytes.
/// - candidate: room for as many bytes.
void tintype_png_filter(
    uint8_t *out, uint8_t *candidate, const uint8_t *row, const uint8_t *above, size_t count, size_t pixel,
    int filter_count);

#endif
