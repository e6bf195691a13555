#ifndef CTINTYPE_TIFF_NUMBERS_H
#define CTINTYPE_TIFF_NUMBERS_H

#include <stdint.h>

/// Returns a number of 0 to 1 in 16 bits. Numbers beyond are clipped, and NaN is 0.
static inline uint16_t from_unit(double number) {
    return number >= 1 ? 0xFFFF : number > 0 ? (uint16_t)(number * 0xFFFF + 0.5) : 0;
}

/// Returns the value of a half-precision number (IEEE 754, binary16).
static inline double from_half(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31) {
        return fraction != 0 || bits >> 15 != 0 ? 0 : 1;
    }
    // Subnormal numbers have the exponent of the smallest normal ones, and no leading 1.
    double size = exponent == 0 ? fraction * 0x1p-24 : (fraction + 1024) * (double)(1u << exponent) * 0x1p-25;
    return bits >> 15 != 0 ? -size : size;
}

#endif
