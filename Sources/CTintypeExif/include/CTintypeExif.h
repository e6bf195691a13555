#ifndef CTINTYPE_EXIF_H
#define CTINTYPE_EXIF_H

#include <stddef.h>
#include <stdint.h>

/// The orientation that Exif data, which begins with its TIFF header, has in its first directory: 1...8, or 0 when
/// there is none or the data are damaged. Every offset is checked.
uint8_t tintype_exif_orientation(const uint8_t *data, size_t count);

#endif
