#include "internal.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64 * 1024 };

/// The bytes written so far. libjpeg's own memory destination leaks or dangles if encoding fails half-way.
typedef struct {
    /// First member, so that `cinfo->dest` points to the sink.
    struct jpeg_destination_mgr manager;
    uint8_t *bytes;
    size_t capacity;
} sink;

typedef struct {
    struct jpeg_compress_struct cinfo;
    tintype_jpeg_fence fence;
    sink sink;
    const uint8_t *rgba;
    size_t stride;
    uint32_t width;
    uint32_t height;
    tintype_jpeg_settings settings;
} encoding;

static size_t written(const sink *sink) {
    return sink->capacity - sink->manager.free_in_buffer;
}

// MARK: Functions that libjpeg calls

static void grow(j_compress_ptr cinfo, size_t capacity) {
    sink *out = (sink *)cinfo->dest;
    uint8_t *bytes = realloc(out->bytes, capacity);
    if (bytes == NULL) {
        ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
    }
    out->bytes = bytes;
    out->manager.next_output_byte = bytes + out->capacity;
    out->manager.free_in_buffer = capacity - out->capacity;
    out->capacity = capacity;
}

static void begin(j_compress_ptr cinfo) {
    grow(cinfo, FIRST_CAPACITY);
}

/// Called when the sink is full, whatever the value of `free_in_buffer`.
static boolean empty(j_compress_ptr cinfo) {
    grow(cinfo, ((sink *)cinfo->dest)->capacity * 2);
    return TRUE;
}

static void finish(j_compress_ptr cinfo) {
    (void)cinfo;
}

// MARK: Encoding

static void configure(encoding *job) {
    j_compress_ptr cinfo = &job->cinfo;
    cinfo->image_width = job->width;
    cinfo->image_height = job->height;
    cinfo->input_components = 4;
    cinfo->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(cinfo);
    if (job->settings.is_grey) {
        jpeg_set_colorspace(cinfo, JCS_GRAYSCALE);
    }
    jpeg_set_quality(cinfo, job->settings.quality, TRUE);
    cinfo->dct_method = JDCT_ISLOW;
    cinfo->optimize_coding = TRUE;
    cinfo->comp_info[0].h_samp_factor = job->settings.is_grey ? 1 : job->settings.chroma_across;
    cinfo->comp_info[0].v_samp_factor = job->settings.is_grey ? 1 : job->settings.chroma_down;
    if (job->settings.is_progressive) {
        jpeg_simple_progression(cinfo);
    }
}

static void write_rows(encoding *job) {
    while (job->cinfo.next_scanline < job->height) {
        // libjpeg's rows are not const, although it only reads them here.
        JSAMPROW row = (JSAMPROW)(job->rgba + job->cinfo.next_scanline * job->stride);
        jpeg_write_scanlines(&job->cinfo, &row, 1);
    }
}

static tintype_jpeg_status encode(encoding *job) {
    job->cinfo.err = tintype_jpeg_fence_raise(&job->fence);
    if (setjmp(job->fence.escape) != 0) {
        return job->fence.status;
    }
    jpeg_create_compress(&job->cinfo);
    job->cinfo.dest = &job->sink.manager;
    configure(job);
    jpeg_start_compress(&job->cinfo, TRUE);
    write_rows(job);
    jpeg_finish_compress(&job->cinfo);
    return TINTYPE_JPEG_OK;
}

static bool is_valid(const encoding *job) {
    bool has_pixels = job->width > 0 && job->height > 0 && job->stride >= (size_t)job->width * 4;
    const tintype_jpeg_settings *settings = &job->settings;
    bool has_chroma = settings->chroma_across >= 1 && settings->chroma_across <= 2 && settings->chroma_down >= 1
        && settings->chroma_down <= 2;
    return has_pixels && has_chroma && settings->quality >= 1 && settings->quality <= 100;
}

tintype_jpeg_status tintype_jpeg_encode(
    const uint8_t *rgba, uint32_t width, uint32_t height, size_t stride, tintype_jpeg_settings settings, uint8_t **out,
    size_t *out_count, char *message, size_t message_size) {
    encoding job = {
        .sink.manager = {.init_destination = begin, .empty_output_buffer = empty, .term_destination = finish},
        .rgba = rgba,
        .stride = stride,
        .width = width,
        .height = height,
        .settings = settings,
    };
    *out = NULL;
    *out_count = 0;
    if (!is_valid(&job)) {
        snprintf(message, message_size, "Bad arguments");
        return TINTYPE_JPEG_MISUSE;
    }
    tintype_jpeg_status status = encode(&job);
    jpeg_destroy_compress(&job.cinfo);
    snprintf(message, message_size, "%s", job.fence.message);
    if (status != TINTYPE_JPEG_OK) {
        free(job.sink.bytes);
        return status;
    }
    *out = job.sink.bytes;
    *out_count = written(&job.sink);
    return TINTYPE_JPEG_OK;
}

void tintype_jpeg_free(uint8_t *bytes) {
    free(bytes);
}
