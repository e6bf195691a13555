#include "reader.h"

#include <stdlib.h>
#include <string.h>

/// The samples of a chunk of channels that have fewer samples than pixels, and of luminance.
typedef struct {
    float *samples[CHANNEL_COUNT];
    int32_t width[CHANNEL_COUNT], height[CHANNEL_COUNT];
} planes;

static void free_planes(planes *planes) {
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
        free(planes->samples[channel]);
    }
}

static int index_of(const tintype_exr_reader *reader, const char *name) {
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
        if (reader->names[channel] != NULL && strcmp(reader->names[channel], name) == 0) {
            return channel;
        }
    }
    return -1;
}

static bool is_direct(const tintype_exr_reader *reader, int channel) {
    return channel <= CHANNEL_ALPHA && reader->step_across[channel] == 1 && reader->step_down[channel] == 1;
}

/// Rounds down to a multiple, also for negative numbers.
static int64_t floored(int64_t value, int64_t step) {
    int64_t rest = value % step;
    return value - (rest < 0 ? rest + step : rest);
}

// MARK: Chunks

/// Converts a number of 16 bits (IEEE 754, binary16).
static float float_of_half(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023, bits;
    if (exponent == 31) {
        bits = sign | 0x7F800000 | fraction << 13;
    } else if (exponent > 0) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        // Exact: a multiple of 2^-24.
        float value = (float)fraction * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// Returns a little-endian sample.
static float sample_of(const uint8_t *bytes, int type) {
    if (type == EXR_PIXEL_HALF) {
        uint16_t half;
        memcpy(&half, bytes, sizeof half);
        return float_of_half(half);
    }
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    if (type == EXR_PIXEL_UINT) {
        return (float)word;
    }
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/// Distributes the samples of a chunk: line by line, and in a line channel by channel (OpenEXR file layout).
///
/// The functions of version 3.1 for this give other values for four channels that are stored as half and wanted as
/// floats, and fail for lines without samples.
static exr_result_t unpack(
    const tintype_exr_reader *reader, const exr_decode_pipeline_t *pipeline, planes *planes, int64_t first, float *rgba,
    int32_t width) {
    const uint8_t *bytes = pipeline->unpacked_buffer != NULL ? pipeline->unpacked_buffer : pipeline->packed_buffer;
    uint64_t offset = 0, count = pipeline->chunk.unpacked_size;
    int32_t rows[CHANNEL_COUNT] = {0};
    for (int32_t y = 0; y < pipeline->chunk.height; y++) {
        for (int i = 0; i < pipeline->channel_count; i++) {
            const exr_coding_channel_info_t *info = &pipeline->channels[i];
            if (info->y_samples > 1 && floored(first + y, info->y_samples) != first + y) {
                continue;
            }
            uint64_t size = info->data_type == EXR_PIXEL_HALF ? 2 : 4;
            int32_t samples = info->width;
            if (bytes == NULL || samples < 0 || samples > pipeline->chunk.width
                || (uint64_t)samples * size > count - offset) {
                return EXR_ERR_CORRUPT_CHUNK;
            }
            int channel = index_of(reader, info->channel_name);
            float *target = NULL;
            int stride = 1;
            if (channel >= 0 && is_direct(reader, channel)) {
                target = rgba + (int64_t)y * width * 4 + channel;
                stride = 4;
            } else if (channel >= 0 && planes->samples[channel] != NULL && rows[channel] < planes->height[channel]) {
                target = planes->samples[channel] + (int64_t)rows[channel]++ * planes->width[channel];
            }
            for (int32_t x = 0; target != NULL && x < samples; x++) {
                target[(int64_t)x * stride] = sample_of(bytes + offset + (uint64_t)x * size, info->data_type);
            }
            offset += (uint64_t)samples * size;
        }
    }
    return 0;
}

/// Allocates the planes of a chunk. Returns false if there is no memory.
static bool make_planes(const tintype_exr_reader *reader, const exr_decode_pipeline_t *pipeline, planes *planes) {
    for (int i = 0; i < pipeline->channel_count; i++) {
        const exr_coding_channel_info_t *info = &pipeline->channels[i];
        int channel = index_of(reader, info->channel_name);
        if (channel < 0 || is_direct(reader, channel) || info->width <= 0 || info->height <= 0) {
            continue;
        }
        planes->samples[channel] = calloc((size_t)info->width * (size_t)info->height, sizeof(float));
        if (planes->samples[channel] == NULL) {
            return false;
        }
        planes->width[channel] = info->width;
        planes->height[channel] = info->height;
    }
    return true;
}

/// - first: The row of the plane at which the chunk begins.
/// - width: The distance between rows of `rgba` in pixels, which is at least the width of the chunk.
static exr_result_t decode_chunk(
    tintype_exr_reader *reader, const exr_chunk_info_t *chunk, planes *planes, int64_t first, float *rgba,
    int32_t width) {
    const tintype_exr_library *library = reader->library;
    exr_decode_pipeline_t pipeline;
    memset(&pipeline, 0, sizeof pipeline);
    exr_result_t result = library->exr_decoding_initialize(reader->context, reader->part, chunk, &pipeline);
    if (result == 0) {
        result = library->exr_decoding_choose_default_routines(reader->context, reader->part, &pipeline);
    }
    if (result == 0) {
        // It stops after decompression.
        pipeline.unpack_and_convert_fn = NULL;
        result = library->exr_decoding_run(reader->context, reader->part, &pipeline);
    }
    if (result == 0 && !make_planes(reader, &pipeline, planes)) {
        result = EXR_ERR_OUT_OF_MEMORY;
    }
    if (result == 0) {
        result = unpack(reader, &pipeline, planes, first, rgba, width);
    }
    library->exr_decoding_destroy(reader->context, &pipeline);
    return result;
}

// MARK: Channels with fewer samples

/// Returns the row of samples that belongs to row `y` of the plane, or null if the file has none.
static const float *row_of(
    const tintype_exr_reader *reader, const planes *planes, int channel, int64_t first, int64_t y) {
    int64_t step = reader->step_down[channel];
    int64_t first_sampled = floored(first + step - 1, step);
    int64_t sampled = floored(y, step);
    if (sampled < first) {
        return reader->last_rows[channel];
    }
    int64_t index = (sampled - first_sampled) / step;
    return planes->samples[channel] != NULL && index < planes->height[channel]
        ? planes->samples[channel] + index * planes->width[channel] : NULL;
}

/// Returns the number of samples in a row of a channel.
static int32_t samples_in_row(const tintype_exr_reader *reader, int channel) {
    int64_t step = reader->step_across[channel];
    int64_t min = reader->header.data.min_x, max = reader->header.data.max_x;
    return (int32_t)((floored(max, step) - floored(min + step - 1, step)) / step + 1);
}

static float sample_at(const tintype_exr_reader *reader, int channel, const float *row, int64_t x) {
    int64_t step = reader->step_across[channel];
    int64_t index = (floored(x, step) - floored(reader->header.data.min_x + step - 1, step)) / step;
    int32_t count = samples_in_row(reader, channel);
    return row == NULL || count <= 0 ? 0 : row[index < 0 ? 0 : index < count ? index : count - 1];
}

/// Keeps the last row of samples for the next band. Returns false if there is no memory.
static bool keep_last_rows(tintype_exr_reader *reader, const planes *planes) {
    for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
        if (planes->samples[channel] == NULL || planes->width[channel] != samples_in_row(reader, channel)) {
            continue;
        }
        size_t width = (size_t)planes->width[channel];
        if (reader->last_rows[channel] == NULL) {
            reader->last_rows[channel] = calloc(width, sizeof(float));
        }
        if (reader->last_rows[channel] == NULL) {
            return false;
        }
        memcpy(
            reader->last_rows[channel], planes->samples[channel] + (size_t)(planes->height[channel] - 1) * width,
            width * sizeof(float));
    }
    return true;
}

/// Makes colours of luminance and differences (OpenEXR's technical introduction, "Luminance/chroma images").
static void mix(const float luma[3], float luminance, float red_difference, float blue_difference, float *pixel) {
    float red = (red_difference + 1) * luminance, blue = (blue_difference + 1) * luminance;
    pixel[0] = red;
    pixel[1] = luma[1] > 0 ? (luminance - red * luma[0] - blue * luma[2]) / luma[1] : luminance;
    pixel[2] = blue;
}

/// Fills in what a chunk of rows has in planes.
static void mix_rows(
    const tintype_exr_reader *reader, const planes *planes, const float luma[3], int64_t first, int32_t height,
    float *rgba) {
    int64_t min_x = reader->header.data.min_x;
    int64_t width = reader->header.data.max_x - min_x + 1;
    for (int32_t y = 0; y < height; y++) {
        const float *rows[CHANNEL_COUNT];
        for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
            rows[channel] = reader->names[channel] != NULL && !is_direct(reader, channel)
                ? row_of(reader, planes, channel, first, first + y) : NULL;
        }
        for (int64_t x = 0; x < width; x++) {
            float *pixel = rgba + (y * width + x) * 4;
            float values[CHANNEL_COUNT] = {0};
            for (int channel = 0; channel < CHANNEL_COUNT; channel++) {
                values[channel] = rows[channel] != NULL ? sample_at(reader, channel, rows[channel], min_x + x) : 0;
                if (channel <= CHANNEL_ALPHA && rows[channel] != NULL) {
                    pixel[channel] = values[channel];
                }
            }
            if (rows[CHANNEL_LUMINANCE] != NULL) {
                mix(luma, values[CHANNEL_LUMINANCE], values[CHANNEL_RED_DIFFERENCE], values[CHANNEL_BLUE_DIFFERENCE],
                    pixel);
            }
        }
    }
}

// MARK: Bands

static exr_result_t read_lines(
    tintype_exr_reader *reader, int64_t first, int32_t height, const float luma[3], float *rgba, int32_t width) {
    exr_chunk_info_t chunk;
    planes planes = {0};
    exr_result_t result =
        reader->library->exr_read_scanline_chunk_info(reader->context, reader->part, (int)first, &chunk);
    if (result == 0 && (chunk.width > width || chunk.height > height)) {
        result = EXR_ERR_FEATURE_NOT_IMPLEMENTED;
    }
    if (result == 0) {
        result = decode_chunk(reader, &chunk, &planes, first, rgba, width);
    }
    if (result == 0) {
        mix_rows(reader, &planes, luma, first, height, rgba);
        result = keep_last_rows(reader, &planes) ? 0 : EXR_ERR_OUT_OF_MEMORY;
    }
    free_planes(&planes);
    return result;
}

/// Copies the luminance of a tile, the only channel of a tile that is not read in place.
static void place_tile(const planes *planes, float *rgba, int32_t width) {
    const float *samples = planes->samples[CHANNEL_LUMINANCE];
    if (samples == NULL) {
        return;
    }
    for (int32_t y = 0; y < planes->height[CHANNEL_LUMINANCE]; y++) {
        for (int32_t x = 0; x < planes->width[CHANNEL_LUMINANCE]; x++) {
            float *pixel = rgba + ((int64_t)y * width + x) * 4;
            pixel[0] = pixel[1] = pixel[2] = samples[(int64_t)y * planes->width[CHANNEL_LUMINANCE] + x];
        }
    }
}

static exr_result_t read_tiles(
    tintype_exr_reader *reader, int32_t band, int32_t height, float *rgba, int32_t width) {
    exr_result_t result = 0;
    for (int32_t tile = 0; result == 0 && (int64_t)tile * reader->tile_width < width; tile++) {
        exr_chunk_info_t chunk;
        planes planes = {0};
        float *target = rgba + (int64_t)tile * reader->tile_width * 4;
        result = reader->library->exr_read_tile_chunk_info(reader->context, reader->part, tile, band, 0, 0, &chunk);
        int64_t left = (int64_t)width - (int64_t)tile * reader->tile_width;
        if (result == 0 && (chunk.width > left || chunk.height > height)) {
            result = EXR_ERR_FEATURE_NOT_IMPLEMENTED;
        }
        if (result == 0) {
            result = decode_chunk(reader, &chunk, &planes, 0, target, width);
        }
        if (result == 0) {
            place_tile(&planes, target, width);
        }
        free_planes(&planes);
    }
    return result;
}

tintype_exr_status tintype_exr_read_band(
    tintype_exr_reader *reader, int32_t band, const float luma[3], float *rgba, char *message, size_t message_size) {
    tintype_exr_window data = reader->header.data;
    int64_t width = (int64_t)data.max_x - data.min_x + 1;
    int64_t first = data.min_y + (int64_t)band * reader->header.band_height;
    int64_t rows = (int64_t)data.max_y - first + 1;
    int32_t height = (int32_t)(rows < reader->header.band_height ? rows : reader->header.band_height);
    // The strides of the library have 32 bits.
    if (height <= 0 || width <= 0 || width > INT32_MAX / 16) {
        return TINTYPE_EXR_CORRUPT;
    }
    for (int64_t i = 0; i < width * height; i++) {
        rgba[4 * i] = rgba[4 * i + 1] = rgba[4 * i + 2] = 0;
        rgba[4 * i + 3] = 1;
    }
    exr_result_t result = reader->is_tiled
        ? read_tiles(reader, band, height, rgba, (int32_t)width)
        : read_lines(reader, first, height, luma, rgba, (int32_t)width);
    return result == 0 ? TINTYPE_EXR_OK : tintype_exr_failure(reader, result, message, message_size);
}
