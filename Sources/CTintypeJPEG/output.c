#include "internal.h"

enum { BATCH_ROWS = 8 };

void tintype_jpeg_check_scans(j_decompress_ptr cinfo, uint32_t max_scans) {
    if (max_scans > 0 && cinfo->input_scan_number > 0 && (uint32_t)cinfo->input_scan_number > max_scans) {
        tintype_jpeg_fence_escape((tintype_jpeg_fence *)cinfo->err, TINTYPE_JPEG_LIMIT, "Too many scans");
    }
}

void tintype_jpeg_choose_output(j_decompress_ptr cinfo, uint32_t scale_eighths) {
    bool has_black = cinfo->jpeg_color_space == JCS_CMYK || cinfo->jpeg_color_space == JCS_YCCK;
    cinfo->out_color_space = has_black ? JCS_CMYK : JCS_EXT_RGBA;
    cinfo->scale_num = scale_eighths;
    cinfo->scale_denom = 8;
    cinfo->dct_method = JDCT_ISLOW;
    cinfo->do_fancy_upsampling = TRUE;
}

/// Returns `a * b / 255`, rounded.
static uint8_t multiply(uint32_t a, uint32_t b) {
    return (uint8_t)((a * b + 127) / 255);
}

/// Converts a row of CMYK to RGBA in place. Files store the absence of ink: 255 is no ink. Adobe's do, and everyone
/// reads those without its marker in the same way (Pillow, ImageMagick, libvips, ffmpeg).
static void convert_cmyk(uint8_t *row, uint32_t width) {
    for (uint8_t *pixel = row, *end = row + (size_t)width * 4; pixel < end; pixel += 4) {
        uint8_t white = pixel[3];
        pixel[0] = multiply(pixel[0], white);
        pixel[1] = multiply(pixel[1], white);
        pixel[2] = multiply(pixel[2], white);
        pixel[3] = 0xFF;
    }
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/// Converts a row so that 255 is full ink.
static void straighten_inks(uint8_t *row, uint32_t width) {
    for (uint8_t *byte = row, *end = row + (size_t)width * 4; byte < end; byte++) {
        *byte ^= 0xFF;
    }
}

static uint32_t read_some(
    j_decompress_ptr cinfo, uint8_t *dest, size_t stride, uint32_t max_rows, bool keeps_inks) {
    uint32_t left = cinfo->output_height - cinfo->output_scanline;
    uint32_t wanted = smaller(smaller(max_rows, left), BATCH_ROWS);
    if (wanted == 0) {
        return 0;
    }
    JSAMPROW rows[BATCH_ROWS];
    for (uint32_t i = 0; i < wanted; i++) {
        rows[i] = dest + i * stride;
    }
    uint32_t read = jpeg_read_scanlines(cinfo, rows, wanted);
    if (cinfo->out_color_space == JCS_CMYK) {
        for (uint32_t i = 0; i < read; i++) {
            void (*finish)(uint8_t *, uint32_t) = keeps_inks ? straighten_inks : convert_cmyk;
            finish(rows[i], cinfo->output_width);
        }
    }
    return read;
}

uint32_t tintype_jpeg_read_some_rows(j_decompress_ptr cinfo, uint8_t *dest, size_t stride, uint32_t max_rows) {
    return read_some(cinfo, dest, stride, max_rows, false);
}

uint32_t tintype_jpeg_read_some_inks(j_decompress_ptr cinfo, uint8_t *dest, size_t stride, uint32_t max_rows) {
    return read_some(cinfo, dest, stride, max_rows, true);
}
