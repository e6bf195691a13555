#!/bin/bash
# OpenEXRCore 3.1 swaps the channels of interleaved half-floats
#
# The C library of OpenEXR lets a caller say for each channel where its samples go: a
# pointer, the distance of pixels and of rows, and the type. Four channels of half,
# wanted as floats side by side (red at 0, green at 4, blue at 8, alpha at 12: the layout
# of every texture), take a fast path that follows the pointers' distance but not their
# order: it writes the channels as the file has them (A, B, G, R) from the lowest address
# on. Red and alpha change places, green and blue too. The same pointers apart (one
# plane for each channel), or the same layout without conversion, are right. A good
# guess is that a library's fast paths give what its slow path gives, and that the
# channels of the most common kind of file in its most common layout are tested.
#
# Seen with libopenexr-3-1-30 3.1.5-5 (Debian 12) and a file of OpenEXR 3.5.3, for a
# pixel of red 0.5, green 0.25, blue 0.125 and alpha 1:
#   interleaved floats  1 0.125 0.25 0.5
#   planes of floats    0.5 0.25 0.125 1
#   interleaved halves  0.5 0.25 0.125 1 (converted afterwards)
#
# Exit status: 0 as described, 1 other behaviour, 2 other version. Needs cc and libopenexr-dev.
set -euo pipefail
version=$(dpkg-query -W -f '${Version}' libopenexr-3-1-30)
echo "libopenexr-3-1-30 $version"
[[ $version == 3.1.5-* ]] || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv --without-pip venv
python3 -m pip --python venv/bin/python install --quiet --no-compile --disable-pip-version-check \
    OpenEXR==3.5.3 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np, OpenEXR
pixels = np.zeros((4, 8, 4), np.float16) + np.array([0.5, 0.25, 0.125, 1], np.float16)
OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}, {"RGBA": pixels}).write("a.exr")
PY
cat >read.c <<'C'
#include <openexr.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 8, HEIGHT = 4 };

int main(int count, char **arguments) {
    int is_planar = strcmp(arguments[1], "planes") == 0, is_half = strcmp(arguments[1], "halves") == 0;
    int size = is_half ? 2 : 4, pixel = is_planar ? size : 4 * size, plane = is_planar ? WIDTH * HEIGHT * size : size;
    static unsigned char samples[WIDTH * HEIGHT * 16];
    exr_context_t context;
    exr_context_initializer_t options = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_chunk_info_t chunk;
    exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
    if (exr_start_read(&context, "a.exr", &options) || exr_read_scanline_chunk_info(context, 0, 0, &chunk)
        || exr_decoding_initialize(context, 0, &chunk, &pipeline)) {
        return 3;
    }
    for (int i = 0; i < pipeline.channel_count; i++) {
        exr_coding_channel_info_t *channel = &pipeline.channels[i];
        int place = (int)(strchr("RGBA", channel->channel_name[0]) - "RGBA");
        channel->decode_to_ptr = samples + place * plane;
        channel->user_pixel_stride = pixel;
        channel->user_line_stride = WIDTH * pixel;
        channel->user_bytes_per_element = (int16_t)size;
        channel->user_data_type = is_half ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT;
    }
    if (exr_decoding_choose_default_routines(context, 0, &pipeline) || exr_decoding_run(context, 0, &pipeline)) {
        return 4;
    }
    for (int place = 0; place < 4; place++) {
        unsigned short half;
        float value;
        memcpy(&half, samples + place * plane, 2);
        memcpy(&value, samples + place * plane, 4);
        // All are powers of two.
        float converted = 1;
        for (int i = half >> 10; i < 15; i++) converted /= 2;
        printf("%g%c", is_half ? converted : value, place < 3 ? ' ' : '\n');
    }
    exr_decoding_destroy(context, &pipeline);
    return exr_finish(&context);
}
C
# shellcheck disable=SC2046
cc -w $(pkg-config --cflags OpenEXR) read.c -o read -lOpenEXRCore-3_1
interleaved=$(./read interleaved) planes=$(./read planes) halves=$(./read halves)
printf '%s\n' "interleaved floats  $interleaved" "planes of floats    $planes" "interleaved halves  $halves"
[[ $interleaved == '1 0.125 0.25 0.5' && $planes == '0.5 0.25 0.125 1' && $halves == "$planes" ]] || exit 1
