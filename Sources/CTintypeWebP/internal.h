#ifndef CTINTYPE_WEBP_INTERNAL_H
#define CTINTYPE_WEBP_INTERNAL_H

#include "CTintypeWebP.h"

#include <webp/decode.h>

/// What libwebp says of decoding, in the words of this fence.
tintype_webp_status tintype_webp_status_of(VP8StatusCode code);

#endif
