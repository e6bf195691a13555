#include "CTintypeGIF.h"

#include <stdlib.h>
#include <string.h>

// The dictionary is the output itself: the text of a code is a run of earlier output. A code is defined by the text of
// the code before it and the first value of its own text, which follow each other in the output, so that a definition
// is a position and a length, and decoding a code is a copy. The 256 values themselves precede the output for the codes
// that stand for one value.

enum { MAX_WIDTH = 12, MAX_CODES = 1 << MAX_WIDTH, VALUES = 256, CHUNK = 8 };

struct tintype_gif_lzw {
    /// The values from 0 to 255, the output, and room for the last chunk that is copied.
    uint8_t *text;
    size_t capacity;
    /// How much of `text` is filled, with the values.
    size_t end;
    uint32_t clear_code;
    uint32_t first_width;
    /// The number of codes that are defined, and the width of the next code in bits.
    uint32_t codes;
    uint32_t width;
    /// Bits that are not yet a whole code, the lowest first.
    uint64_t bits;
    uint32_t bit_count;
    /// The text of the last code; a length of 0 if a code cannot be defined by it.
    uint32_t last_start;
    uint32_t last_length;
    bool has_ended;
    /// The texts of the codes. The last entry takes definitions beyond the table.
    uint32_t starts[MAX_CODES + 1];
    uint16_t lengths[MAX_CODES + 1];
};

static void forget_codes(tintype_gif_lzw *lzw) {
    lzw->codes = lzw->clear_code + 2;
    lzw->width = lzw->first_width;
    lzw->last_length = 0;
}

tintype_gif_lzw *tintype_gif_lzw_create(uint32_t code_size, size_t count) {
    if (code_size < 1 || code_size > 8 || count > UINT32_MAX - VALUES - CHUNK) {
        return NULL;
    }
    tintype_gif_lzw *lzw = malloc(sizeof *lzw);
    uint8_t *text = malloc(VALUES + count + CHUNK);
    if (!lzw || !text) {
        free(lzw);
        free(text);
        return NULL;
    }
    lzw->text = text;
    lzw->capacity = VALUES + count;
    lzw->end = VALUES;
    lzw->clear_code = 1u << code_size;
    lzw->first_width = code_size + 1;
    lzw->bits = 0;
    lzw->bit_count = 0;
    lzw->last_start = 0;
    lzw->has_ended = count == 0;
    for (uint32_t value = 0; value < VALUES; value++) {
        text[value] = (uint8_t)value;
        lzw->starts[value] = value;
        lzw->lengths[value] = 1;
    }
    forget_codes(lzw);
    return lzw;
}

void tintype_gif_lzw_destroy(tintype_gif_lzw *lzw) {
    if (!lzw) {
        return;
    }
    free(lzw->text);
    free(lzw);
}

/// Copies a text to the end, in chunks that may exceed it: the caller has checked that the text itself fits, and the
/// room after the capacity takes the rest. The source ends before the end of the output, or with the copy's first
/// value.
static inline void copy_text(uint8_t *to, const uint8_t *from, uint32_t length) {
    const uint8_t first = *from;
    uint8_t *last = to + length - 1;
    const bool is_own = from + length > to;
    do {
        uint64_t chunk;
        memcpy(&chunk, from, CHUNK);
        memcpy(to, &chunk, CHUNK);
        from += CHUNK;
        to += CHUNK;
    } while (to <= last);
    if (is_own) {
        *last = first;
    }
}

/// Appends a text as far as there is room.
static void append_clipped(tintype_gif_lzw *lzw, uint32_t start, uint32_t length) {
    while (length-- > 0 && lzw->end < lzw->capacity) {
        lzw->text[lzw->end++] = lzw->text[start++];
    }
}

/// Writes the definition that the last code has begun: the next code may be the first to use it. Returns the number of
/// codes that are defined then.
static inline uint32_t define_next(tintype_gif_lzw *lzw) {
    lzw->starts[lzw->codes] = lzw->last_start;
    lzw->lengths[lzw->codes] = (uint16_t)(lzw->last_length + 1);
    return lzw->codes + (lzw->last_length > 0 && lzw->codes < MAX_CODES);
}

/// Takes more bytes, up to 56 bits and at least one byte if there is one.
static inline const uint8_t *refill(uint64_t *bits, uint32_t *bit_count, const uint8_t *next, const uint8_t *end) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (end - next >= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        *bits |= word << *bit_count;
        next += (63 - *bit_count) >> 3;
        *bit_count |= 56;
        return next;
    }
#endif
    while (*bit_count <= 56 && next < end) {
        *bits |= (uint64_t)*next++ << *bit_count;
        *bit_count += 8;
    }
    return next;
}

size_t tintype_gif_lzw_decode(tintype_gif_lzw *lzw, const uint8_t *bytes, size_t count, size_t pause) {
    const uint8_t *next = bytes, *const end = bytes + count;
    const size_t stop = pause < lzw->capacity - VALUES ? VALUES + pause : lzw->capacity;
    uint64_t bits = lzw->bits;
    uint32_t bit_count = lzw->bit_count;
    while (!lzw->has_ended && lzw->end < stop) {
        if (bit_count < MAX_WIDTH) {
            next = refill(&bits, &bit_count, next, end);
        }
        if (bit_count < lzw->width) {
            break;
        }
        const uint32_t code = (uint32_t)bits & ((1u << lzw->width) - 1);
        bits >>= lzw->width;
        bit_count -= lzw->width;
        if (code - lzw->clear_code < 2) {
            if (code == lzw->clear_code) {
                forget_codes(lzw);
            } else {
                lzw->has_ended = true;
            }
            continue;
        }
        const uint32_t codes = define_next(lzw);
        // Before the first code that follows a clear code, only values are defined.
        if (code >= codes) {
            lzw->has_ended = true;
            break;
        }
        const uint32_t start = lzw->starts[code], length = lzw->lengths[code];
        if (length > lzw->capacity - lzw->end) {
            append_clipped(lzw, start, length);
            break;
        }
        copy_text(lzw->text + lzw->end, lzw->text + start, length);
        lzw->last_start = (uint32_t)lzw->end;
        lzw->last_length = length;
        lzw->end += length;
        lzw->codes = codes;
        lzw->width += codes >> lzw->width != 0 && lzw->width < MAX_WIDTH;
    }
    if (lzw->end == lzw->capacity) {
        lzw->has_ended = true;
    }
    lzw->bits = bits;
    lzw->bit_count = bit_count;
    return (size_t)(next - bytes);
}

const uint8_t *tintype_gif_lzw_values(const tintype_gif_lzw *lzw) {
    return lzw->text + VALUES;
}

size_t tintype_gif_lzw_count(const tintype_gif_lzw *lzw) {
    return lzw->end - VALUES;
}

bool tintype_gif_lzw_has_ended(const tintype_gif_lzw *lzw) {
    return lzw->has_ended;
}
