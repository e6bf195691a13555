// sum_of_taps for NEON: four pixels at once, widened to 16 bits and multiplied lane by lane.

static inline int32x4_t plus_channels(int32x4_t sum, int16x4_t channels, int16_t weight) {
    return vmlal_n_s16(sum, channels, weight);
}

static inline four_ints sum_of_taps(const uint8_t *pixel, const int16_t *weights, size_t taps) {
    int32x4_t even = vdupq_n_s32(0), odd = vdupq_n_s32(0);
    size_t tap = 0;
    for (; tap + 4 <= taps; tap += 4) {
        uint8x16_t pixels = vld1q_u8(pixel + 4 * tap);
        int16x8_t low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(pixels)));
        int16x8_t high = vreinterpretq_s16_u16(vmovl_high_u8(pixels));
        even = plus_channels(even, vget_low_s16(low), weights[tap]);
        odd = plus_channels(odd, vget_high_s16(low), weights[tap + 1]);
        even = plus_channels(even, vget_low_s16(high), weights[tap + 2]);
        odd = plus_channels(odd, vget_high_s16(high), weights[tap + 3]);
    }
    for (; tap < taps; tap++) {
        uint32_t last;
        memcpy(&last, pixel + 4 * tap, sizeof last);
        uint16x8_t channels = vmovl_u8(vcreate_u8(last));
        even = plus_channels(even, vreinterpret_s16_u16(vget_low_u16(channels)), weights[tap]);
    }
    return (four_ints)vaddq_s32(even, odd);
}
