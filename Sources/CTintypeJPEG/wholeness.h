#ifndef CTINTYPE_JPEG_WHOLENESS_H
#define CTINTYPE_JPEG_WHOLENESS_H

#include "CTintypeJPEG.h"
#include "entropy.h"

enum {
    MAX_COMPONENTS = 4,
    TABLES = 4,
};

/// One component of the frame.
typedef struct {
    uint8_t identifier;
    /// The sampling factors.
    uint8_t horizontal;
    uint8_t vertical;
    uint8_t quantization_table;
    /// The size in blocks, without those that only complete an MCU.
    uint32_t blocks_across;
    uint32_t blocks_down;
    /// The tables of the current scan.
    const huffman_table *dc;
    const huffman_table *ac;
    /// For each coefficient in zigzag order, the number of its bits that no scan has contained yet; -1 if no scan has
    /// contained any.
    int8_t missing_bits[64];
    /// For each block of a progressive image, which AC coefficients are not zero, in zigzag order.
    uint64_t *nonzero;
} component;

/// The parameters of a scan.
typedef struct {
    component *components[MAX_COMPONENTS];
    int count;
    /// The first and last coefficient in zigzag order (Ss and Se).
    int first;
    int last;
    /// The number of bits that are missing after the scan (Al).
    int missing_bits;
    /// Whether this scan refines coefficients: earlier scans have contained their higher bits (Ah is not 0).
    bool is_refinement;
} scan;

/// A file whose wholeness is being proved, and the parameters from its segments so far.
typedef struct {
    const uint8_t *next;
    const uint8_t *end;
    tintype_jpeg_cancel_hook is_cancelled;
    void *context;
    huffman_table dc[TABLES];
    huffman_table ac[TABLES];
    bool has_quantization_table[TABLES];
    /// The number of MCUs between restart markers; 0 means none.
    uint32_t restart_interval;
    bool is_progressive;
    uint32_t width;
    uint32_t height;
    int component_count;
    component components[MAX_COMPONENTS];
    /// The largest sampling factors.
    uint32_t max_horizontal;
    uint32_t max_vertical;
} proof;

/// Returns whether the hook asks to end the proof.
static inline bool is_cancelled(const proof *proof) {
    return proof->is_cancelled != NULL && proof->is_cancelled(proof->context);
}

/// Reads the data of a scan, up to the marker that follows. Returns false unless all of its codes are right.
bool tintype_jpeg_prove_scan(proof *proof, const scan *scan);

#endif
