#ifndef CTINTYPE_WEBP_ENCODE_H
#define CTINTYPE_WEBP_ENCODE_H

#include "CTintypeWebP.h"

#include <webp/encode.h>

/// Whether the settings are ones that libwebp has.
bool tintype_webp_configure(WebPConfig *config, float quality, bool lossless, int method);

#endif
