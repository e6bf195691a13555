#ifndef VECTORS_ARE_THERE
#define VECTORS_ARE_THERE
// Portable vector types of clang, and helpers over them. Included by each variant, never on its own.

/// The number of bytes and of pixels in a register of the variant's instruction set.
enum { vector_bytes = VECTOR_BYTES, vector_pixels = VECTOR_BYTES / 4 };

typedef uint8_t bytes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t words __attribute__((vector_size(2 * VECTOR_BYTES)));
typedef float four_floats __attribute__((vector_size(16)));
typedef int32_t four_ints __attribute__((vector_size(16)));
typedef uint8_t four_bytes __attribute__((vector_size(4)));
typedef uint16_t four_shorts __attribute__((vector_size(8)));
typedef uint32_t four_words __attribute__((vector_size(16)));
typedef uint8_t eight_bytes __attribute__((vector_size(8)));
typedef uint16_t eight_shorts __attribute__((vector_size(16)));
typedef float eight_floats __attribute__((vector_size(32)));
typedef int32_t eight_ints __attribute__((vector_size(32)));
typedef uint32_t eight_words __attribute__((vector_size(32)));

/// Shuffle indices that repeat each pixel's alpha four times.
#define ALPHA_OF_FOUR 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15
#if VECTOR_BYTES == 32
#define ALPHA_OF_EACH                                                                                                  \
    3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15, 19, 19, 19, 19, 23, 23, 23, 23, 27, 27, 27, 27, 31, 31,    \
        31, 31
#define IN_ALPHA(value)                                                                                                \
    {0, 0, 0, value, 0, 0, 0, value, 0, 0, 0, value, 0, 0, 0, value,                                                   \
     0, 0, 0, value, 0, 0, 0, value, 0, 0, 0, value, 0, 0, 0, value}
#else
#define ALPHA_OF_EACH ALPHA_OF_FOUR
#define IN_ALPHA(value) {0, 0, 0, value, 0, 0, 0, value, 0, 0, 0, value, 0, 0, 0, value}
#endif

static inline bytes load_bytes(const uint8_t *from) {
    bytes loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

static inline void store_bytes(uint8_t *to, bytes value) { memcpy(to, &value, sizeof value); }

/// Numbers below 2^31 as floats. A macro, because how a function receives such vectors depends on the variant.
#define EIGHT_FLOATS(WORDS) __builtin_convertvector((eight_ints)(WORDS), eight_floats)

static inline bytes alphas(bytes pixels) { return __builtin_shufflevector(pixels, pixels, ALPHA_OF_EACH); }

/// Returns value * scale / 255 in each byte, rounded to nearest, exact for all 8-bit inputs.
static inline bytes scaled_bytes(bytes value, bytes scale) {
    words product = __builtin_convertvector(value, words) * __builtin_convertvector(scale, words) + 128;
    return __builtin_convertvector((product + (product >> 8)) >> 8, bytes);
}

/// Returns `over` composited over `under`.
static inline bytes laid_over(bytes over, bytes under) { return over + scaled_bytes(under, ~alphas(over)); }

/// As `scaled_bytes`, for one byte.
static inline uint8_t scaled_byte(uint8_t value, unsigned scale) {
    unsigned product = value * scale + 128;
    return (uint8_t)((product + (product >> 8)) >> 8);
}

/// Evaluates `BODY` for each whole vector of a row, and for a padded copy of the rest. `BODY` is an expression of
/// `pixels`.
#define FOR_EACH_VECTOR(FROM, TO, WIDTH, BODY)                                                                         \
    do {                                                                                                               \
        size_t vector_at = 0;                                                                                          \
        for (; vector_at + vector_pixels <= (WIDTH); vector_at += vector_pixels) {                                     \
            bytes pixels = load_bytes((FROM) + 4 * vector_at);                                                         \
            store_bytes((TO) + 4 * vector_at, (BODY));                                                                 \
        }                                                                                                              \
        if (vector_at < (WIDTH)) {                                                                                     \
            bytes pixels = {0};                                                                                        \
            memcpy(&pixels, (FROM) + 4 * vector_at, 4 * ((WIDTH) - vector_at));                                        \
            bytes result = (BODY);                                                                                     \
            memcpy((TO) + 4 * vector_at, &result, 4 * ((WIDTH) - vector_at));                                          \
        }                                                                                                              \
    } while (0)
#endif
