// sum_of_taps for SSE4.1: four pixels at once, widened to 16 bits and shuffled so that each channel of two neighbours
// is adjacent, as pmaddwd requires.

#define PAIRS_OF_FIRST_TWO _mm_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1)
#define PAIRS_OF_LAST_TWO _mm_setr_epi8(8, -1, 12, -1, 9, -1, 13, -1, 10, -1, 14, -1, 11, -1, 15, -1)

static inline __m128i sum_of_pair(__m128i pixels, __m128i order, const int16_t *weights) {
    int32_t two;
    memcpy(&two, weights, sizeof two);
    return _mm_madd_epi16(_mm_shuffle_epi8(pixels, order), _mm_set1_epi32(two));
}

static inline __m128i sum_of_one(const uint8_t *pixel, int16_t weight) {
    int32_t one;
    memcpy(&one, pixel, sizeof one);
    return _mm_mullo_epi32(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(one)), _mm_set1_epi32(weight));
}

static inline four_ints sum_of_taps(const uint8_t *pixel, const int16_t *weights, size_t taps) {
    const __m128i first_two = PAIRS_OF_FIRST_TWO, last_two = PAIRS_OF_LAST_TWO;
    __m128i even = _mm_setzero_si128(), odd = _mm_setzero_si128();
    size_t tap = 0;
    for (; tap + 4 <= taps; tap += 4) {
        __m128i pixels = _mm_loadu_si128((const __m128i *)(pixel + 4 * tap));
        even = _mm_add_epi32(even, sum_of_pair(pixels, first_two, weights + tap));
        odd = _mm_add_epi32(odd, sum_of_pair(pixels, last_two, weights + tap + 2));
    }
    for (; tap < taps; tap++) { even = _mm_add_epi32(even, sum_of_one(pixel + 4 * tap, weights[tap])); }
    return (four_ints)_mm_add_epi32(even, odd);
}
