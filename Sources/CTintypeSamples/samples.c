#include "CTintypeSamples.h"

// #embed belongs to C23. clang accepts it in every mode, but warns.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpragmas"
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wc23-extensions"
#endif

// Made by scripts/fixtures/make-samples.py; see Samples/PROVENANCE.md.
static const uint8_t mountains[] = {
#embed "Samples/mountains.jpg"
};
static const uint8_t ocean[] = {
#embed "Samples/ocean.jpg"
};
static const uint8_t night[] = {
#embed "Samples/night.jpg"
};
static const uint8_t autumn[] = {
#embed "Samples/autumn.jpg"
};
static const uint8_t dunes[] = {
#embed "Samples/dunes.jpg"
};
static const uint8_t still_life[] = {
#embed "Samples/still-life.jpg"
};
static const uint8_t mandelbrot[] = {
#embed "Samples/mandelbrot.png"
};
static const uint8_t glass[] = {
#embed "Samples/glass.png"
};

static const tintype_sample samples[] = {
    {"mountains.jpg", "image/jpeg", mountains, sizeof mountains},
    {"ocean.jpg", "image/jpeg", ocean, sizeof ocean},
    {"night.jpg", "image/jpeg", night, sizeof night},
    {"autumn.jpg", "image/jpeg", autumn, sizeof autumn},
    {"dunes.jpg", "image/jpeg", dunes, sizeof dunes},
    {"still-life.jpg", "image/jpeg", still_life, sizeof still_life},
    {"mandelbrot.png", "image/png", mandelbrot, sizeof mandelbrot},
    {"glass.png", "image/png", glass, sizeof glass},
};

const tintype_sample *tintype_samples(size_t *count) {
    *count = sizeof samples / sizeof samples[0];
    return samples;
}
