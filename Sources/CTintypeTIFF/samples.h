#ifndef CTINTYPE_TIFF_SAMPLES_H
#define CTINTYPE_TIFF_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "CTintypeTIFF.h"

#include <tiffio.h>

/// A reader of stored samples, for images of which libtiff's conversion to RGBA loses something.
typedef struct tintype_tiff_samples tintype_tiff_samples;

/// Creates a reader. Returns null if the image is of another kind, if a strip or tile has more than `most` bytes, or if
/// memory runs out.
tintype_tiff_samples *tintype_tiff_samples_create(TIFF *tiff, tmsize_t most);

void tintype_tiff_samples_destroy(tintype_tiff_samples *from);

tintype_tiff_kind tintype_tiff_samples_kind(const tintype_tiff_samples *from);

/// Returns the meaning of the first sample after the colours: `EXTRASAMPLE_UNSPECIFIED` if it is not alpha, or missing.
/// Four samples of RGB without a word about the fourth have straight alpha, as everyone reads them (Pillow,
/// ImageMagick, libvips, ffmpeg).
uint16_t tintype_tiff_alpha_kind(TIFF *tiff);

/// Reads rows as pixels of four 16-bit channels. `first` must start a strip or a row of tiles. The alpha of CMYK goes
/// to `alpha`, unless that is null or there is none. Returns false if the file is damaged.
bool tintype_tiff_samples_read(
    tintype_tiff_samples *from, uint32_t first, uint32_t count, uint16_t *dest, uint16_t *alpha);

#endif
