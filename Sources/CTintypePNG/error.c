#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

void tintype_png_fence_raise(tintype_png_fence *fence) {
    fence->status = TINTYPE_PNG_CORRUPT;
    fence->message[0] = '\0';
}

void tintype_png_fence_escape(tintype_png_fence *fence, tintype_png_status status, const char *message) {
    fence->status = status;
    snprintf(fence->message, sizeof fence->message, "%s", message);
    longjmp(fence->escape, 1);
}

// MARK: Functions that libpng calls

static void leave_on_error(png_structp png, png_const_charp message) {
    tintype_png_fence *fence = png_get_error_ptr(png);
    tintype_png_fence_escape(fence, fence->status, message);
}

/// Ignores warnings: they concern ancillary chunks, and data after the image's.
static void ignore_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    void *memory = malloc(size);
    if (memory == NULL) {
        tintype_png_fence *fence = png_get_mem_ptr(png);
        fence->status = TINTYPE_PNG_MEMORY;
    }
    return memory;
}

static void release(png_structp png, png_voidp memory) {
    (void)png;
    free(memory);
}

// MARK: Creating

static png_structp require(tintype_png_fence *fence, png_structp png) {
    if (png == NULL) {
        tintype_png_fence_escape(fence, TINTYPE_PNG_MEMORY, "Out of memory");
    }
    png_set_user_limits(png, TINTYPE_PNG_LONGEST_SIDE, TINTYPE_PNG_LONGEST_SIDE);
    return png;
}

png_structp tintype_png_create_read(tintype_png_fence *fence) {
    return require(fence, png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, fence, leave_on_error, ignore_warning, fence, allocate, release));
}

png_structp tintype_png_create_write(tintype_png_fence *fence) {
    return require(fence, png_create_write_struct_2(
        PNG_LIBPNG_VER_STRING, fence, leave_on_error, ignore_warning, fence, allocate, release));
}

png_infop tintype_png_create_info(tintype_png_fence *fence, png_structp png) {
    png_infop info = png_create_info_struct(png);
    if (info == NULL) {
        tintype_png_fence_escape(fence, TINTYPE_PNG_MEMORY, "Out of memory");
    }
    return info;
}

// MARK: Setting up

void tintype_png_keep_pixels_alone(png_structp png, const tintype_png_limits *limits) {
    // Chunks of any length are read over: none but short ones are kept.
    png_set_chunk_malloc_max(png, 0);
    png_set_chunk_cache_max(png, limits->max_cached_chunks);
    const int all_but_pixels_and_their_alpha = -1;
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, all_but_pixels_and_their_alpha);
}

static void ask_for_depth(png_structp png, bool is_wide) {
    if (!is_wide) {
        png_set_scale_16(png);
        return;
    }
    png_set_expand_16(png);
    const uint16_t one = 1;
    if (*(const uint8_t *)&one == 1) {
        png_set_swap(png); // Stored with the high byte first.
    }
}

int tintype_png_ask_for_rgba(png_structp png, png_infop info, bool is_wide) {
    png_set_expand(png);
    ask_for_depth(png, is_wide);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, is_wide ? 0xFFFF : 0xFF, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return passes;
}
