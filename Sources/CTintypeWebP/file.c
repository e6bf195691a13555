#include "internal.h"

#include "CTintypeExif.h"

#include <string.h>

#include <webp/demux.h>

enum {
    RIFF_HEADER_SIZE = 12,
    CHUNK_HEADER_SIZE = 8,
    VP8X_FLAGS_AT = RIFF_HEADER_SIZE + CHUNK_HEADER_SIZE,
    // Fields of an ANMF chunk: position, size, duration, flags (RFC 9649, 2.7.1.2).
    FRAME_DURATION_AT = 12,
    FRAME_HEADER_SIZE = 16,
};

// MARK: Header

tintype_webp_status tintype_webp_read_header(const uint8_t *bytes, size_t count, tintype_webp_header *header) {
    WebPBitstreamFeatures features;
    tintype_webp_status status = tintype_webp_status_of(WebPGetFeatures(bytes, count, &features));
    if (status != TINTYPE_WEBP_OK) {
        return status;
    }
    bool is_extended = count > VP8X_FLAGS_AT && memcmp(bytes + RIFF_HEADER_SIZE, "VP8X", 4) == 0;
    *header = (tintype_webp_header){
        .width = (uint32_t)features.width,
        .height = (uint32_t)features.height,
        .has_alpha = features.has_alpha != 0,
        .is_animated = features.has_animation != 0,
        .has_exif = is_extended && (bytes[VP8X_FLAGS_AT] & EXIF_FLAG) != 0,
        .has_xmp = is_extended && (bytes[VP8X_FLAGS_AT] & XMP_FLAG) != 0,
    };
    return TINTYPE_WEBP_OK;
}

// MARK: Files

static size_t read32(const uint8_t *p) {
    return (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

/// A RIFF chunk: four letters, length, data, and a padding byte after an odd length.
typedef struct {
    const uint8_t *name;
    const uint8_t *data;
    size_t length;
} chunk;

/// Reads the chunk at `offset` and moves `offset` past it. Returns false if no chunk starts there.
static bool next_chunk(const uint8_t *bytes, size_t count, size_t *offset, chunk *chunk) {
    if (count < CHUNK_HEADER_SIZE || *offset > count - CHUNK_HEADER_SIZE) {
        return false;
    }
    chunk->name = bytes + *offset;
    chunk->data = chunk->name + CHUNK_HEADER_SIZE;
    chunk->length = read32(chunk->name + 4);
    *offset += CHUNK_HEADER_SIZE + chunk->length + (chunk->length & 1);
    return true;
}

static bool is_named(const chunk *chunk, const char *name) {
    return memcmp(chunk->name, name, 4) == 0;
}

tintype_webp_survey tintype_webp_survey_file(const uint8_t *bytes, size_t count) {
    tintype_webp_survey survey = {0};
    chunk chunk;
    for (size_t offset = RIFF_HEADER_SIZE; next_chunk(bytes, count, &offset, &chunk);) {
        survey.frames += is_named(&chunk, "ANMF");
        survey.profile_bytes += is_named(&chunk, "ICCP") ? chunk.length : 0;
        survey.exif_bytes += is_named(&chunk, "EXIF") ? chunk.length : 0;
    }
    return survey;
}

size_t tintype_webp_durations(const uint8_t *bytes, size_t count, uint32_t *milliseconds, size_t capacity) {
    chunk chunk;
    size_t found = 0;
    for (size_t offset = RIFF_HEADER_SIZE; found < capacity && next_chunk(bytes, count, &offset, &chunk);) {
        size_t there = count - (size_t)(chunk.data - bytes);
        if (is_named(&chunk, "ANMF") && there >= FRAME_HEADER_SIZE && chunk.length >= FRAME_HEADER_SIZE) {
            milliseconds[found++] = (uint32_t)(read32(chunk.data + FRAME_DURATION_AT) & 0xFFFFFF);
        }
    }
    return found;
}

tintype_webp_status tintype_webp_open(
    const uint8_t *bytes, size_t count, bool is_complete, tintype_webp_file **file) {
    WebPData data = {.bytes = bytes, .size = count};
    WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
    *file = (tintype_webp_file *)(is_complete ? WebPDemux(&data) : WebPDemuxPartial(&data, &state));
    if (*file != NULL) {
        return TINTYPE_WEBP_OK;
    }
    return state == WEBP_DEMUX_PARSING_HEADER ? TINTYPE_WEBP_NEEDS_MORE : TINTYPE_WEBP_CORRUPT;
}

void tintype_webp_close(tintype_webp_file *file) {
    WebPDemuxDelete((WebPDemuxer *)file);
}

static const WebPDemuxer *demuxer(const tintype_webp_file *file) {
    return (const WebPDemuxer *)file;
}

uint32_t tintype_webp_frame_count(const tintype_webp_file *file) {
    return WebPDemuxGetI(demuxer(file), WEBP_FF_FRAME_COUNT);
}

uint32_t tintype_webp_play_count(const tintype_webp_file *file) {
    return WebPDemuxGetI(demuxer(file), WEBP_FF_LOOP_COUNT);
}

uint8_t tintype_webp_orientation(const tintype_webp_file *file) {
    WebPChunkIterator chunk;
    uint8_t orientation = 0;
    if (WebPDemuxGetChunk(demuxer(file), "EXIF", 1, &chunk)) {
        // Some writers add the prefix of a JPEG's Exif segment.
        bool is_segment = chunk.chunk.size >= 6 && memcmp(chunk.chunk.bytes, "Exif\0\0", 6) == 0;
        size_t start = is_segment ? 6 : 0;
        orientation = tintype_exif_orientation(chunk.chunk.bytes + start, chunk.chunk.size - start);
        WebPDemuxReleaseChunkIterator(&chunk);
    }
    return orientation;
}

const uint8_t *tintype_webp_find_chunk(const tintype_webp_file *file, const char *name, size_t *count) {
    WebPChunkIterator chunk;
    *count = 0;
    if (!WebPDemuxGetChunk(demuxer(file), name, 1, &chunk)) {
        return NULL;
    }
    const uint8_t *bytes = chunk.chunk.bytes;
    *count = chunk.chunk.size;
    WebPDemuxReleaseChunkIterator(&chunk);
    return bytes;
}

tintype_webp_status tintype_webp_get_frame(
    const tintype_webp_file *file, uint32_t index, tintype_webp_frame *frame) {
    WebPIterator found;
    // libwebpdemux counts frames from 1; 0 would be the last frame.
    if (index == UINT32_MAX || !WebPDemuxGetFrame(demuxer(file), (int)(index + 1), &found)) {
        return TINTYPE_WEBP_CORRUPT;
    }
    *frame = (tintype_webp_frame){
        .x = (uint32_t)found.x_offset,
        .y = (uint32_t)found.y_offset,
        .width = (uint32_t)found.width,
        .height = (uint32_t)found.height,
        .milliseconds = found.duration > 0 ? (uint32_t)found.duration : 0,
        .has_alpha = found.has_alpha != 0,
        .is_blended = found.blend_method == WEBP_MUX_BLEND,
        .is_disposed = found.dispose_method == WEBP_MUX_DISPOSE_BACKGROUND,
        .bytes = found.fragment.bytes,
        .count = found.fragment.size,
    };
    bool is_whole = found.complete != 0;
    WebPDemuxReleaseIterator(&found);
    return is_whole ? TINTYPE_WEBP_OK : TINTYPE_WEBP_CORRUPT;
}
