#ifndef C_BENCHMARK_CONTROLS_H
#define C_BENCHMARK_CONTROLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Counts the allocations of this process from now on, on all threads.
void control_count_allocations(void);

/// Ends that, and returns how many there were; always 0 where the C library is not glibc.
uint64_t control_counted_allocations(void);

/// Has the C library keep memory that is freed, as Tintype's pool does, so that no control pays for fresh pages.
void control_keep_memory(void);

/// Decodes a JPEG at `eighths`/8 of its size with bare libjpeg into RGBA rows, and throws them away.
/// `bytes` have to be a sound JPEG: an error ends the process.
void control_decode_jpeg(const uint8_t *bytes, size_t count, unsigned eighths);

/// Decodes a PNG with libpng's simplified interface into RGBA rows, and throws them away.
bool control_decode_png(const uint8_t *bytes, size_t count);

/// The same of other formats, each with the library that Tintype has for it, in one thread.
bool control_decode_webp(const uint8_t *bytes, size_t count);
bool control_decode_avif(const uint8_t *bytes, size_t count);
bool control_decode_jxl(const uint8_t *bytes, size_t count);
bool control_decode_heic(const uint8_t *bytes, size_t count);
bool control_decode_tiff(const uint8_t *bytes, size_t count);

/// Lanczos in two passes over floats, as it stands in a textbook: RGBA rows without padding.
bool control_resize(
    const uint8_t *source, size_t width, size_t height, uint8_t *target, size_t new_width, size_t new_height);

/// Makes every frame of a GIF as it is shown, with giflib and the plainest composition, and throws them away.
///
/// Returns how many there were.
size_t control_play_gif(const uint8_t *bytes, size_t count);

/// The same of a WebP with libwebp's own animation decoder, in premultiplied RGBA.
size_t control_play_webp(const uint8_t *bytes, size_t count);

#endif
