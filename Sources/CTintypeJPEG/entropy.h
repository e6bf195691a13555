#ifndef CTINTYPE_JPEG_ENTROPY_H
#define CTINTYPE_JPEG_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Entropy-coded data (ITU-T T.81, F.2.2), read only to know where each code ends: no coefficient is reconstructed.
// Everything is inline, because it runs for every code of an image.

/// The bits of entropy-coded data up to the next marker, followed by zeros without end.
typedef struct {
    const uint8_t *next;
    const uint8_t *end;
    /// The bits that were read ahead, from the most significant one. Those after the first `count` are zeros, or
    /// already the first bits of the byte at `next`: adding that byte by OR leaves them unchanged.
    uint64_t ahead;
    int count;
    /// The number of zeros that were appended after the data so far, used or not.
    int64_t appended;
} bit_reader;

/// Starts reading at a byte.
static inline bit_reader bits_from(const uint8_t *next, const uint8_t *end) {
    return (bit_reader){.next = next, .end = end};
}

/// Returns whether one of eight bytes is 0xFF.
static inline bool has_full_byte(uint64_t bytes) {
    const uint64_t lowest = 0x0101010101010101, highest = 0x8080808080808080;
    return ((~bytes - lowest) & bytes & highest) != 0;
}

static inline void read_byte(bit_reader *bits) {
    uint8_t byte = 0;
    bool is_data = bits->next < bits->end
        && (*bits->next != 0xFF || (bits->end - bits->next > 1 && bits->next[1] == 0));
    if (is_data) {
        byte = *bits->next;
        bits->next += byte == 0xFF ? 2 : 1;
    } else {
        bits->appended += 8;
    }
    bits->ahead |= (uint64_t)byte << (56 - bits->count);
    bits->count += 8;
}

/// Reads ahead until at least 32 bits are available, the maximum of a code and the bits that follow it.
static inline void fill(bit_reader *bits) {
    if (bits->count >= 32) {
        return;
    }
    if (bits->end - bits->next >= 8) {
        uint64_t bytes = 0;
        for (int i = 0; i < 8; i++) {
            bytes = bytes << 8 | bits->next[i];
        }
        if (!has_full_byte(bytes)) {
            int taken = (64 - bits->count) / 8;
            bits->ahead |= bytes >> bits->count;
            bits->next += taken;
            bits->count += taken * 8;
            return;
        }
    }
    while (bits->count <= 56) {
        read_byte(bits);
    }
}

/// Skips bits that were read ahead, at most `bits->count` and fewer than 64.
static inline void skip_filled(bit_reader *bits, int count) {
    bits->ahead <<= count;
    bits->count -= count;
}

/// Skips any number of bits.
static inline void skip_bits(bit_reader *bits, int count) {
    for (; count > 32; count -= 32) {
        fill(bits);
        skip_filled(bits, 32);
    }
    fill(bits);
    skip_filled(bits, count);
}

/// Reads at most 16 of the bits that were read ahead.
static inline uint32_t read_filled(bit_reader *bits, int count) {
    uint32_t value = count == 0 ? 0 : (uint32_t)(bits->ahead >> (64 - count));
    skip_filled(bits, count);
    return value;
}

/// Returns whether more bits were used than the data has.
static inline bool has_overrun(const bit_reader *bits) {
    return bits->count < bits->appended;
}

/// Returns whether a marker follows, and all bytes before it were used, the last one perhaps in part.
static inline bool is_at_marker(const bit_reader *bits) {
    int64_t left = bits->count - bits->appended;
    bool is_marker = bits->end - bits->next > 1 && bits->next[0] == 0xFF && bits->next[1] != 0;
    return left >= 0 && left < 8 && is_marker;
}

enum {
    /// The length of the longest codes that are looked up at once.
    LOOKUP_BITS = 9,
    LONGEST_CODE = 16,
};

/// A Huffman table (T.81, C).
typedef struct {
    bool is_defined;
    uint8_t largest_symbol;
    /// By the next bits: the symbol and, above its 8 bits, the length of the code; 0 if the code is longer.
    uint16_t lookup[1 << LOOKUP_BITS];
    /// By length: the lowest 16 bits that begin with no code of up to this length, and the distance from a code to its
    /// symbol.
    uint32_t limits[LONGEST_CODE + 1];
    int32_t offsets[LONGEST_CODE + 1];
    uint8_t symbols[256];
} huffman_table;

/// Reads a code. Returns -1 if the next bits are not a code. Otherwise at least 16 bits remain that were read ahead.
static inline int read_symbol(bit_reader *bits, const huffman_table *table) {
    fill(bits);
    uint32_t next = (uint32_t)(bits->ahead >> (64 - LONGEST_CODE));
    uint16_t entry = table->lookup[next >> (LONGEST_CODE - LOOKUP_BITS)];
    if (entry != 0) {
        skip_filled(bits, entry >> 8);
        return entry & 0xFF;
    }
    for (int length = LOOKUP_BITS + 1; length <= LONGEST_CODE; length++) {
        if (next < table->limits[length]) {
            skip_filled(bits, length);
            return table->symbols[(int32_t)(next >> (LONGEST_CODE - length)) + table->offsets[length]];
        }
    }
    return -1;
}

#endif
