#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST_CAPACITY = 16 * 1024 };

static void do_nothing(j_decompress_ptr cinfo) {
    (void)cinfo;
}

/// Suspends libjpeg. It has put `next_input_byte` back to the first byte that it needs again.
static boolean suspend(j_decompress_ptr cinfo) {
    (void)cinfo;
    return FALSE;
}

static void skip(j_decompress_ptr cinfo, long count) {
    tintype_jpeg_feed *feed = (tintype_jpeg_feed *)cinfo->src;
    if (count <= 0) {
        return;
    }
    size_t wanted = (size_t)count, held = feed->source.bytes_in_buffer;
    size_t skipped = wanted < held ? wanted : held;
    feed->source.next_input_byte += skipped;
    feed->source.bytes_in_buffer -= skipped;
    feed->to_skip = wanted - skipped;
}

struct jpeg_source_mgr *tintype_jpeg_feed_prepare(tintype_jpeg_feed *feed) {
    *feed = (tintype_jpeg_feed){
        .source = {
            .init_source = do_nothing,
            .fill_input_buffer = suspend,
            .skip_input_data = skip,
            .resync_to_restart = jpeg_resync_to_restart,
            .term_source = do_nothing,
        },
    };
    return &feed->source;
}

static size_t room_at_end(const tintype_jpeg_feed *feed) {
    if (feed->storage == NULL) {
        return 0;
    }
    const uint8_t *end = feed->source.next_input_byte + feed->source.bytes_in_buffer;
    return (size_t)(feed->storage + feed->capacity - end);
}

/// Drops the used bytes and moves the others to the front. The storage grows unless half of it is then free, so that
/// each byte is moved few times however small the pieces are.
static bool make_room(tintype_jpeg_feed *feed, size_t count) {
    size_t held = feed->source.bytes_in_buffer;
    uint8_t *storage = feed->storage;
    if (storage != NULL && held + count <= feed->capacity / 2) {
        memmove(storage, feed->source.next_input_byte, held);
        feed->source.next_input_byte = storage;
        return true;
    }
    size_t needed = (held + count) * 2;
    size_t capacity = needed > SMALLEST_CAPACITY ? needed : SMALLEST_CAPACITY;
    storage = malloc(capacity);
    if (storage == NULL) {
        return false;
    }
    if (held > 0) {
        memcpy(storage, feed->source.next_input_byte, held);
    }
    free(feed->storage);
    feed->storage = storage;
    feed->capacity = capacity;
    feed->source.next_input_byte = storage;
    return true;
}

bool tintype_jpeg_feed_append(tintype_jpeg_feed *feed, const uint8_t *bytes, size_t count) {
    size_t skipped = count < feed->to_skip ? count : feed->to_skip;
    feed->to_skip -= skipped;
    size_t added = count - skipped;
    if (added == 0) {
        return true;
    }
    if (added > room_at_end(feed) && !make_room(feed, added)) {
        return false;
    }
    uint8_t *end = feed->storage + feed->capacity - room_at_end(feed);
    memcpy(end, bytes + skipped, added);
    feed->source.bytes_in_buffer += added;
    return true;
}
