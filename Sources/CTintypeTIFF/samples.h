#ifndef CTINTYPE_TIFF_SAMPLES_H
#define CTINTYPE_TIFF_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include <tiffio.h>

/// Reads samples as they are stored, where libtiff's way to RGBA would lose something of them.
typedef struct tintype_tiff_samples tintype_tiff_samples;

/// Null where the picture is of another kind, or a strip or tile of it has more than `most` bytes.
tintype_tiff_samples *tintype_tiff_samples_create(TIFF *tiff, tmsize_t most);

void tintype_tiff_samples_destroy(tintype_tiff_samples *from);

/// Whether pixels are CMYK, 65535 for all of an ink, rather than straight RGBA.
bool tintype_tiff_samples_are_inks(const tintype_tiff_samples *from);

uint8_t tintype_tiff_samples_bits(const tintype_tiff_samples *from);

/// Reads rows from the first of a strip or row of tiles on as 16-bit pixels of four channels; false for damage.
bool tintype_tiff_samples_read(tintype_tiff_samples *from, uint32_t first, uint32_t count, uint16_t *dest);

#endif
