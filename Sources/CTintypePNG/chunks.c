#include "internal.h"

#include "CTintypeExif.h"

#include <string.h>

#include <zlib.h>

enum {
    SIGNATURE_SIZE = 8,
    HEAD_SIZE = 8, // length and type
    CRC_SIZE = 4,
    IHDR_LENGTH = 13,
    ACTL_LENGTH = 8,
    FCTL_LENGTH = 26,
};

static uint32_t read16(const uint8_t *p) {
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t read32(const uint8_t *p) {
    return read16(p) << 16 | read16(p + 2);
}

// MARK: Walking

tintype_png_status tintype_png_walk_begin(tintype_png_walk *walk, const uint8_t *bytes, size_t count) {
    static const uint8_t signature[SIGNATURE_SIZE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    size_t compared = count < SIGNATURE_SIZE ? count : SIGNATURE_SIZE;
    if (memcmp(bytes, signature, compared) != 0) {
        return TINTYPE_PNG_CORRUPT;
    }
    *walk = (tintype_png_walk){.next = bytes + compared, .left = count - compared};
    return compared < SIGNATURE_SIZE ? TINTYPE_PNG_NEEDS_MORE : TINTYPE_PNG_OK;
}

static bool is_type(const uint8_t *type) {
    for (int i = 0; i < 4; i++) {
        uint8_t letter = type[i] | 0x20;
        if (letter < 'a' || letter > 'z') {
            return false;
        }
    }
    return true;
}

tintype_png_status tintype_png_walk_next(tintype_png_walk *walk, tintype_png_chunk *chunk) {
    if (walk->left < HEAD_SIZE) {
        return TINTYPE_PNG_NEEDS_MORE;
    }
    *chunk = (tintype_png_chunk){
        .length = read32(walk->next), .type = walk->next + 4, .data = walk->next + HEAD_SIZE};
    if (chunk->length > PNG_UINT_31_MAX || !is_type(chunk->type)) {
        return TINTYPE_PNG_CORRUPT;
    }
    size_t size = HEAD_SIZE + (size_t)chunk->length + CRC_SIZE;
    chunk->is_whole = size <= walk->left;
    size_t moved = chunk->is_whole ? size : walk->left;
    walk->next += moved;
    walk->left -= moved;
    return TINTYPE_PNG_OK;
}

bool tintype_png_chunk_is(const tintype_png_chunk *chunk, const char *type) {
    return memcmp(chunk->type, type, 4) == 0;
}

// MARK: The chunks before the pixels

static tintype_png_status check_first(const tintype_png_chunk *chunk) {
    if (tintype_png_chunk_is(chunk, "CgBI")) {
        return TINTYPE_PNG_UNSUPPORTED;
    }
    bool is_header = tintype_png_chunk_is(chunk, "IHDR") && chunk->length == IHDR_LENGTH;
    return is_header ? TINTYPE_PNG_OK : TINTYPE_PNG_CORRUPT;
}

/// The first valid chunk counts.
static void note_animation(const tintype_png_chunk *chunk, tintype_png_header *header) {
    const uint32_t frame_count = chunk->length == ACTL_LENGTH ? read32(chunk->data) : 0;
    if (frame_count == 0 || frame_count > PNG_UINT_31_MAX || header->frame_count > 0) {
        header->has_wrong_frame_count = true;
        return;
    }
    header->frame_count = frame_count;
    header->play_count = read32(chunk->data + 4);
}

static void note_chunk(const tintype_png_chunk *chunk, tintype_png_header *header) {
    if (tintype_png_chunk_is(chunk, "acTL")) {
        note_animation(chunk, header);
    } else if (tintype_png_chunk_is(chunk, "eXIf")) {
        header->exif_orientation = tintype_exif_orientation(chunk->data, chunk->length);
    }
    header->has_frame_in_default_image |= tintype_png_chunk_is(chunk, "fcTL");
    header->has_icc_profile |= tintype_png_chunk_is(chunk, "iCCP");
    header->has_gamma |= tintype_png_chunk_is(chunk, "gAMA");
    header->has_srgb |= tintype_png_chunk_is(chunk, "sRGB");
}

static bool is_beyond(size_t count, size_t limit) {
    return limit > 0 && count > limit;
}

/// Returns the limit that a chunk exceeds. Chunks that are skipped have none.
static tintype_png_bound exceeded_by(const tintype_png_chunk *chunk, const tintype_png_limits *limits) {
    if (tintype_png_chunk_is(chunk, "iCCP") && is_beyond(chunk->length, limits->max_profile_bytes)) {
        return TINTYPE_PNG_BOUND_PROFILE;
    }
    const bool is_exif = tintype_png_chunk_is(chunk, "eXIf");
    return is_exif && is_beyond(chunk->length, limits->max_exif_bytes) ? TINTYPE_PNG_BOUND_EXIF : TINTYPE_PNG_BOUND_NONE;
}

static bool ends_survey(const tintype_png_chunk *chunk) {
    return tintype_png_chunk_is(chunk, "IDAT") || tintype_png_chunk_is(chunk, "IEND");
}

// MARK: Animations

static tintype_png_delay delay_of(const tintype_png_chunk *chunk) {
    uint32_t denominator = read16(chunk->data + 22);
    return (tintype_png_delay){
        .numerator = read16(chunk->data + 20),
        .denominator = denominator > 0 ? denominator : 100,
    };
}

static tintype_png_status collect_delays(
    tintype_png_walk *walk, tintype_png_delay *delays, size_t capacity, size_t *count) {
    tintype_png_chunk chunk;
    tintype_png_status status;
    while ((status = tintype_png_walk_next(walk, &chunk)) == TINTYPE_PNG_OK) {
        if (!chunk.is_whole) {
            return TINTYPE_PNG_NEEDS_MORE;
        }
        if (tintype_png_chunk_is(&chunk, "IEND")) {
            return TINTYPE_PNG_OK;
        }
        if (tintype_png_chunk_is(&chunk, "fcTL") && chunk.length == FCTL_LENGTH) {
            if (*count < capacity) {
                delays[*count] = delay_of(&chunk);
            }
            *count += 1;
        }
    }
    return status;
}

tintype_png_status tintype_png_frame_delays(
    const uint8_t *bytes, size_t byte_count, bool is_complete, tintype_png_delay *delays, size_t capacity,
    size_t *count) {
    *count = 0;
    tintype_png_walk walk;
    tintype_png_status status = tintype_png_walk_begin(&walk, bytes, byte_count);
    if (status == TINTYPE_PNG_OK) {
        status = collect_delays(&walk, delays, capacity, count);
    }
    bool is_truncated = status == TINTYPE_PNG_NEEDS_MORE && is_complete;
    return is_truncated ? TINTYPE_PNG_TRUNCATED : status;
}

// MARK: Reading the chunks

/// Corrects the number of frames, if all chunks are there.
static void count_frames(const uint8_t *bytes, size_t byte_count, tintype_png_header *header) {
    size_t count = 0;
    if (tintype_png_frame_delays(bytes, byte_count, false, NULL, 0, &count) != TINTYPE_PNG_OK
        || count == header->frame_count) {
        return;
    }
    header->has_wrong_frame_count = true;
    if (count < header->frame_count) {
        header->frame_count = (uint32_t)count;
        header->play_count = count > 0 ? header->play_count : 0;
    }
}

tintype_png_status tintype_png_survey(
    const uint8_t *bytes, size_t count, const tintype_png_limits *limits, tintype_png_header *header) {
    tintype_png_walk walk;
    tintype_png_chunk chunk;
    tintype_png_status status = tintype_png_walk_begin(&walk, bytes, count);
    for (bool is_first = true; status == TINTYPE_PNG_OK; is_first = false) {
        status = tintype_png_walk_next(&walk, &chunk);
        if (status == TINTYPE_PNG_OK && is_first) {
            status = check_first(&chunk);
        }
        if (status != TINTYPE_PNG_OK || ends_survey(&chunk)) {
            break;
        }
        header->exceeded = exceeded_by(&chunk, limits);
        if (header->exceeded != TINTYPE_PNG_BOUND_NONE) {
            return TINTYPE_PNG_LIMIT;
        }
        if (!chunk.is_whole) {
            return TINTYPE_PNG_NEEDS_MORE;
        }
        note_chunk(&chunk, header);
    }
    if (status == TINTYPE_PNG_OK && header->frame_count > 0) {
        count_frames(bytes, count, header);
    }
    return status;
}

// MARK: Compressed data

/// Inflates the next part to `dest`, or discards it if `dest` is null.
static int inflate_piece(z_stream *stream, uint8_t *dest, size_t capacity) {
    uint8_t scratch[4096];
    size_t room = capacity - stream->total_out;
    stream->next_out = dest == NULL ? scratch : dest + stream->total_out;
    size_t wanted = dest == NULL ? sizeof scratch : room;
    stream->avail_out = (uInt)(wanted < INT32_MAX ? wanted : INT32_MAX);
    return inflate(stream, Z_NO_FLUSH);
}

tintype_png_status tintype_png_inflate(
    const uint8_t *bytes, size_t count, uint8_t *dest, size_t capacity, size_t *out_count) {
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)(count < INT32_MAX ? count : INT32_MAX)};
    *out_count = 0;
    if (inflateInit(&stream) != Z_OK) {
        return TINTYPE_PNG_MEMORY;
    }
    int result = Z_OK;
    while (result == Z_OK && stream.total_out <= capacity) {
        result = inflate_piece(&stream, dest, capacity);
    }
    *out_count = stream.total_out;
    inflateEnd(&stream);
    if (*out_count > capacity) {
        return TINTYPE_PNG_LIMIT;
    }
    return result == Z_STREAM_END ? TINTYPE_PNG_OK : result == Z_MEM_ERROR ? TINTYPE_PNG_MEMORY : TINTYPE_PNG_CORRUPT;
}

uint32_t tintype_png_checksum(const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), bytes, count);
}
