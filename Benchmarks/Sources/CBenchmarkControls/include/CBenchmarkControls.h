#ifndef C_BENCHMARK_CONTROLS_H
#define C_BENCHMARK_CONTROLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Starts counting the allocations of this process, on all threads.
void control_count_allocations(void);

/// Stops counting and returns the number of allocations. Always 0 if the C library is not glibc.
uint64_t control_counted_allocations(void);

/// Makes the C library keep freed memory, as Tintype's pool does, so that no control pays for new pages.
void control_keep_memory(void);

/// Decodes a JPEG at `eighths`/8 of its size with libjpeg into RGBA rows, and discards them.
/// `bytes` must be a valid JPEG: an error ends the process.
void control_decode_jpeg(const uint8_t *bytes, size_t count, unsigned eighths);

/// Decodes a PNG with libpng's simplified interface into RGBA rows, and discards them. Returns whether it succeeded.
bool control_decode_png(const uint8_t *bytes, size_t count);

/// Decode other formats, each with the library that Tintype uses, in one thread. Return whether they succeeded.
bool control_decode_webp(const uint8_t *bytes, size_t count);
bool control_decode_avif(const uint8_t *bytes, size_t count);
bool control_decode_jxl(const uint8_t *bytes, size_t count);
bool control_decode_heic(const uint8_t *bytes, size_t count);
bool control_decode_tiff(const uint8_t *bytes, size_t count);

/// Resizes RGBA rows without padding, with a Lanczos filter in two passes over floats, as in a textbook. Returns false
/// if there is not enough memory.
bool control_resize(
    const uint8_t *source, size_t width, size_t height, uint8_t *target, size_t new_width, size_t new_height);

/// Composes every frame of a GIF with giflib and the simplest composition, and discards it.
///
/// Returns the number of frames.
size_t control_play_gif(const uint8_t *bytes, size_t count);

/// Composes every frame of a WebP with libwebp's animation decoder, in premultiplied RGBA, and discards it.
///
/// Returns the number of frames.
size_t control_play_webp(const uint8_t *bytes, size_t count);

/// A plain program over libcurl: one multi handle, and as many easy handles as transfers run at once.
typedef struct control_client control_client;
control_client *control_client_create(size_t width);
void control_client_free(control_client *client);

/// Loads all URLs, discards the bodies, and returns their bytes; 0 if one fails.
size_t control_client_load(control_client *client, const char *const *urls, size_t count);

#endif
