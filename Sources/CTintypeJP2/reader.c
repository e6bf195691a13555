#include "library.h"

#include <stdlib.h>
#include <string.h>

struct tintype_jp2_reader {
    const tintype_jp2_library *library;
    void *codec;
    void *stream;
    opj_image_t *image;
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    uint32_t resolution_count;
    tintype_jp2_cancel_hook is_cancelled;
    void *context;
    bool has_cancelled;
    /// The first error that OpenJPEG reported.
    char message[200];
};

// MARK: What OpenJPEG calls

static size_t read_bytes(void *target, size_t count, void *context) {
    tintype_jp2_reader *reader = context;
    if (reader->is_cancelled != NULL && reader->is_cancelled(reader->context)) {
        reader->has_cancelled = true;
    }
    size_t left = reader->count - reader->offset;
    if (reader->has_cancelled || left == 0) {
        return (size_t)-1;
    }
    size_t length = count < left ? count : left;
    memcpy(target, reader->bytes + reader->offset, length);
    reader->offset += length;
    return length;
}

static int64_t skip_bytes(int64_t count, void *context) {
    tintype_jp2_reader *reader = context;
    if (count < 0 || (uint64_t)count > reader->count - reader->offset) {
        return -1;
    }
    reader->offset += (size_t)count;
    return count;
}

static int seek_byte(int64_t offset, void *context) {
    tintype_jp2_reader *reader = context;
    if (offset < 0 || (uint64_t)offset > reader->count) {
        return 0;
    }
    reader->offset = (size_t)offset;
    return 1;
}

static void note_error(const char *text, void *context) {
    tintype_jp2_reader *reader = context;
    if (reader->message[0] == 0) {
        strncpy(reader->message, text, sizeof reader->message - 1);
        reader->message[strcspn(reader->message, "\r\n")] = 0;
    }
}

// MARK: Readers

/// Returns the status of a call that failed, and its message.
static tintype_jp2_status failure(const tintype_jp2_reader *reader, char *message, size_t message_size) {
    if (reader->has_cancelled) {
        return TINTYPE_JP2_CANCELLED;
    }
    strncpy(message, reader->message, message_size - 1);
    message[message_size - 1] = 0;
    bool is_memory = strstr(reader->message, "emory") != NULL || strstr(reader->message, "allocat") != NULL;
    return is_memory ? TINTYPE_JP2_MEMORY : TINTYPE_JP2_CORRUPT;
}

static bool is_codestream(const uint8_t *bytes, size_t count) {
    static const uint8_t start[] = {0xFF, 0x4F, 0xFF, 0x51};
    return count >= sizeof start && memcmp(bytes, start, sizeof start) == 0;
}

static bool start(tintype_jp2_reader *reader) {
    const tintype_jp2_library *library = reader->library;
    reader->codec = library->opj_create_decompress(
        is_codestream(reader->bytes, reader->count) ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    reader->stream = library->opj_stream_create(1 << 16, 1);
    if (reader->codec == NULL || reader->stream == NULL) {
        return false;
    }
    library->opj_set_error_handler(reader->codec, note_error, reader);
    library->opj_stream_set_read_function(reader->stream, read_bytes);
    library->opj_stream_set_skip_function(reader->stream, skip_bytes);
    library->opj_stream_set_seek_function(reader->stream, seek_byte);
    library->opj_stream_set_user_data(reader->stream, reader, NULL);
    library->opj_stream_set_user_data_length(reader->stream, reader->count);
    return true;
}

static bool read_header(tintype_jp2_reader *reader) {
    const tintype_jp2_library *library = reader->library;
    opj_dparameters_t parameters;
    memset(&parameters, 0, sizeof parameters);
    library->opj_set_default_decoder_parameters(&parameters);
    if (!library->opj_setup_decoder(reader->codec, &parameters)) {
        return false;
    }
    if (library->opj_decoder_set_strict_mode != NULL) {
        library->opj_decoder_set_strict_mode(reader->codec, 1);
    }
    if (!library->opj_read_header(reader->stream, reader->codec, &reader->image) || reader->image == NULL) {
        return false;
    }
    opj_codestream_info_v2_t *info = library->opj_get_cstr_info(reader->codec);
    if (info != NULL) {
        const opj_tccp_info_t *coding = info->m_default_tile_info.tccp_info;
        // The sizes differ if components do; tiles with other codings fail to decode at a smaller size.
        reader->resolution_count = coding != NULL ? coding->numresolutions : 1;
        library->opj_destroy_cstr_info(&info);
    }
    return true;
}

tintype_jp2_status tintype_jp2_open(
    const tintype_jp2_library *library, const uint8_t *bytes, size_t count, tintype_jp2_cancel_hook is_cancelled,
    void *context, tintype_jp2_reader **reader, char *message, size_t message_size) {
    *reader = NULL;
    tintype_jp2_reader *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return TINTYPE_JP2_MEMORY;
    }
    opened->library = library;
    opened->bytes = bytes;
    opened->count = count;
    opened->resolution_count = 1;
    opened->is_cancelled = is_cancelled;
    opened->context = context;
    tintype_jp2_status status = TINTYPE_JP2_OK;
    if (!start(opened)) {
        status = TINTYPE_JP2_MEMORY;
    } else if (!read_header(opened)) {
        status = failure(opened, message, message_size);
    }
    if (status != TINTYPE_JP2_OK) {
        tintype_jp2_close(opened);
        return status;
    }
    *reader = opened;
    return TINTYPE_JP2_OK;
}

void tintype_jp2_close(tintype_jp2_reader *reader) {
    if (reader == NULL) {
        return;
    }
    const tintype_jp2_library *library = reader->library;
    if (reader->image != NULL) {
        library->opj_image_destroy(reader->image);
    }
    if (reader->stream != NULL) {
        library->opj_stream_destroy(reader->stream);
    }
    if (reader->codec != NULL) {
        library->opj_destroy_codec(reader->codec);
    }
    free(reader);
}

static tintype_jp2_colors colors_of(const opj_image_t *image) {
    switch (image->color_space) {
    case OPJ_CLRSPC_SRGB:
        return TINTYPE_JP2_RGB;
    case OPJ_CLRSPC_GRAY:
        return TINTYPE_JP2_GREY;
    case OPJ_CLRSPC_SYCC:
    case OPJ_CLRSPC_EYCC:
        return TINTYPE_JP2_YCC;
    case OPJ_CLRSPC_CMYK:
        return TINTYPE_JP2_CMYK;
    default:
        return TINTYPE_JP2_UNSPECIFIED;
    }
}

tintype_jp2_header tintype_jp2_get_header(const tintype_jp2_reader *reader) {
    const opj_image_t *image = reader->image;
    // Some colour spaces have parameters in the place of a profile, with a length of 0.
    return (tintype_jp2_header){
        .width = image->x1 > image->x0 ? image->x1 - image->x0 : 0,
        .height = image->y1 > image->y0 ? image->y1 - image->y0 : 0,
        .channel_count = image->numcomps,
        .resolution_count = reader->resolution_count,
        .colors = colors_of(image),
        .profile = image->icc_profile_buf,
        .profile_bytes = image->icc_profile_buf != NULL ? image->icc_profile_len : 0,
    };
}

tintype_jp2_channel tintype_jp2_get_channel(const tintype_jp2_reader *reader, uint32_t index) {
    const opj_image_comp_t *component = &reader->image->comps[index];
    return (tintype_jp2_channel){
        .samples = component->data,
        .width = component->w,
        .height = component->h,
        .step_across = component->dx,
        .step_down = component->dy,
        .bits = component->prec,
        .is_signed = component->sgnd != 0,
        .alpha = component->alpha,
    };
}

tintype_jp2_status tintype_jp2_decode(
    tintype_jp2_reader *reader, uint32_t reduction, char *message, size_t message_size) {
    const tintype_jp2_library *library = reader->library;
    bool is_decoded = library->opj_set_decoded_resolution_factor(reader->codec, reduction)
        && library->opj_decode(reader->codec, reader->stream, reader->image)
        && library->opj_end_decompress(reader->codec, reader->stream);
    return is_decoded ? TINTYPE_JP2_OK : failure(reader, message, message_size);
}
