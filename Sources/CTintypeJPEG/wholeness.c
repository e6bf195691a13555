#include "wholeness.h"

#include <stdlib.h>
#include <string.h>

// The segments of a file (ITU-T T.81, B). Whatever libjpeg refuses, warns of or treats specially ends the proof.

enum { END_OF_IMAGE = 0xD9 };

/// The parameters of a segment.
typedef struct {
    const uint8_t *next;
    size_t left;
} segment;

/// Returns the next byte, which must be there.
static uint8_t read_one(segment *segment) {
    segment->left--;
    return *segment->next++;
}

static uint16_t read_two(segment *segment) {
    uint8_t high = read_one(segment);
    return (uint16_t)(high << 8 | read_one(segment));
}

// MARK: Tables

/// Assigns codes to the symbols of a table (T.81, C.2), given how many have each length. Returns false if there are too
/// many.
static bool assign_codes(huffman_table *table, const uint8_t *counts) {
    memset(table->lookup, 0, sizeof table->lookup);
    uint32_t code = 0;
    int32_t index = 0;
    for (int length = 1; length <= LONGEST_CODE; length++, code <<= 1) {
        table->offsets[length] = index - (int32_t)code;
        for (int i = 0; i < counts[length - 1]; i++, code++, index++) {
            // No code consists of ones only.
            if (code + 1 >= 1u << length) {
                return false;
            }
            int spare = LOOKUP_BITS - length;
            for (uint32_t rest = 0; spare >= 0 && rest < 1u << spare; rest++) {
                table->lookup[code << spare | rest] = (uint16_t)(length << 8 | table->symbols[index]);
            }
        }
        table->limits[length] = code << (LONGEST_CODE - length);
    }
    return true;
}

static bool read_huffman_table(segment *segment, proof *proof) {
    uint8_t header = read_one(segment), counts[LONGEST_CODE];
    if (header >> 4 > 1 || (header & 15) >= TABLES || segment->left < LONGEST_CODE) {
        return false;
    }
    size_t total = 0;
    for (int i = 0; i < LONGEST_CODE; i++) {
        total += counts[i] = read_one(segment);
    }
    if (total > 256 || total > segment->left) {
        return false;
    }
    huffman_table *table = &(header >> 4 == 0 ? proof->dc : proof->ac)[header & 15];
    table->largest_symbol = 0;
    memset(table->symbols, 0, sizeof table->symbols);
    for (size_t i = 0; i < total; i++) {
        uint8_t symbol = table->symbols[i] = read_one(segment);
        table->largest_symbol = symbol > table->largest_symbol ? symbol : table->largest_symbol;
    }
    return table->is_defined = assign_codes(table, counts);
}

static bool read_huffman_tables(segment segment, proof *proof) {
    while (segment.left > 0) {
        if (!read_huffman_table(&segment, proof)) {
            return false;
        }
    }
    return true;
}

static bool read_quantization_tables(segment segment, proof *proof) {
    while (segment.left > 0) {
        uint8_t header = read_one(&segment);
        size_t length = header >> 4 == 0 ? 64 : 128;
        if (header >> 4 > 1 || (header & 15) >= TABLES || segment.left < length) {
            return false;
        }
        proof->has_quantization_table[header & 15] = true;
        segment.next += length;
        segment.left -= length;
    }
    return true;
}

static bool read_restart_interval(segment segment, proof *proof) {
    if (segment.left != 2) {
        return false;
    }
    proof->restart_interval = read_two(&segment);
    return true;
}

// MARK: Frame

static uint32_t divide_rounding_up(uint32_t value, uint32_t divisor) {
    return (value + divisor - 1) / divisor;
}

static bool read_component(segment *segment, proof *proof, int index) {
    component *component = &proof->components[index];
    component->identifier = read_one(segment);
    uint8_t sampling = read_one(segment);
    component->horizontal = sampling >> 4;
    component->vertical = sampling & 15;
    component->quantization_table = read_one(segment);
    memset(component->missing_bits, -1, sizeof component->missing_bits);
    for (int other = 0; other < index; other++) {
        if (proof->components[other].identifier == component->identifier) {
            return false;
        }
    }
    bool is_sampled = component->horizontal >= 1 && component->horizontal <= 4 && component->vertical >= 1
        && component->vertical <= 4;
    return is_sampled && component->quantization_table < TABLES;
}

/// Computes the number of blocks, and makes room to record their coefficients. Returns false if libjpeg cannot enlarge
/// the samples of the component, or memory has run out.
static bool lay_out(component *component, const proof *proof) {
    uint32_t max_horizontal = proof->max_horizontal, max_vertical = proof->max_vertical;
    if (max_horizontal % component->horizontal != 0 || max_vertical % component->vertical != 0) {
        return false;
    }
    component->blocks_across = divide_rounding_up(proof->width * component->horizontal, max_horizontal * 8);
    component->blocks_down = divide_rounding_up(proof->height * component->vertical, max_vertical * 8);
    if (!proof->is_progressive) {
        return true;
    }
    component->nonzero = calloc((size_t)component->blocks_across * component->blocks_down, sizeof *component->nonzero);
    return component->nonzero != NULL;
}

static bool read_frame(segment segment, proof *proof, bool is_progressive) {
    enum { BITS = 8, LARGEST_SIDE = 65500 };
    if (proof->component_count != 0 || segment.left < 6 || read_one(&segment) != BITS) {
        return false;
    }
    proof->is_progressive = is_progressive;
    proof->height = read_two(&segment);
    proof->width = read_two(&segment);
    int count = read_one(&segment);
    bool is_sized = proof->height > 0 && proof->width > 0 && proof->height <= LARGEST_SIDE && proof->width <= LARGEST_SIDE;
    bool is_colored = count == 1 || count == 3 || count == 4;
    if (!is_sized || !is_colored || segment.left != (size_t)count * 3) {
        return false;
    }
    proof->component_count = count;
    for (int i = 0; i < count; i++) {
        component *component = &proof->components[i];
        if (!read_component(&segment, proof, i)) {
            return false;
        }
        proof->max_horizontal = component->horizontal > proof->max_horizontal ? component->horizontal : proof->max_horizontal;
        proof->max_vertical = component->vertical > proof->max_vertical ? component->vertical : proof->max_vertical;
    }
    for (int i = 0; i < count; i++) {
        if (!lay_out(&proof->components[i], proof)) {
            return false;
        }
    }
    return true;
}

// MARK: Scans

static component *component_of(proof *proof, uint8_t identifier) {
    for (int i = 0; i < proof->component_count; i++) {
        if (proof->components[i].identifier == identifier) {
            return &proof->components[i];
        }
    }
    return NULL;
}

static bool read_scan_component(segment *segment, proof *proof, scan *scan) {
    component *component = component_of(proof, read_one(segment));
    uint8_t tables = read_one(segment);
    if (component == NULL || tables >> 4 >= TABLES || (tables & 15) >= TABLES
        || !proof->has_quantization_table[component->quantization_table]) {
        return false;
    }
    // Components come in the order of the frame (T.81, B.2.3). libjpeg refuses most other orders.
    if (scan->count > 0 && component <= scan->components[scan->count - 1]) {
        return false;
    }
    component->dc = &proof->dc[tables >> 4];
    component->ac = &proof->ac[tables & 15];
    scan->components[scan->count++] = component;
    return true;
}

/// Records the bits that a scan adds. Returns false if they do not follow those of earlier scans.
static bool record_bits(const scan *scan, component *component) {
    bool is_ac_before_dc = scan->first > 0 && component->missing_bits[0] < 0;
    if (is_ac_before_dc) {
        return false;
    }
    for (int i = scan->first; i <= scan->last; i++) {
        int expected = scan->is_refinement ? scan->missing_bits + 1 : -1;
        if (component->missing_bits[i] != expected) {
            return false;
        }
        component->missing_bits[i] = (int8_t)scan->missing_bits;
    }
    return true;
}

/// Checks the parameters of a scan (T.81, B.2.3 and G.1.1.1.1).
static bool is_regular(const scan *scan, const proof *proof, int previously_missing) {
    if (!proof->is_progressive) {
        return scan->first == 0 && scan->last == 63 && previously_missing == 0 && scan->missing_bits == 0;
    }
    bool is_dc = scan->first == 0 && scan->last == 0;
    bool is_ac_band = scan->first > 0 && scan->first <= scan->last && scan->last <= 63 && scan->count == 1;
    bool adds_next_bit = previously_missing == 0 || previously_missing == scan->missing_bits + 1;
    return (is_dc || is_ac_band) && scan->missing_bits <= 13 && adds_next_bit;
}

static bool has_tables(const scan *scan, const component *component, bool is_progressive) {
    bool needs_dc = scan->first == 0 && !scan->is_refinement;
    bool needs_ac = !is_progressive || scan->first > 0;
    // The symbols of DC coefficients are numbers of bits.
    bool has_dc = component->dc->is_defined && component->dc->largest_symbol <= 15;
    return (!needs_dc || has_dc) && (!needs_ac || component->ac->is_defined);
}

static bool read_scan_header(segment segment, proof *proof, scan *scan) {
    if (segment.left < 1) {
        return false;
    }
    size_t count = read_one(&segment);
    if (count < 1 || count > MAX_COMPONENTS || segment.left != count * 2 + 3) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_scan_component(&segment, proof, scan)) {
            return false;
        }
    }
    scan->first = read_one(&segment);
    scan->last = read_one(&segment);
    uint8_t approximation = read_one(&segment);
    scan->missing_bits = approximation & 15;
    scan->is_refinement = approximation >> 4 != 0;
    if (!is_regular(scan, proof, approximation >> 4)) {
        return false;
    }
    for (int i = 0; i < scan->count; i++) {
        component *component = scan->components[i];
        if (!record_bits(scan, component) || !has_tables(scan, component, proof->is_progressive)) {
            return false;
        }
    }
    return true;
}

static bool read_scan(segment segment, proof *proof) {
    scan scan = {0};
    return read_scan_header(segment, proof, &scan) && tintype_jpeg_prove_scan(proof, &scan);
}

// MARK: File

static bool read_segment(uint8_t marker, segment segment, proof *proof) {
    switch (marker) {
    case 0xC0:
    case 0xC1:
        return read_frame(segment, proof, false);
    case 0xC2:
        return read_frame(segment, proof, true);
    case 0xC4:
        return read_huffman_tables(segment, proof);
    case 0xDA:
        return read_scan(segment, proof);
    case 0xDB:
        return read_quantization_tables(segment, proof);
    case 0xDD:
        return read_restart_interval(segment, proof);
    default: {
        bool is_application = marker >= 0xE0 && marker <= 0xEF, is_comment = marker == 0xFE;
        return is_application || is_comment;
    }
    }
}

/// Returns the next marker, which must follow at once; 0 if it does not.
static uint8_t read_marker(proof *proof) {
    const uint8_t *start = proof->next;
    while (proof->next < proof->end && *proof->next == 0xFF) {
        proof->next++;
    }
    return proof->next > start && proof->next < proof->end ? *proof->next++ : 0;
}

static bool has_all_components(const proof *proof) {
    for (int i = 0; i < proof->component_count; i++) {
        if (proof->components[i].missing_bits[0] < 0) {
            return false;
        }
    }
    return proof->component_count > 0;
}

/// Reads the parameters of the next segment, which follow its marker. Returns false if they are not all there.
static bool read_parameters(proof *proof, segment *segment) {
    size_t left = (size_t)(proof->end - proof->next);
    if (left < 2) {
        return false;
    }
    size_t length = (size_t)proof->next[0] << 8 | proof->next[1];
    if (length < 2 || length > left) {
        return false;
    }
    segment->next = proof->next + 2;
    segment->left = length - 2;
    proof->next += length;
    return true;
}

static bool prove(proof *proof) {
    static const uint8_t start[] = {0xFF, 0xD8};
    if ((size_t)(proof->end - proof->next) < sizeof start || memcmp(proof->next, start, sizeof start) != 0) {
        return false;
    }
    proof->next += sizeof start;
    uint8_t marker;
    while ((marker = read_marker(proof)) != END_OF_IMAGE) {
        segment segment;
        if (marker == 0 || is_cancelled(proof) || !read_parameters(proof, &segment)
            || !read_segment(marker, segment, proof)) {
            return false;
        }
    }
    return has_all_components(proof);
}

bool tintype_jpeg_is_surely_whole(
    const uint8_t *bytes, size_t count, tintype_jpeg_cancel_hook is_cancelled, void *context) {
    proof *proof = calloc(1, sizeof *proof);
    if (proof == NULL) {
        return false;
    }
    proof->next = bytes;
    proof->end = bytes + count;
    proof->is_cancelled = is_cancelled;
    proof->context = context;
    bool is_whole = prove(proof);
    for (int i = 0; i < MAX_COMPONENTS; i++) {
        free(proof->components[i].nonzero);
    }
    free(proof);
    return is_whole;
}
