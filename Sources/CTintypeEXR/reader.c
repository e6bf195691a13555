#include "reader.h"

#include <stdlib.h>
#include <string.h>

// MARK: What OpenEXRCore calls

static int64_t read_bytes(
    exr_context_t context, void *user_data, void *target, uint64_t count, uint64_t offset, void *error) {
    (void)context;
    (void)error;
    const tintype_exr_reader *reader = user_data;
    if (offset >= reader->count) {
        return 0;
    }
    uint64_t left = reader->count - offset;
    uint64_t length = count < left ? count : left;
    memcpy(target, reader->bytes + offset, length);
    return (int64_t)length;
}

static int64_t get_size(exr_context_t context, void *user_data) {
    (void)context;
    return (int64_t)((const tintype_exr_reader *)user_data)->count;
}

/// Without it, errors would be printed. Their text is in the result.
static void ignore_error(exr_context_t context, exr_result_t code, const char *text) {
    (void)context;
    (void)code;
    (void)text;
}

// MARK: Readers

tintype_exr_status tintype_exr_failure(
    const tintype_exr_reader *reader, exr_result_t result, char *message, size_t message_size) {
    const char *text = result == EXR_ERR_FEATURE_NOT_IMPLEMENTED
        ? "a compression that the library lacks, such as DWAA or DWAB"
        : reader->library->exr_get_default_error_message(result);
    strncpy(message, text != NULL ? text : "unknown error", message_size - 1);
    message[message_size - 1] = 0;
    switch (result) {
    case EXR_ERR_OUT_OF_MEMORY:
        return TINTYPE_EXR_MEMORY;
    case EXR_ERR_FEATURE_NOT_IMPLEMENTED:
        return TINTYPE_EXR_UNSUPPORTED;
    default:
        return TINTYPE_EXR_CORRUPT;
    }
}

static const char *const channel_names[CHANNEL_COUNT] = {"R", "G", "B", "A", "Y", "RY", "BY"};

/// Returns the length of the name of a layer in the name of a channel, with the dot at its end; 0 without a layer.
static size_t layer_length(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL ? (size_t)(dot - name) + 1 : 0;
}

static bool is_color(const char *name) {
    return strcmp(name, "R") == 0 || strcmp(name, "G") == 0 || strcmp(name, "B") == 0 || strcmp(name, "Y") == 0;
}

/// Finds the channels of the image without a layer, or else of the first layer with colours.
static bool find_channels(tintype_exr_reader *reader, const exr_attr_chlist_t *list) {
    const char *layer = NULL;
    size_t length = 0;
    for (int i = 0; i < list->num_channels; i++) {
        const char *name = list->entries[i].name.str;
        size_t own_length = layer_length(name);
        if (is_color(name + own_length) && (layer == NULL || own_length == 0)) {
            layer = name;
            length = own_length;
        }
    }
    if (layer == NULL) {
        return false;
    }
    for (int i = 0; i < list->num_channels; i++) {
        const exr_attr_chlist_entry_t *entry = &list->entries[i];
        const char *name = entry->name.str;
        if (layer_length(name) != length || strncmp(name, layer, length) != 0) {
            continue;
        }
        for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
            if (strcmp(name + length, channel_names[channel]) == 0 && entry->x_sampling > 0 && entry->y_sampling > 0) {
                reader->names[channel] = name;
                reader->step_across[channel] = entry->x_sampling;
                reader->step_down[channel] = entry->y_sampling;
                reader->header.is_float = reader->header.is_float || entry->pixel_type != EXR_PIXEL_HALF;
            }
        }
    }
    return true;
}

/// Finds the first part with a flat image that has colours.
static exr_result_t find_part(tintype_exr_reader *reader, bool *is_found) {
    const tintype_exr_library *library = reader->library;
    int count = 0;
    exr_result_t result = library->exr_get_count(reader->context, &count);
    for (int part = 0; result == 0 && part < count; part++) {
        int storage = -1;
        const exr_attr_chlist_t *channels = NULL;
        result = library->exr_get_storage(reader->context, part, &storage);
        if (result != 0 || (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED)) {
            continue;
        }
        result = library->exr_get_channels(reader->context, part, &channels);
        if (result == 0 && channels != NULL && find_channels(reader, channels)) {
            reader->part = part;
            reader->is_tiled = storage == EXR_STORAGE_TILED;
            *is_found = true;
            return 0;
        }
    }
    return result;
}

static tintype_exr_window window_of(exr_attr_box2i_t box) {
    return (tintype_exr_window){.min_x = box.min_x, .min_y = box.min_y, .max_x = box.max_x, .max_y = box.max_y};
}

static exr_result_t read_properties(tintype_exr_reader *reader) {
    const tintype_exr_library *library = reader->library;
    tintype_exr_header *header = &reader->header;
    exr_attr_box2i_t data, display;
    exr_result_t result = library->exr_get_data_window(reader->context, reader->part, &data);
    if (result == 0) {
        result = library->exr_get_display_window(reader->context, reader->part, &display);
    }
    if (result != 0) {
        return result;
    }
    header->data = window_of(data);
    header->display = window_of(display);
    header->has_alpha = reader->names[CHANNEL_ALPHA] != NULL;
    header->is_grey = reader->names[CHANNEL_LUMINANCE] != NULL && reader->names[CHANNEL_RED_DIFFERENCE] == NULL;
    exr_attr_chromaticities_t colors;
    if (library->exr_attr_get_chromaticities(reader->context, reader->part, "chromaticities", &colors) == 0) {
        header->has_chromaticities = true;
        memcpy(header->chromaticities, colors.values, sizeof colors.values);
    }
    if (!reader->is_tiled) {
        return library->exr_get_scanlines_per_chunk(reader->context, reader->part, &header->band_height);
    }
    uint32_t width = 0, height = 0;
    int level = 0, rounding = 0;
    result = library->exr_get_tile_descriptor(reader->context, reader->part, &width, &height, &level, &rounding);
    reader->tile_width = (int32_t)width;
    reader->tile_height = header->band_height = (int32_t)height;
    return result;
}

tintype_exr_status tintype_exr_open(
    const tintype_exr_library *library, const uint8_t *bytes, size_t count, int32_t maximum_side,
    tintype_exr_reader **reader, char *message, size_t message_size) {
    *reader = NULL;
    message[0] = 0;
    tintype_exr_reader *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return TINTYPE_EXR_MEMORY;
    }
    opened->library = library;
    opened->bytes = bytes;
    opened->count = count;
    exr_context_initializer_t initializer = {
        .size = sizeof initializer,
        .error_handler_fn = ignore_error,
        .user_data = opened,
        .read_fn = read_bytes,
        .size_fn = get_size,
        .max_image_width = maximum_side,
        .max_image_height = maximum_side,
        .max_tile_width = maximum_side,
        .max_tile_height = maximum_side,
        .zip_level = -2,
        .dwa_quality = -1,
        .flags = EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION,
    };
    bool is_found = false;
    exr_result_t result = library->exr_start_read(&opened->context, "image.exr", &initializer);
    if (result == 0) {
        result = find_part(opened, &is_found);
    }
    if (result == 0 && is_found) {
        result = read_properties(opened);
    }
    tintype_exr_status status = TINTYPE_EXR_OK;
    if (result != 0) {
        status = tintype_exr_failure(opened, result, message, message_size);
    } else if (!is_found) {
        strncpy(message, "no flat image with channels of colours", message_size - 1);
        status = TINTYPE_EXR_UNSUPPORTED;
    } else if (opened->header.band_height <= 0 || (opened->is_tiled && opened->tile_width <= 0)) {
        status = TINTYPE_EXR_CORRUPT;
    }
    if (status != TINTYPE_EXR_OK) {
        tintype_exr_close(opened);
        return status;
    }
    *reader = opened;
    return TINTYPE_EXR_OK;
}

void tintype_exr_close(tintype_exr_reader *reader) {
    if (reader == NULL) {
        return;
    }
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
        free(reader->last_rows[channel]);
    }
    if (reader->context != NULL) {
        reader->library->exr_finish(&reader->context);
    }
    free(reader);
}

tintype_exr_header tintype_exr_get_header(const tintype_exr_reader *reader) {
    return reader->header;
}
