// resample_down_vectors for AVX2: sixteen channels of two rows at once, interleaved as vpmaddwd requires.

static inline __m256i two_weights(int16_t first, int16_t second) {
    return _mm256_set1_epi32((int32_t)((uint32_t)(uint16_t)first | (uint32_t)(uint16_t)second << 16));
}

/// Clamps sums to bytes, limits colour to alpha, and stores them.
static inline void store_sixteen(__m256i low, __m256i high, uint8_t *target) {
    const __m128i alpha = _mm_setr_epi8(ALPHA_OF_FOUR);
    __m256i words = _mm256_packs_epi32(_mm256_srai_epi32(low, down_shift), _mm256_srai_epi32(high, down_shift));
    __m128i channels = _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128((__m128i *)target, _mm_min_epu8(channels, _mm_shuffle_epi8(channels, alpha)));
}

static inline void sum_sixteen(
    const int16_t *ring, size_t row_length, size_t ring_rows, size_t first, size_t taps, const int16_t *weights,
    uint8_t *target) {
    __m256i low = _mm256_set1_epi32(down_half), high = low;
    for (size_t tap = 0; tap < taps; tap += 2) {
        size_t upper = first + tap < ring_rows ? first + tap : first + tap - ring_rows;
        size_t lower = upper + 1 < ring_rows ? upper + 1 : 0;
        int16_t second = tap + 1 < taps ? weights[tap + 1] : 0;
        __m256i a = _mm256_loadu_si256((const __m256i *)(ring + upper * row_length));
        __m256i b = _mm256_loadu_si256((const __m256i *)(ring + lower * row_length));
        __m256i both = two_weights(weights[tap], second);
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), both));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), both));
    }
    store_sixteen(low, high, target);
}

/// Processes whole vectors, and returns the number of channels processed.
static size_t resample_down_vectors(
    const int16_t *ring, size_t row_length, size_t ring_rows, size_t first, size_t taps, const int16_t *weights,
    uint8_t *target, size_t channels) {
    size_t done = 0;
    for (; done + 16 <= channels; done += 16) {
        sum_sixteen(ring + done, row_length, ring_rows, first, taps, weights, target + done);
    }
    return done;
}
