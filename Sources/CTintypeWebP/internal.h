#ifndef CTINTYPE_WEBP_INTERNAL_H
#define CTINTYPE_WEBP_INTERNAL_H

#include "CTintypeWebP.h"

#include <webp/decode.h>

/// Converts libwebp's decoding status.
tintype_webp_status tintype_webp_status_of(VP8StatusCode code);

#endif
