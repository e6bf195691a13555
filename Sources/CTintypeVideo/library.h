#ifndef CTINTYPE_VIDEO_LIBRARY_H
#define CTINTYPE_VIDEO_LIBRARY_H

#include "CTintypeVideo.h"

// The types that functions.h and scaler.h use, as far as they are needed here: the first fields of those of FFmpeg 5.
// They do not come from the original headers, because a program would then need these to build, and would load the
// libraries at launch.

typedef struct AVIOContext AVIOContext;
typedef struct AVInputFormat AVInputFormat;
typedef struct AVCodec AVCodec;
typedef struct AVCodecContext AVCodecContext;
typedef struct SwsContext SwsContext;

typedef struct AVRational {
    int num, den;
} AVRational;

typedef struct AVCodecParameters AVCodecParameters;

typedef struct AVStream {
    int index, id;
    void *priv_data;
    AVRational time_base;
    int64_t start_time, duration, nb_frames;
    int disposition, discard;
    AVRational sample_aspect_ratio;
    void *metadata;
    AVRational avg_frame_rate;
    // Up to the parameters of the codec.
    uint8_t others[128];
    AVCodecParameters *codecpar;
} AVStream;

struct AVCodecParameters {
    int codec_type, codec_id;
    uint32_t codec_tag;
    uint8_t *extradata;
    int extradata_size, format;
    int64_t bit_rate;
    int bits_per_coded_sample, bits_per_raw_sample, profile, level, width, height;
    AVRational sample_aspect_ratio;
};

typedef struct AVFormatContext {
    const void *av_class;
    const void *iformat, *oformat;
    void *priv_data;
    AVIOContext *pb;
    int ctx_flags;
    unsigned nb_streams;
    AVStream **streams;
    char *url;
    int64_t start_time, duration, bit_rate;
    unsigned packet_size;
    int max_delay, flags;
} AVFormatContext;

typedef struct AVPacket {
    void *buf;
    int64_t pts, dts;
    uint8_t *data;
    int size, stream_index, flags;
} AVPacket;

typedef struct AVFrame {
    uint8_t *data[8];
    int linesize[8];
    uint8_t **extended_data;
    int width, height, nb_samples, format, key_frame, pict_type;
    AVRational sample_aspect_ratio;
    int64_t pts;
    // Up to the colours.
    uint8_t others[176];
    int color_range, color_primaries, color_trc, colorspace, chroma_location;
    int64_t best_effort_timestamp;
} AVFrame;

_Static_assert(sizeof(void *) != 8 || offsetof(AVStream, codecpar) == 208, "the layout of FFmpeg 5");
_Static_assert(sizeof(void *) != 8 || offsetof(AVCodecParameters, sample_aspect_ratio) == 64, "the layout of FFmpeg 5");
_Static_assert(sizeof(void *) != 8 || offsetof(AVFormatContext, flags) == 96, "the layout of FFmpeg 5");
_Static_assert(sizeof(void *) != 8 || offsetof(AVPacket, stream_index) == 36, "the layout of FFmpeg 5");
_Static_assert(sizeof(void *) != 8 || offsetof(AVFrame, color_range) == 320, "the layout of FFmpeg 5");
_Static_assert(sizeof(void *) != 8 || offsetof(AVFrame, best_effort_timestamp) == 344, "the layout of FFmpeg 5");

enum {
    AVMEDIA_TYPE_VIDEO = 0,
    AVFMT_FLAG_CUSTOM_IO = 0x80,
    AVSEEK_SIZE = 0x10000,
    AVSEEK_FLAG_BACKWARD = 1,
    AV_LOG_QUIET = -8,
    AV_PKT_DATA_DISPLAYMATRIX = 5,
    AVCOL_RANGE_JPEG = 2,
    SWS_BICUBIC = 4,
    SWS_FULL_CHR_H_INT = 0x2000,
    SWS_ACCURATE_RND = 0x40000,
};

#define AV_NOPTS_VALUE INT64_MIN
#define AVERROR_EOF (-0x20464F45)

/// The addresses of the functions used.
struct tintype_video_library {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "functions.h"
#undef FUNCTION
};

struct tintype_video_scaler {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#include "scaler.h"
#undef FUNCTION
};

#endif
