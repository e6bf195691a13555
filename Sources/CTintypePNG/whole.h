#ifndef CTINTYPE_PNG_WHOLE_H
#define CTINTYPE_PNG_WHOLE_H

#include "internal.h"

/// The pixels of a file that were inflated at once, which takes half of the time of inflating row by row. Only for what
/// most files are: complete, undamaged, not interlaced, with samples of 8 bits. libpng reads all others.
typedef struct {
    /// The filtered rows, each after the number of its filter, and room that is only read.
    uint8_t *bytes;
    /// Zeros before the first row, then the row above the next one.
    const uint8_t *above;
    uint8_t *next;
    uint32_t width;
    size_t row_size;
    /// The bytes of a stored pixel.
    size_t pixel;
    tintype_png_color color;
    /// The colours of a palette as RGBA; indices beyond it are black, as libpng shows them.
    uint8_t palette[256][4];
} tintype_png_whole;

/// Inflates the pixels of a file.
///
/// - chunks: the file from its first IDAT chunk on.
///
/// Returns false, and holds no memory, if libpng must read the file.
bool tintype_png_whole_open(
    tintype_png_whole *whole, const uint8_t *chunks, size_t count, png_structp png, png_infop info);

/// Writes the next row as RGBA with straight alpha. Every row is read once.
void tintype_png_whole_read_row(tintype_png_whole *whole, uint8_t *dest);

/// Frees the memory; does nothing if there is none.
void tintype_png_whole_close(tintype_png_whole *whole);

#endif
