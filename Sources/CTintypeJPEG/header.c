#include "internal.h"

#include "CTintypeExif.h"

#include <string.h>

enum {
    EXIF_MARKER = JPEG_APP0 + 1,
    ICC_MARKER = JPEG_APP0 + 2,
};

/// The start of a segment with a chunk of an ICC profile, including the final zero.
static const char icc_signature[] = "ICC_PROFILE";

void tintype_jpeg_keep_metadata(j_decompress_ptr cinfo) {
    jpeg_save_markers(cinfo, EXIF_MARKER, 0xFFFF);
    jpeg_save_markers(cinfo, ICC_MARKER, sizeof icc_signature);
}

static bool is_icc(const struct jpeg_marker_struct *segment) {
    return segment->marker == ICC_MARKER && segment->data_length >= sizeof icc_signature
        && memcmp(segment->data, icc_signature, sizeof icc_signature) == 0;
}

/// Returns the orientation in an APP1 segment's payload, or 0 if it has none.
static uint8_t orientation_of_segment(const struct jpeg_marker_struct *segment) {
    static const char preamble[] = "Exif\0";
    size_t length = sizeof preamble;
    if (segment->data_length < length || memcmp(segment->data, preamble, length) != 0) {
        return 0;
    }
    return tintype_exif_orientation(segment->data + length, segment->data_length - length);
}

static bool describe_color(J_COLOR_SPACE space, tintype_jpeg_color *color) {
    switch (space) {
    case JCS_GRAYSCALE:
        *color = TINTYPE_JPEG_COLOR_GREY;
        return true;
    case JCS_YCbCr:
        *color = TINTYPE_JPEG_COLOR_YCBCR;
        return true;
    case JCS_RGB:
        *color = TINTYPE_JPEG_COLOR_RGB;
        return true;
    case JCS_CMYK:
        *color = TINTYPE_JPEG_COLOR_CMYK;
        return true;
    case JCS_YCCK:
        *color = TINTYPE_JPEG_COLOR_YCCK;
        return true;
    default:
        return false;
    }
}

static void describe_segment(const struct jpeg_marker_struct *segment, tintype_jpeg_header *header) {
    if (segment->marker == EXIF_MARKER && header->exif_orientation == 0) {
        header->exif_orientation = orientation_of_segment(segment);
    }
    header->has_icc_profile |= is_icc(segment);
}

bool tintype_jpeg_describe(const struct jpeg_decompress_struct *cinfo, tintype_jpeg_header *header) {
    *header = (tintype_jpeg_header){
        .width = cinfo->image_width,
        .height = cinfo->image_height,
        .components = (uint32_t)cinfo->num_components,
        .bits = (uint8_t)cinfo->data_precision,
        .needs_coefficients = jpeg_has_multiple_scans((j_decompress_ptr)cinfo),
    };
    for (jpeg_saved_marker_ptr segment = cinfo->marker_list; segment != NULL; segment = segment->next) {
        describe_segment(segment, header);
    }
    return describe_color(cinfo->jpeg_color_space, &header->color);
}
