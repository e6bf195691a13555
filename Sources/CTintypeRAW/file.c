#include "library.h"

#include <stdlib.h>

struct tintype_raw_file {
    const tintype_raw_library *library;
    libraw_data_t *data;
    tintype_raw_cancel_hook is_cancelled;
    void *context;
    /// Whether LibRaw met bytes that it could not decode. It goes on with other pixels.
    bool is_damaged;
};

static tintype_raw_status status_of(int code) {
    switch (code) {
    case 0:
        return TINTYPE_RAW_OK;
    case LIBRAW_NO_MEMORY:
        return TINTYPE_RAW_MEMORY;
    case LIBRAW_CANCELLED:
        return TINTYPE_RAW_CANCELLED;
    default:
        return TINTYPE_RAW_CORRUPT;
    }
}

// MARK: What LibRaw calls

/// Returns nonzero to cancel.
static int ask(void *context, int stage, int iteration, int expected) {
    (void)stage;
    (void)iteration;
    (void)expected;
    tintype_raw_file *file = context;
    return file->is_cancelled != NULL && file->is_cancelled(file->context);
}

static void note_damage(void *context, const char *name, long long offset) {
    (void)name;
    (void)offset;
    ((tintype_raw_file *)context)->is_damaged = true;
}

// MARK: Files

tintype_raw_status tintype_raw_open(
    const tintype_raw_library *library, const uint8_t *bytes, size_t count, tintype_raw_cancel_hook is_cancelled,
    void *context, tintype_raw_file **file) {
    *file = NULL;
    tintype_raw_file *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return TINTYPE_RAW_MEMORY;
    }
    // As many images are decoded at once as there are cores, so each takes the calling thread alone.
    if (library->omp_set_num_threads != NULL) {
        library->omp_set_num_threads(1);
    }
    *opened = (tintype_raw_file){.library = library, .is_cancelled = is_cancelled, .context = context};
    // The default callbacks print.
    opened->data = library->libraw_init(LIBRAW_NO_CALLBACKS);
    if (opened->data == NULL) {
        free(opened);
        return TINTYPE_RAW_MEMORY;
    }
    library->libraw_set_dataerror_handler(opened->data, note_damage, opened);
    library->libraw_set_progress_handler(opened->data, ask, opened);
    tintype_raw_status status = status_of(library->libraw_open_buffer(opened->data, bytes, count));
    if (status != TINTYPE_RAW_OK) {
        tintype_raw_close(opened);
        return status;
    }
    *file = opened;
    return TINTYPE_RAW_OK;
}

void tintype_raw_close(tintype_raw_file *file) {
    if (file != NULL) {
        file->library->libraw_close(file->data);
        free(file);
    }
}

void tintype_raw_measure(tintype_raw_file *file, int32_t *width, int32_t *height) {
    file->library->libraw_adjust_sizes_info_only(file->data);
    *width = file->library->libraw_get_iwidth(file->data);
    *height = file->library->libraw_get_iheight(file->data);
}

// MARK: Images

/// Passes on an image that LibRaw made, or the reason for which it made none.
static tintype_raw_status take(
    tintype_raw_file *file, libraw_processed_image_t *made, int code, int type, tintype_raw_image *image) {
    if (made == NULL) {
        return code == 0 ? TINTYPE_RAW_MEMORY : status_of(code);
    }
    bool is_whole = type == LIBRAW_JPEG
        || (made->colors == 3 && made->bits == 8 && made->data_size == 3u * made->width * made->height);
    bool has_type = made->type == type;
    if (!has_type || !is_whole || file->is_damaged) {
        file->library->libraw_dcraw_clear_mem(made);
        return !has_type && type == LIBRAW_JPEG ? TINTYPE_RAW_NO_PREVIEW : TINTYPE_RAW_CORRUPT;
    }
    *image = (tintype_raw_image){
        .bytes = made->data, .count = made->data_size, .width = made->width, .height = made->height, .owner = made};
    return TINTYPE_RAW_OK;
}

tintype_raw_status tintype_raw_read_preview(tintype_raw_file *file, tintype_raw_image *image) {
    const tintype_raw_library *library = file->library;
    int code = library->libraw_unpack_thumb(file->data);
    if (code != 0) {
        tintype_raw_status status = status_of(code);
        return status == TINTYPE_RAW_CORRUPT ? TINTYPE_RAW_NO_PREVIEW : status;
    }
    libraw_processed_image_t *made = library->libraw_dcraw_make_mem_thumb(file->data, &code);
    return take(file, made, code, LIBRAW_JPEG, image);
}

/// Sets the white balance that the camera measured, if the file states it.
static void balance(tintype_raw_file *file) {
    const tintype_raw_library *library = file->library;
    if (!(library->libraw_get_cam_mul(file->data, 0) > 0 && library->libraw_get_cam_mul(file->data, 2) > 0)) {
        return;
    }
    for (int channel = 0; channel < 4; channel++) {
        library->libraw_set_user_mul(file->data, channel, library->libraw_get_cam_mul(file->data, channel));
    }
}

tintype_raw_status tintype_raw_develop(tintype_raw_file *file, tintype_raw_image *image) {
    const tintype_raw_library *library = file->library;
    library->libraw_set_output_bps(file->data, 8);
    library->libraw_set_output_color(file->data, LIBRAW_SRGB);
    balance(file);
    int code = library->libraw_unpack(file->data);
    if (code == 0) {
        code = library->libraw_dcraw_process(file->data);
    }
    if (code != 0) {
        return status_of(code);
    }
    libraw_processed_image_t *made = library->libraw_dcraw_make_mem_image(file->data, &code);
    return take(file, made, code, LIBRAW_BITMAP, image);
}

void tintype_raw_free(tintype_raw_file *file, tintype_raw_image image) {
    if (image.owner != NULL) {
        file->library->libraw_dcraw_clear_mem(image.owner);
    }
}
