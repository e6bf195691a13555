// Prints a digest of the result of every kernel loop and variant for the same random pixels, so that the results of two
// machines, real or emulated, can be compared line by line. See scripts/check/neon.
#include "CTintypeKernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { width = 61, height = 47, stride = 4 * width + 12, size = stride * height, taps = 9, orientations = 8, modes = 28 };

static uint64_t state = 1;

/// SplitMix64.
static uint32_t next(void) {
    uint64_t mixed = state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return (uint32_t)(mixed >> 32);
}

static uint8_t source[size], backdrop[size], target[4 * stride * width];
static int16_t weights[taps * width], channels[4 * width * taps];
static int32_t starts[width];
static float matrix[20], floats[4 * width];
static uint16_t scratch[64 * width], words[4 * width];
static uint64_t sums[4 * width];

static void draw(uint8_t *pixels) {
    for (size_t i = 0; i < size; i += 4) {
        uint32_t alpha = next() % 256;
        pixels[i + 3] = (uint8_t)alpha;
        for (size_t c = 0; c < 3; c++) { pixels[i + c] = (uint8_t)(next() % (alpha + 1)); }
    }
}

static void prepare(void) {
    draw(source);
    draw(backdrop);
    for (size_t i = 0; i < taps * width; i++) { weights[i] = (int16_t)((int)(next() % 12000) - 3000); }
    for (size_t i = 0; i < width; i++) { starts[i] = (int32_t)(next() % (width - taps)); }
    for (size_t i = 0; i < 20; i++) { matrix[i] = (float)next() / 4294967296.0f * 3 - 1.5f; }
    for (size_t i = 0; i < 4 * width; i++) {
        words[i] = (uint16_t)next();
        floats[i] = (float)next() / 4294967296.0f * 1.2f - 0.1f;
    }
}

/// FNV-1a.
static void tell(const char *variant, const char *loop, int number, const void *bytes, size_t count) {
    uint64_t digest = 0xCBF29CE484222325;
    for (size_t i = 0; i < count; i++) { digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3; }
    printf("%s %s %d %016llx\n", variant, loop, number, (unsigned long long)digest);
}

static void fill(const uint8_t *pixels) {
    memset(target, 0, sizeof target);
    memcpy(target, pixels, size);
}

static void run(const tintype_kernels *k) {
#define TELL(LOOP, NUMBER) tell(k->name, LOOP, NUMBER, target, sizeof target)
    fill(backdrop), k->premultiply(target, stride, width, height), TELL("premultiply", 0);
    fill(source), k->unpremultiply(source, stride, target, stride, width, height), TELL("unpremultiply", 0);
    fill(source), k->flatten(source, stride, target, stride, width, height, source), TELL("flatten", 0);
    fill(source), k->copy(source, stride, target, stride, width, height), TELL("copy", 0);
    fill(source), k->cover(target, backdrop, width), TELL("cover", 0);
    fill(source), k->color_matrix(target, stride, width, height, matrix), TELL("color_matrix", 0);
    fill(backdrop);
    k->sharpen(source, stride, target, stride, target, stride, width, height, 517, 9), TELL("sharpen", 0);
    fill(source), k->swap_red_and_blue(source, stride, target, stride, width, height), TELL("swap", 0);
    for (int axis = 0; axis < 2; axis++) {
        fill(source);
        k->blur(source, stride, target, stride, width, height, axis, 3, 1 / 7.5f, 0.25f / 7.5f, scratch);
        TELL("blur", axis);
    }
    for (int mode = 0; mode < modes; mode++) {
        fill(backdrop), k->blend(source, stride, target, stride, width, height, mode), TELL("blend", mode);
    }
    for (int turn = 1; turn <= orientations; turn++) {
        fill(source);
        k->orient(source, stride, target, turn > 4 ? 4 * height : stride, width, height, turn);
        TELL("orient", turn);
    }
    fill(source), k->sample(source, stride, width, height, target, width, 999, 7777, 60000, 20000), TELL("sample", 0);
    k->resample_across(source, stride, channels, 4 * width, taps, width, starts, weights, taps);
    tell(k->name, "resample_across", 0, channels, sizeof channels);
    for (int row = 0; row < taps; row++) {
        fill(source), k->resample_down(channels, 4 * width, taps, (size_t)row, taps, weights, target, width);
        TELL("resample_down", row);
    }
    memset(sums, 0, sizeof sums);
    k->add_blocks(source, width, 7, 1, 3, sums);
    fill(source), k->average_blocks(sums, 21, target, 4 * (width / 7 + 3)), TELL("average_blocks", 0);
    fill(source), k->narrow_words(words, target, 4 * width), TELL("narrow_words", 0);
    fill(source), k->narrow_floats(floats, target, 4 * width), TELL("narrow_floats", 0);
    k->widen_bytes(source, words + 0, 4 * width);
    tell(k->name, "widen_bytes", 0, words, sizeof words);
    k->floats_of_bytes(source, floats, 4 * width);
    tell(k->name, "floats_of_bytes", 0, floats, sizeof floats);
}

int main(void) {
    for (size_t i = 0; tintype_kernels_at(i); i++) {
        state = 1;
        prepare();
        run(tintype_kernels_at(i));
    }
}
