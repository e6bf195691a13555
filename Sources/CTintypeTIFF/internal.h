#ifndef CTINTYPE_TIFF_INTERNAL_H
#define CTINTYPE_TIFF_INTERNAL_H

#include "CTintypeTIFF.h"

#include <stdarg.h>
#include <stdio.h>

#include <tiffio.h>

/// The messages of libtiff.
typedef struct {
    /// The first error since the report was cleared.
    char message[200];
    /// The number of warnings that count as damage.
    unsigned warnings;
    /// Whether rows of a fax were damaged. Those after them are right.
    bool has_damaged_rows;
} tintype_tiff_report;

/// Returns options that send the messages of a handle to a report, which must outlive the handle.
TIFFOpenOptions *tintype_tiff_options(tintype_tiff_report *report, tmsize_t max_allocation);

#endif
