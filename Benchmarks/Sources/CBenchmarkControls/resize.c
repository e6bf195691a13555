#include "CBenchmarkControls.h"

#include <math.h>
#include <stdlib.h>

static double sinc(double x) { return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x); }

static double lanczos(double x) { return fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0; }

/// Resamples the rows of `source`, each `length` pixels long, to `new_length` pixels, and stores them as columns.
static void resample_transposed(
    const float *source, size_t length, size_t rows, float *target, size_t new_length) {
    double scale = (double)length / (double)new_length, stretch = scale > 1 ? scale : 1;
    for (size_t x = 0; x < new_length; x++) {
        double center = ((double)x + 0.5) * scale;
        long first = (long)floor(center - 3 * stretch), last = (long)ceil(center + 3 * stretch);
        float weights[last - first + 1], sum = 0;
        for (long i = first; i <= last; i++) {
            weights[i - first] = (float)lanczos(((double)i + 0.5 - center) / stretch);
            sum += weights[i - first];
        }
        for (size_t y = 0; y < rows; y++) {
            float pixel[4] = {0};
            for (long i = first; i <= last; i++) {
                long clamped = i < 0 ? 0 : i >= (long)length ? (long)length - 1 : i;
                const float *from = source + 4 * (y * length + (size_t)clamped);
                for (int c = 0; c < 4; c++) { pixel[c] += from[c] * weights[i - first]; }
            }
            for (int c = 0; c < 4; c++) { target[4 * (x * rows + y) + (size_t)c] = pixel[c] / sum; }
        }
    }
}

bool control_resize(
    const uint8_t *source, size_t width, size_t height, uint8_t *target, size_t new_width, size_t new_height) {
    float *floats = malloc(sizeof(float) * 4 * width * height);
    float *narrow = malloc(sizeof(float) * 4 * new_width * height);
    float *small = malloc(sizeof(float) * 4 * new_width * new_height);
    bool is_possible = floats && narrow && small;
    if (is_possible) {
        for (size_t i = 0; i < 4 * width * height; i++) { floats[i] = source[i]; }
        resample_transposed(floats, width, height, narrow, new_width);
        resample_transposed(narrow, height, new_width, small, new_height);
        for (size_t i = 0; i < 4 * new_width * new_height; i++) {
            float value = roundf(small[i]);
            target[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
    free(floats);
    free(narrow);
    free(small);
    return is_possible;
}
