#ifndef CTINTYPE_EXIF_H
#define CTINTYPE_EXIF_H

#include <stddef.h>
#include <stdint.h>

/// Returns the orientation in the first directory of Exif data that begin with the TIFF header: 1...8, or 0 if there is
/// none or the data is damaged. Every offset is checked.
uint8_t tintype_exif_orientation(const uint8_t *data, size_t count);

#endif
