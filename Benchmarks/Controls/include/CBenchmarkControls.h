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

/// A table of blobs in SQLite: WAL, synchronous NORMAL, pages of 8 KB, mapped into memory; a transaction for each put.
typedef struct control_database control_database;
control_database *control_database_open(const char *path);
void control_database_close(control_database *database);
bool control_database_put(control_database *database, const char *name, const uint8_t *bytes, size_t count);
/// Copies a blob, discards the copy and returns its size; 0 if there is none.
size_t control_database_get(control_database *database, const char *name);

/// Encodes rows of RGB without padding with libpng, which chooses the filters. Returns the number of bytes; the caller
/// frees `out`. An error ends the process.
size_t control_encode_png(const uint8_t *rgb, size_t width, size_t height, int level, uint8_t **out);

/// Whether valgrind runs the process, which can then count instructions.
bool control_can_count_instructions(void);
/// Counts the instructions of all threads between these two calls; callgrind writes the sum to a file, with this name.
void control_begin_instructions(void);
void control_end_instructions(const char *name);

#endif
