#include "CTintypeExif.h"

#include <stdbool.h>
#include <string.h>

// Exif is a TIFF file; the orientation is an entry of its first directory.

enum {
    TIFF_HEADER_SIZE = 8,
    ENTRY_SIZE = 12,
    ORIENTATION_TAG = 0x0112,
    SHORT_TYPE = 3,
};

typedef struct {
    const uint8_t *bytes;
    size_t count;
    bool is_big_endian;
} tiff;

static bool holds(const tiff *file, size_t offset, size_t count) {
    return offset <= file->count && count <= file->count - offset;
}

static uint32_t read16(const tiff *file, size_t offset) {
    const uint8_t *p = file->bytes + offset;
    return file->is_big_endian ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static uint32_t read32(const tiff *file, size_t offset) {
    uint32_t first = read16(file, offset), second = read16(file, offset + 2);
    return file->is_big_endian ? first << 16 | second : second << 16 | first;
}

static bool open_tiff(tiff *file, const uint8_t *bytes, size_t count) {
    if (count < TIFF_HEADER_SIZE) {
        return false;
    }
    *file = (tiff){.bytes = bytes, .count = count, .is_big_endian = bytes[0] == 'M'};
    bool has_order = memcmp(bytes, "MM", 2) == 0 || memcmp(bytes, "II", 2) == 0;
    return has_order && read16(file, 2) == 42;
}

static uint8_t orientation_of_entry(const tiff *file, size_t entry) {
    if (read16(file, entry + 2) != SHORT_TYPE || read32(file, entry + 4) != 1) {
        return 0;
    }
    uint32_t value = read16(file, entry + 8);
    return value >= 1 && value <= 8 ? (uint8_t)value : 0;
}

static uint8_t orientation_of_tiff(const tiff *file) {
    size_t directory = read32(file, 4);
    if (!holds(file, directory, 2)) {
        return 0;
    }
    size_t entry = directory + 2;
    for (uint32_t left = read16(file, directory); left > 0 && holds(file, entry, ENTRY_SIZE); left--) {
        if (read16(file, entry) == ORIENTATION_TAG) {
            return orientation_of_entry(file, entry);
        }
        entry += ENTRY_SIZE;
    }
    return 0;
}

uint8_t tintype_exif_orientation(const uint8_t *data, size_t count) {
    tiff file;
    return open_tiff(&file, data, count) ? orientation_of_tiff(&file) : 0;
}
