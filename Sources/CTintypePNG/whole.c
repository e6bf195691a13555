#include "whole.h"

#include "filters.h"

#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

enum {
    /// The bytes of filtered rows beyond which libpng inflates row by row, in little memory.
    LARGEST = 64 << 20,
    /// The bytes after the rows that are read with the last pixels.
    PADDING = 16,
};

// MARK: The chunks

static uint32_t read32(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool is_intact(const tintype_png_chunk *chunk) {
    return chunk->is_whole
        && libdeflate_crc32(0, chunk->type, 4 + (size_t)chunk->length) == read32(chunk->data + chunk->length);
}

/// Whether the chunks after the pixels are such that libpng would find nothing wrong: damage in ancillary ones does not
/// count.
static bool ends_well(tintype_png_walk walk, tintype_png_chunk chunk) {
    while (!tintype_png_chunk_is(&chunk, "IEND")) {
        const bool is_ancillary = (chunk.type[0] & 0x20) != 0;
        if (!is_ancillary || !chunk.is_whole || tintype_png_walk_next(&walk, &chunk) != TINTYPE_PNG_OK) {
            return false;
        }
    }
    return is_intact(&chunk);
}

/// The zlib stream of a file: a part of it if it is one chunk, and a copy otherwise.
typedef struct {
    const uint8_t *bytes;
    size_t count;
    uint8_t *copy;
} stream;

/// Finds the adjacent IDAT chunks. Returns their number; 0 if something is damaged.
static size_t find_stream(const uint8_t *chunks, size_t count, stream *found) {
    tintype_png_walk walk = {.next = chunks, .left = count};
    tintype_png_chunk chunk;
    size_t number = 0;
    while (tintype_png_walk_next(&walk, &chunk) == TINTYPE_PNG_OK) {
        if (!tintype_png_chunk_is(&chunk, "IDAT")) {
            return ends_well(walk, chunk) ? number : 0;
        }
        if (!is_intact(&chunk)) {
            return 0;
        }
        found->bytes = number == 0 ? chunk.data : found->bytes;
        found->count += chunk.length;
        number++;
    }
    return 0;
}

static bool join_chunks(const uint8_t *chunks, size_t count, size_t number, stream *found) {
    if (number == 1) {
        return true;
    }
    found->copy = malloc(found->count);
    if (number == 0 || found->copy == NULL) {
        return false;
    }
    tintype_png_walk walk = {.next = chunks, .left = count};
    tintype_png_chunk chunk;
    size_t copied = 0;
    for (size_t i = 0; i < number && tintype_png_walk_next(&walk, &chunk) == TINTYPE_PNG_OK; i++) {
        memcpy(found->copy + copied, chunk.data, chunk.length);
        copied += chunk.length;
    }
    found->bytes = found->copy;
    return true;
}

// MARK: The rows

static size_t channels_of(tintype_png_color color) {
    switch (color) {
    case TINTYPE_PNG_COLOR_GREY:
    case TINTYPE_PNG_COLOR_PALETTE:
        return 1;
    case TINTYPE_PNG_COLOR_GREY_ALPHA:
        return 2;
    case TINTYPE_PNG_COLOR_RGB:
        return 3;
    case TINTYPE_PNG_COLOR_RGB_ALPHA:
        return 4;
    }
}

static void set_palette(tintype_png_whole *whole, png_structp png, png_infop info) {
    png_colorp colors = NULL;
    png_bytep alphas = NULL;
    int count = 0, alpha_count = 0;
    png_get_PLTE(png, info, &colors, &count);
    png_get_tRNS(png, info, &alphas, &alpha_count, NULL);
    for (int i = 0; i < 256; i++) {
        const png_color color = i < count ? colors[i] : (png_color){0};
        const uint8_t alpha = i < alpha_count && alphas != NULL ? alphas[i] : 255;
        const uint8_t entry[4] = {color.red, color.green, color.blue, alpha};
        memcpy(whole->palette[i], entry, 4);
    }
}

/// Takes the layout of the rows from the header. Returns false if libpng must convert them.
static bool set_layout(tintype_png_whole *whole, png_structp png, png_infop info) {
    whole->color = (tintype_png_color)png_get_color_type(png, info);
    whole->width = png_get_image_width(png, info);
    whole->pixel = channels_of(whole->color);
    whole->row_size = whole->pixel * whole->width;
    const bool has_key = whole->color != TINTYPE_PNG_COLOR_PALETTE && png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    const size_t size = (whole->row_size + 1) * png_get_image_height(png, info);
    return png_get_bit_depth(png, info) == 8 && !has_key && size <= LARGEST
        && png_get_interlace_type(png, info) == PNG_INTERLACE_NONE;
}

static bool has_known_filters(const tintype_png_whole *whole, const uint8_t *rows, size_t height) {
    for (size_t y = 0; y < height; y++) {
        if (rows[y * (whole->row_size + 1)] >= FILTER_COUNT) {
            return false;
        }
    }
    return true;
}

static bool inflate_stream(const stream *found, uint8_t *rows, size_t size) {
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (decompressor == NULL) {
        return false;
    }
    size_t used = 0, made = 0;
    const enum libdeflate_result result =
        libdeflate_zlib_decompress_ex(decompressor, found->bytes, found->count, rows, size, &used, &made);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && made == size && used == found->count;
}

bool tintype_png_whole_open(
    tintype_png_whole *whole, const uint8_t *chunks, size_t count, png_structp png, png_infop info) {
    *whole = (tintype_png_whole){0};
    if (!set_layout(whole, png, info)) {
        return false;
    }
    const size_t height = png_get_image_height(png, info), size = (whole->row_size + 1) * height;
    stream found = {0};
    const size_t number = find_stream(chunks, count, &found);
    // The row above the first one, the rows, and what is read after them.
    const size_t first = whole->row_size + PADDING;
    whole->bytes = number > 0 ? malloc(first + size + PADDING) : NULL;
    uint8_t *rows = whole->bytes + first;
    const bool is_open = whole->bytes != NULL && join_chunks(chunks, count, number, &found)
        && inflate_stream(&found, rows, size) && has_known_filters(whole, rows, height);
    free(found.copy);
    if (!is_open) {
        tintype_png_whole_close(whole);
        return false;
    }
    memset(whole->bytes, 0, first);
    memset(rows + size, 0, PADDING);
    whole->above = whole->bytes;
    whole->next = rows;
    if (whole->color == TINTYPE_PNG_COLOR_PALETTE) {
        set_palette(whole, png, info);
    }
    return true;
}

static void expand_grey(uint8_t *restrict dest, const uint8_t *restrict row, size_t width) {
    for (size_t x = 0; x < width; x++) {
        const uint8_t grey = row[x], pixel[4] = {grey, grey, grey, 255};
        memcpy(dest + 4 * x, pixel, 4);
    }
}

static void expand_grey_alpha(uint8_t *restrict dest, const uint8_t *restrict row, size_t width) {
    for (size_t x = 0; x < width; x++) {
        const uint8_t grey = row[2 * x], pixel[4] = {grey, grey, grey, row[2 * x + 1]};
        memcpy(dest + 4 * x, pixel, 4);
    }
}

static void expand_palette(
    uint8_t *restrict dest, const uint8_t *restrict row, size_t width, const uint8_t (*restrict palette)[4]) {
    for (size_t x = 0; x < width; x++) { memcpy(dest + 4 * x, palette[row[x]], 4); }
}

/// Reads one byte after the row.
static void expand_rgb(uint8_t *restrict dest, const uint8_t *restrict row, size_t width) {
    for (size_t x = 0; x < width; x++) {
        memcpy(dest + 4 * x, row + 3 * x, 4);
        dest[4 * x + 3] = 255;
    }
}

static void expand(const tintype_png_whole *whole, const uint8_t *row, uint8_t *dest) {
    switch (whole->color) {
    case TINTYPE_PNG_COLOR_GREY:
        expand_grey(dest, row, whole->width);
        break;
    case TINTYPE_PNG_COLOR_GREY_ALPHA:
        expand_grey_alpha(dest, row, whole->width);
        break;
    case TINTYPE_PNG_COLOR_PALETTE:
        expand_palette(dest, row, whole->width, whole->palette);
        break;
    case TINTYPE_PNG_COLOR_RGB:
        expand_rgb(dest, row, whole->width);
        break;
    case TINTYPE_PNG_COLOR_RGB_ALPHA:
        memcpy(dest, row, whole->row_size);
    }
}

void tintype_png_whole_read_row(tintype_png_whole *whole, uint8_t *dest) {
    uint8_t *row = whole->next + 1;
    tintype_png_unfilter(row, whole->above, whole->row_size, whole->pixel, whole->next[0]);
    expand(whole, row, dest);
    whole->above = row;
    whole->next = row + whole->row_size;
}

void tintype_png_whole_close(tintype_png_whole *whole) {
    free(whole->bytes);
    whole->bytes = NULL;
}
