#ifndef CTINTYPE_WEBP_ENCODE_H
#define CTINTYPE_WEBP_ENCODE_H

#include "CTintypeWebP.h"

#include <webp/encode.h>

/// Fills `config`. Returns false if libwebp does not accept the settings.
bool tintype_webp_configure(WebPConfig *config, const tintype_webp_settings *settings);

#endif
