#include "library.h"

#include <stdlib.h>
#include <string.h>

struct tintype_raw_file {
    const tintype_raw_library *library;
    libraw_data_t *data;
    const uint8_t *bytes;
    size_t count;
    tintype_raw_cancel_hook is_cancelled;
    void *context;
    /// Whether LibRaw found bytes that it could not decode. It continues with made-up pixels.
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
    case LIBRAW_UNSUPPORTED:
    case LIBRAW_NOT_IMPLEMENTED:
        return TINTYPE_RAW_UNSUPPORTED;
    case LIBRAW_IO_ERROR:
        return TINTYPE_RAW_TRUNCATED;
    case LIBRAW_TOO_BIG:
        return TINTYPE_RAW_TOO_BIG;
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

/// Clears the part of the stack that the next call will use.
///
/// LibRaw 0.20 also reads elements of its local arrays that a damaged file does not fill. They would hold what earlier
/// calls left there: the same file would decode differently each time, and might show bytes of another file. The
/// address sanitizer must not move the array to the heap.
__attribute__((noinline, no_sanitize("address"))) static void clear_stack(void) {
    uint8_t area[1 << 16];
    memset(area, 0, sizeof area);
    // The compiler must assume that the array is read.
    __asm__ volatile("" : : "r"(area) : "memory");
}

/// Reads the header, also again after an error, which makes LibRaw forget the file.
static tintype_raw_status read_header(tintype_raw_file *file) {
    clear_stack();
    return status_of(file->library->libraw_open_buffer(file->data, file->bytes, file->count));
}

/// Returns whether the state has the layout that is declared here.
static bool has_known_layout(const tintype_raw_library *library, libraw_data_t *data) {
    return data->sizes.raw_width == library->libraw_get_raw_width(data)
        && data->sizes.raw_height == library->libraw_get_raw_height(data)
        && data->sizes.iwidth == library->libraw_get_iwidth(data)
        && data->sizes.iheight == library->libraw_get_iheight(data);
}

tintype_raw_status tintype_raw_open(
    const tintype_raw_library *library, const uint8_t *bytes, size_t count, tintype_raw_cancel_hook is_cancelled,
    void *context, tintype_raw_file **file) {
    *file = NULL;
    tintype_raw_file *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return TINTYPE_RAW_MEMORY;
    }
    *opened = (tintype_raw_file){
        .library = library, .bytes = bytes, .count = count, .is_cancelled = is_cancelled, .context = context};
    // The default callbacks print.
    opened->data = library->libraw_init(LIBRAW_NO_CALLBACKS);
    if (opened->data == NULL) {
        free(opened);
        return TINTYPE_RAW_MEMORY;
    }
    library->libraw_set_dataerror_handler(opened->data, note_damage, opened);
    library->libraw_set_progress_handler(opened->data, ask, opened);
    tintype_raw_status status = read_header(opened);
    if (status == TINTYPE_RAW_OK && !has_known_layout(library, opened->data)) {
        status = TINTYPE_RAW_INCOMPATIBLE;
    }
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

/// Returns a side that LibRaw stretches, because pixels are not square.
static uint32_t stretch(uint32_t side, double factor) {
    double stretched = side * factor + 0.5;
    // A factor that is negative or no number exceeds the limits.
    return stretched > 0 && stretched < UINT32_MAX ? (uint32_t)stretched : UINT32_MAX;
}

/// Returns whether an image is upright only after a quarter turn, which LibRaw states by a bit or in degrees.
static bool lies(int flip) {
    switch ((flip + 3600) % 360) {
    case 90:
    case 270:
        return true;
    case 180:
        return false;
    default:
        return (flip & 4) != 0;
    }
}

tintype_raw_header tintype_raw_get_header(const tintype_raw_file *file) {
    libraw_data_t *data = file->data;
    uint32_t width = data->sizes.width, height = data->sizes.height;
    double aspect = data->sizes.pixel_aspect;
    // Smaller differences are ignored by LibRaw, too.
    uint32_t across = aspect > 1.005 ? stretch(width, aspect) : width;
    uint32_t down = aspect < 0.995 ? stretch(height, 1 / aspect) : height;
    bool is_lying = lies(data->sizes.flip);
    return (tintype_raw_header){
        .sensor_width = data->sizes.raw_width,
        .sensor_height = data->sizes.raw_height,
        .active_width = width,
        .active_height = height,
        .width = is_lying ? down : across,
        .height = is_lying ? across : down,
        .is_mosaic = file->library->libraw_COLOR(data, 0, 0) != LIBRAW_ALL_COLORS,
    };
}

void tintype_raw_measure(tintype_raw_file *file, uint32_t *width, uint32_t *height) {
    file->library->libraw_adjust_sizes_info_only(file->data);
    *width = (uint32_t)file->library->libraw_get_iwidth(file->data);
    *height = (uint32_t)file->library->libraw_get_iheight(file->data);
}

// MARK: Images

/// Returns whether an image has the samples that its size states.
static bool is_whole(const libraw_processed_image_t *made) {
    uint64_t count = (uint64_t)made->colors * made->width * made->height;
    return (made->colors == 1 || made->colors == 3) && made->bits == 8 && made->data_size == count;
}

/// Passes on an image that LibRaw made, or the reason for which it made none.
static tintype_raw_status take(
    tintype_raw_file *file, libraw_processed_image_t *made, int code, int type, tintype_raw_image *image) {
    if (made == NULL) {
        return code == 0 ? TINTYPE_RAW_MEMORY : status_of(code);
    }
    bool is_usable = made->type == type && (type == LIBRAW_JPEG || (is_whole(made) && !file->is_damaged));
    if (!is_usable) {
        file->library->libraw_dcraw_clear_mem(made);
        return TINTYPE_RAW_CORRUPT;
    }
    *image = (tintype_raw_image){
        .bytes = made->data,
        .count = made->data_size,
        .width = made->width,
        .height = made->height,
        .channels = made->colors,
        .owner = made,
    };
    return TINTYPE_RAW_OK;
}

tintype_raw_status tintype_raw_read_preview(tintype_raw_file *file, tintype_raw_image *image) {
    const tintype_raw_library *library = file->library;
    bool is_damaged = file->is_damaged;
    clear_stack();
    int code = library->libraw_unpack_thumb(file->data);
    // A damaged preview is not damage of the image.
    file->is_damaged = is_damaged;
    if (code == LIBRAW_CANCELLED) {
        return TINTYPE_RAW_CANCELLED;
    }
    if (code != 0) {
        bool is_absent = code == LIBRAW_NO_THUMBNAIL || code == LIBRAW_UNSUPPORTED_THUMBNAIL;
        tintype_raw_status status = is_absent ? TINTYPE_RAW_OK : read_header(file);
        return status == TINTYPE_RAW_OK ? TINTYPE_RAW_NO_PREVIEW : status;
    }
    libraw_processed_image_t *made = library->libraw_dcraw_make_mem_thumb(file->data, &code);
    tintype_raw_status status = take(file, made, code, LIBRAW_JPEG, image);
    return status == TINTYPE_RAW_OK || status == TINTYPE_RAW_CANCELLED ? status : TINTYPE_RAW_NO_PREVIEW;
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

/// Unpacks and processes the image on the calling thread alone: as many images are decoded at once as there are cores.
/// The number of threads belongs to the calling thread, which may use OpenMP for other work.
static int decode_alone(tintype_raw_file *file) {
    const tintype_raw_library *library = file->library;
    bool uses_threads = library->omp_get_max_threads != NULL && library->omp_set_num_threads != NULL;
    int threads = uses_threads ? library->omp_get_max_threads() : 1;
    if (uses_threads) {
        library->omp_set_num_threads(1);
    }
    clear_stack();
    int code = library->libraw_unpack(file->data);
    if (code == 0) {
        clear_stack();
        code = library->libraw_dcraw_process(file->data);
    }
    if (uses_threads) {
        library->omp_set_num_threads(threads);
    }
    return code;
}

tintype_raw_status tintype_raw_develop(tintype_raw_file *file, tintype_raw_image *image) {
    const tintype_raw_library *library = file->library;
    library->libraw_set_output_bps(file->data, 8);
    library->libraw_set_output_color(file->data, LIBRAW_SRGB);
    balance(file);
    int code = decode_alone(file);
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
