#include "internal.h"

#include <string.h>

// Markers and segments are defined in ITU-T T.81, B.1.

enum {
    FIRST_RESTART = 0xD0,
    LAST_RESTART = 0xD7,
    START_OF_IMAGE = 0xD8,
    TEMPORARY = 0x01,
};

typedef struct {
    const uint8_t *next;
    size_t left;
} cursor;

static void move(cursor *cursor, size_t count) {
    size_t moved = count < cursor->left ? count : cursor->left;
    cursor->next += moved;
    cursor->left -= moved;
}

/// Returns whether a byte after 0xFF belongs to compressed data, or is a marker that the survey ignores.
static bool is_passed_over(uint8_t marker) {
    bool is_restart = marker >= FIRST_RESTART && marker <= LAST_RESTART;
    return marker == 0 || marker == TEMPORARY || marker == START_OF_IMAGE || is_restart;
}

/// Returns the next marker, or 0 at the end. Compressed data, and bytes that libjpeg skips, are skipped.
static uint8_t next_marker(cursor *cursor) {
    while (cursor->left > 0) {
        const uint8_t *found = memchr(cursor->next, 0xFF, cursor->left);
        if (found == NULL) {
            break;
        }
        move(cursor, (size_t)(found - cursor->next));
        while (cursor->left > 0 && *cursor->next == 0xFF) {
            move(cursor, 1);
        }
        uint8_t marker = cursor->left > 0 ? *cursor->next : 0;
        move(cursor, 1);
        if (!is_passed_over(marker)) {
            return marker;
        }
    }
    return 0;
}

static bool begins_with(const cursor *segment, const char *signature, size_t length) {
    return segment->left >= length && memcmp(segment->next, signature, length) == 0;
}

static bool is_frame(uint8_t marker) {
    bool is_table = marker == 0xC4 || marker == 0xC8 || marker == 0xCC;
    return marker >= 0xC0 && marker <= 0xCF && !is_table;
}

/// The last two bits of a progressive frame's marker are 2.
static bool is_progressive(uint8_t marker) {
    return (marker & 3) == 2;
}

/// The properties of the frame that decide whether one scan completes it.
typedef struct {
    bool is_progressive;
    uint8_t components;
} frame;

static void take_segment(uint8_t marker, const cursor *segment, frame *frame, tintype_jpeg_survey *survey) {
    if (marker == 0xE1 && begins_with(segment, "Exif\0", 6)) {
        survey->exif_bytes += segment->left - 6;
    } else if (marker == 0xE2 && begins_with(segment, "ICC_PROFILE", 12)) {
        survey->profile_bytes += segment->left > 14 ? segment->left - 14 : 0;
    } else if (is_frame(marker) && segment->left >= 6) {
        frame->is_progressive = is_progressive(marker);
        frame->components = segment->next[5];
    }
}

static bool is_last_scan(const cursor *segment, const frame *frame) {
    return !frame->is_progressive && segment->left >= 1 && segment->next[0] == frame->components;
}

tintype_jpeg_survey tintype_jpeg_survey_file(const uint8_t *bytes, size_t count, uint32_t max_scans) {
    tintype_jpeg_survey survey = {0};
    frame frame = {0};
    cursor file = {.next = bytes, .left = count};
    uint8_t marker;
    while (survey.scans <= max_scans && (marker = next_marker(&file)) != 0 && marker != JPEG_EOI) {
        if (file.left < 2) {
            break;
        }
        size_t length = (size_t)file.next[0] << 8 | file.next[1];
        cursor segment = {.next = file.next + 2, .left = file.left - 2};
        size_t data = length > 2 ? length - 2 : 0;
        segment.left = data < segment.left ? data : segment.left;
        move(&file, length);
        take_segment(marker, &segment, &frame, &survey);
        bool is_scan = marker == 0xDA;
        survey.scans += is_scan;
        if (is_scan && is_last_scan(&segment, &frame)) {
            break;
        }
    }
    return survey;
}
