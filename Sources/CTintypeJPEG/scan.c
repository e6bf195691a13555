#include "wholeness.h"

// The codes of a scan (ITU-T T.81, F.2.2 and G.2; the coding of refinements is in G.1.2.3).

/// The state of a scan between two markers.
typedef struct {
    bit_reader bits;
    const scan *scan;
    /// The number of further blocks without coefficients in the band of the scan.
    uint32_t eob_run;
    /// The number of MCUs before the next restart marker.
    uint32_t mcus_left;
    uint8_t next_restart;
    /// An upper bound of the sum of all DC differences. libjpeg refuses progressive images whose sums exceed an `int`.
    uint64_t dc_bound;
} scan_state;

/// Skips one block. Returns false if a code is wrong.
typedef bool (*block_skipper)(scan_state *state, const component *component, uint64_t *nonzero);

static bool skip_dc(scan_state *state, const component *component, uint64_t *nonzero) {
    (void)nonzero;
    int size = read_symbol(&state->bits, component->dc);
    if (size < 0) {
        return false;
    }
    skip_filled(&state->bits, size);
    state->dc_bound += (uint64_t)1 << size;
    return true;
}

static bool skip_dc_refinement(scan_state *state, const component *component, uint64_t *nonzero) {
    (void)component;
    (void)nonzero;
    skip_bits(&state->bits, 1);
    return true;
}

/// Skips a block of a sequential image.
static bool skip_sequential(scan_state *state, const component *component, uint64_t *nonzero) {
    if (!skip_dc(state, component, nonzero)) {
        return false;
    }
    int next = 1;
    while (next < 64) {
        int symbol = read_symbol(&state->bits, component->ac);
        int run = symbol >> 4, size = symbol & 15;
        if (symbol < 0) {
            return false;
        }
        if (size == 0 && run < 15) {
            return true;
        }
        next += run + 1;
        skip_filled(&state->bits, size);
    }
    return next == 64;
}

/// Reads the number of blocks without further coefficients, this one included. The symbol has the number of bits.
static uint32_t read_eob_run(scan_state *state, int size) {
    return (1u << size) + read_filled(&state->bits, size);
}

/// Skips the first bits of AC coefficients, and records which are not zero.
static bool skip_ac(scan_state *state, const component *component, uint64_t *nonzero) {
    if (state->eob_run > 0) {
        state->eob_run--;
        return true;
    }
    int next = state->scan->first;
    while (next <= state->scan->last) {
        int symbol = read_symbol(&state->bits, component->ac);
        int run = symbol >> 4, size = symbol & 15;
        if (symbol < 0) {
            return false;
        }
        if (size == 0 && run < 15) {
            state->eob_run = read_eob_run(state, run) - 1;
            return true;
        }
        next += run + 1;
        // libjpeg keeps coefficients in 16 bits, so a larger one might become zero.
        bool is_kept = next <= 64 && size + state->scan->missing_bits <= 15;
        if (size > 0 && !is_kept) {
            return false;
        }
        *nonzero |= size > 0 ? (uint64_t)1 << (next - 1) : 0;
        skip_filled(&state->bits, size);
    }
    return next == state->scan->last + 1;
}

/// Returns a mask of the coefficients from `first` to `last`, inclusive.
static uint64_t band(int first, int last) {
    return first > last ? 0 : (UINT64_MAX >> (63 - last)) & (UINT64_MAX << first);
}

/// Skips one bit for each coefficient that is not zero.
static void skip_corrections(scan_state *state, uint64_t coefficients) {
    skip_bits(&state->bits, __builtin_popcountll(coefficients));
}

/// Returns the position of the zero that follows `count` others; 64 if there are fewer.
static int position_of_zero(uint64_t zeros, int count) {
    for (int i = 0; i < count; i++) {
        zeros &= zeros - 1;
    }
    return zeros == 0 ? 64 : __builtin_ctzll(zeros);
}

/// Skips the next bit of AC coefficients, and records which are not zero any more.
static bool skip_ac_refinement(scan_state *state, const component *component, uint64_t *nonzero) {
    int next = state->scan->first, last = state->scan->last;
    while (state->eob_run == 0 && next <= last) {
        int symbol = read_symbol(&state->bits, component->ac);
        int run = symbol >> 4, size = symbol & 15;
        if (symbol < 0 || size > 1) {
            return false;
        }
        if (size == 0 && run < 15) {
            state->eob_run = read_eob_run(state, run);
            break;
        }
        skip_filled(&state->bits, size);
        int position = position_of_zero(~*nonzero & band(next, last), run);
        if (position > last) {
            return false;
        }
        skip_corrections(state, *nonzero & band(next, position));
        *nonzero |= (uint64_t)size << position;
        next = position + 1;
    }
    if (state->eob_run > 0) {
        skip_corrections(state, *nonzero & band(next, last));
        state->eob_run--;
    }
    return true;
}

static block_skipper skipper(const proof *proof, const scan *scan) {
    if (!proof->is_progressive) {
        return skip_sequential;
    }
    if (scan->first == 0) {
        return scan->is_refinement ? skip_dc_refinement : skip_dc;
    }
    return scan->is_refinement ? skip_ac_refinement : skip_ac;
}

// MARK: MCUs and restarts

/// Returns whether the data end here as they should.
static bool has_ended(const scan_state *state) {
    return is_at_marker(&state->bits) && state->eob_run == 0 && state->dc_bound <= INT32_MAX;
}

/// Begins the next MCU, after a restart marker if one is due.
static bool begin_mcu(scan_state *state, uint32_t restart_interval) {
    if (restart_interval == 0) {
        return true;
    }
    if (state->mcus_left == 0) {
        enum { FIRST_RESTART = 0xD0 };
        if (!has_ended(state) || state->bits.next[1] != FIRST_RESTART + state->next_restart) {
            return false;
        }
        state->bits = bits_from(state->bits.next + 2, state->bits.end);
        state->next_restart = (state->next_restart + 1) % 8;
        state->dc_bound = 0;
        state->mcus_left = restart_interval;
    }
    state->mcus_left--;
    return true;
}

/// Returns whether to continue after a row. Every sixteenth row asks the hook.
static bool may_continue(const proof *proof, const scan_state *state, uint32_t row) {
    return !has_overrun(&state->bits) && !(row % 16 == 0 && is_cancelled(proof));
}

/// Reads a scan of one component: each of its blocks is an MCU.
static bool prove_blocks(const proof *proof, scan_state *state, block_skipper skip) {
    const component *component = state->scan->components[0];
    uint64_t *nonzero = component->nonzero;
    for (uint32_t row = 0; row < component->blocks_down; row++) {
        for (uint32_t column = 0; column < component->blocks_across; column++) {
            if (!begin_mcu(state, proof->restart_interval) || !skip(state, component, nonzero)) {
                return false;
            }
            nonzero += nonzero != NULL;
        }
        if (!may_continue(proof, state, row)) {
            return false;
        }
    }
    return true;
}

/// Returns whether the MCUs are within the size limit of the standard (T.81, B.2.3).
static bool has_small_mcus(const scan *scan) {
    int blocks = 0;
    for (int i = 0; i < scan->count; i++) {
        blocks += scan->components[i]->horizontal * scan->components[i]->vertical;
    }
    return blocks <= 10;
}

static bool prove_mcu(scan_state *state, block_skipper skip) {
    for (int i = 0; i < state->scan->count; i++) {
        const component *component = state->scan->components[i];
        for (int block = component->horizontal * component->vertical; block > 0; block--) {
            // Scans of several components have no AC coefficients to record.
            if (!skip(state, component, NULL)) {
                return false;
            }
        }
    }
    return true;
}

/// Reads a scan of several components, whose blocks are interleaved.
static bool prove_mcus(const proof *proof, scan_state *state, block_skipper skip) {
    uint32_t width = proof->max_horizontal * 8, height = proof->max_vertical * 8;
    uint32_t across = (proof->width + width - 1) / width, down = (proof->height + height - 1) / height;
    for (uint32_t row = 0; row < down; row++) {
        for (uint32_t column = 0; column < across; column++) {
            if (!begin_mcu(state, proof->restart_interval) || !prove_mcu(state, skip)) {
                return false;
            }
        }
        if (!may_continue(proof, state, row)) {
            return false;
        }
    }
    return true;
}

bool tintype_jpeg_prove_scan(proof *proof, const scan *scan) {
    scan_state state = {
        .bits = bits_from(proof->next, proof->end), .scan = scan, .mcus_left = proof->restart_interval};
    block_skipper skip = skipper(proof, scan);
    bool is_interleaved = scan->count > 1;
    bool is_right = is_interleaved ? has_small_mcus(scan) && prove_mcus(proof, &state, skip)
                                   : prove_blocks(proof, &state, skip);
    proof->next = state.bits.next;
    return is_right && has_ended(&state);
}
