// Every loop, and their table, for the variant that includes this file. avx2.c explains what a variant defines first.

// Some machines can fuse a multiplication and an addition, with one rounding. No variant may, so that all results are
// equal.
#pragma STDC FP_CONTRACT OFF

#include "vectors.h"

#include "alpha.h"
#include "color.h"

#include "blend.h"
#include "blur.h"
#include "orient.h"
#include "resample.h"
#include "sample.h"
#include "sharpen.h"
#include "shrink.h"

#define TEXT(word) #word
#define NAME(variant) TEXT(variant)
#define JOINED(prefix, variant) prefix##variant
#define TABLE(variant) JOINED(tintype_kernels_, variant)

const tintype_kernels TABLE(VARIANT) = {
    .name = NAME(VARIANT),
    .premultiply = premultiply,
    .unpremultiply = unpremultiply,
    .flatten = flatten,
    .resample_across = resample_across,
    .resample_down = resample_down,
    .add_blocks = add_blocks,
    .average_blocks = average_blocks,
    .copy = copy,
    .orient = orient,
    .sample = sample,
    .blur = blur,
    .sharpen = sharpen,
    .blend = blend,
    .color_matrix = color_matrix,
    .cover = cover,
    .swap_red_and_blue = swap_red_and_blue,
    .narrow_words = narrow_words,
    .widen_bytes = widen_bytes,
    .narrow_floats = narrow_floats,
    .floats_of_bytes = floats_of_bytes,
};
