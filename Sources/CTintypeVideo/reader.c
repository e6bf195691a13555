#include "library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tintype_video_reader {
    const tintype_video_library *library;
    const tintype_video_scaler *scaler;
    const uint8_t *bytes;
    size_t count, position;
    AVIOContext *input;
    AVFormatContext *format;
    AVCodecContext *decoder;
    const AVCodec *codec;
    AVPacket *packet;
    /// The frame that was decoded last, and the one to show.
    AVFrame *next, *shown;
    int stream;
};

// MARK: Input

static int read_bytes(void *context, uint8_t *buffer, int size) {
    tintype_video_reader *reader = context;
    size_t rest = reader->count - reader->position;
    if (rest == 0 || size <= 0) {
        return AVERROR_EOF;
    }
    size_t count = (size_t)size < rest ? (size_t)size : rest;
    memcpy(buffer, reader->bytes + reader->position, count);
    reader->position += count;
    return (int)count;
}

static int64_t seek_bytes(void *context, int64_t offset, int whence) {
    tintype_video_reader *reader = context;
    if (whence & AVSEEK_SIZE) {
        return (int64_t)reader->count;
    }
    int64_t base = whence == SEEK_CUR ? (int64_t)reader->position : whence == SEEK_END ? (int64_t)reader->count : 0;
    if (offset < -base || offset > (int64_t)reader->count - base) {
        return -EINVAL;
    }
    reader->position = (size_t)(base + offset);
    return (int64_t)reader->position;
}

static tintype_video_status failure(
    const tintype_video_reader *reader, int error, char *message, size_t message_size) {
    if (error == -ENOMEM) {
        return TINTYPE_VIDEO_MEMORY;
    }
    reader->library->av_strerror(error, message, message_size);
    return TINTYPE_VIDEO_CORRUPT;
}

/// The bytes that libavformat reads at once.
enum { BUFFER_SIZE = 32768 };

static int open_input(tintype_video_reader *reader, const char *container) {
    const tintype_video_library *library = reader->library;
    uint8_t *buffer = library->av_malloc(BUFFER_SIZE);
    if (buffer == NULL) {
        return -ENOMEM;
    }
    reader->input = library->avio_alloc_context(buffer, BUFFER_SIZE, 0, reader, read_bytes, NULL, seek_bytes);
    if (reader->input == NULL) {
        library->av_freep(&buffer);
        return -ENOMEM;
    }
    reader->format = library->avformat_alloc_context();
    if (reader->format == NULL) {
        return -ENOMEM;
    }
    reader->format->pb = reader->input;
    reader->format->flags |= AVFMT_FLAG_CUSTOM_IO;
    // It frees the context if it fails.
    return library->avformat_open_input(&reader->format, "", library->av_find_input_format(container), NULL);
}

tintype_video_status tintype_video_open(
    const tintype_video_library *library, const tintype_video_scaler *scaler, const uint8_t *bytes, size_t count,
    const char *container, tintype_video_reader **reader, char *message, size_t message_size) {
    *reader = NULL;
    message[0] = 0;
    tintype_video_reader *opened = calloc(1, sizeof *opened);
    if (opened == NULL) {
        return TINTYPE_VIDEO_MEMORY;
    }
    opened->library = library;
    opened->scaler = scaler;
    opened->bytes = bytes;
    opened->count = count;
    tintype_video_status status = TINTYPE_VIDEO_OK;
    int error = open_input(opened, container);
    if (error < 0) {
        status = failure(opened, error, message, message_size);
    } else {
        opened->stream = library->av_find_best_stream(opened->format, AVMEDIA_TYPE_VIDEO, -1, -1, &opened->codec, 0);
        if (opened->stream < 0 || opened->codec == NULL) {
            snprintf(message, message_size, "no video stream that can be decoded");
            status = TINTYPE_VIDEO_UNSUPPORTED;
        }
    }
    if (status != TINTYPE_VIDEO_OK) {
        tintype_video_close(opened);
        return status;
    }
    *reader = opened;
    return TINTYPE_VIDEO_OK;
}

void tintype_video_close(tintype_video_reader *reader) {
    if (reader == NULL) {
        return;
    }
    const tintype_video_library *library = reader->library;
    library->av_frame_free(&reader->next);
    library->av_frame_free(&reader->shown);
    library->av_packet_free(&reader->packet);
    library->avcodec_free_context(&reader->decoder);
    library->avformat_close_input(&reader->format);
    if (reader->input != NULL) {
        // The first field after the class is the buffer, which libavformat may have replaced.
        library->av_freep((uint8_t *)reader->input + sizeof(void *));
        library->avio_context_free(&reader->input);
    }
    free(reader);
}

// MARK: Header

/// Returns the orientation of the transform from stored to displayed pixels, of which only quarter turns and mirrors
/// are known: displayed x = ax + cy, displayed y = bx + dy (ISO/IEC 14496-12, 8.5.2).
static int32_t orientation_of(const int32_t *matrix) {
    int32_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
    if (a != 0 && d != 0 && b == 0 && c == 0) {
        return a > 0 ? (d > 0 ? 1 : 4) : (d > 0 ? 2 : 3);
    }
    if (b != 0 && c != 0 && a == 0 && d == 0) {
        return b > 0 ? (c < 0 ? 6 : 5) : (c > 0 ? 8 : 7);
    }
    return 1;
}

static double seconds_of(int64_t ticks, AVRational unit) {
    return ticks > 0 && unit.den > 0 ? (double)ticks * unit.num / unit.den : 0;
}

tintype_video_header tintype_video_get_header(const tintype_video_reader *reader) {
    const AVStream *stream = reader->format->streams[reader->stream];
    const AVCodecParameters *codec = stream->codecpar;
    AVRational ratio = stream->sample_aspect_ratio.num > 0 ? stream->sample_aspect_ratio : codec->sample_aspect_ratio;
    tintype_video_header header = {.width = codec->width, .height = codec->height, .pixel_ratio = 1, .orientation = 1};
    if (ratio.num > 0 && ratio.den > 0) {
        header.pixel_ratio = (double)ratio.num / ratio.den;
    }
    size_t size = 0;
    const uint8_t *data = reader->library->av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    int32_t matrix[9];
    if (data != NULL && size >= sizeof matrix) {
        memcpy(matrix, data, sizeof matrix);
        header.orientation = orientation_of(matrix);
    }
    header.duration = seconds_of(stream->duration, stream->time_base);
    return header;
}

// MARK: Frames

static int open_decoder(tintype_video_reader *reader, int64_t maximum_pixels) {
    const tintype_video_library *library = reader->library;
    reader->packet = library->av_packet_alloc();
    reader->next = library->av_frame_alloc();
    reader->shown = library->av_frame_alloc();
    reader->decoder = library->avcodec_alloc_context3(reader->codec);
    if (reader->packet == NULL || reader->next == NULL || reader->shown == NULL || reader->decoder == NULL) {
        return -ENOMEM;
    }
    int error = library->avcodec_parameters_to_context(
        reader->decoder, reader->format->streams[reader->stream]->codecpar);
    if (error < 0) {
        return error;
    }
    // Worker processes have one thread.
    library->av_opt_set_int(reader->decoder, "threads", 1, 0);
    library->av_opt_set_int(reader->decoder, "max_pixels", maximum_pixels, 0);
    return library->avcodec_open2(reader->decoder, reader->codec, NULL);
}

/// Takes the frames that the decoder has, until one is shown after the wanted time. Returns whether the shown frame is
/// final.
static bool take_frames(tintype_video_reader *reader, int64_t wanted) {
    const tintype_video_library *library = reader->library;
    while (library->avcodec_receive_frame(reader->decoder, reader->next) >= 0) {
        int64_t time = reader->next->best_effort_timestamp;
        bool is_later = time == AV_NOPTS_VALUE || time > wanted;
        if (is_later && reader->shown->data[0] != NULL) {
            library->av_frame_unref(reader->next);
            return true;
        }
        library->av_frame_unref(reader->shown);
        library->av_frame_move_ref(reader->shown, reader->next);
        if (is_later || time == wanted) {
            return true;
        }
    }
    return false;
}

/// Returns the time in units of the stream, from its own beginning.
static int64_t ticks_of(const AVStream *stream, double seconds) {
    int64_t start = stream->start_time == AV_NOPTS_VALUE ? 0 : stream->start_time;
    if (seconds <= 0 || stream->time_base.num <= 0 || stream->time_base.den <= 0) {
        return start;
    }
    double ticks = seconds * stream->time_base.den / stream->time_base.num;
    return ticks < 9e15 ? start + (int64_t)ticks : INT64_MAX / 2;
}

tintype_video_status tintype_video_decode(
    tintype_video_reader *reader, double seconds, int64_t maximum_pixels, bool (*is_cancelled)(void *), void *context,
    tintype_video_frame *frame, char *message, size_t message_size) {
    const tintype_video_library *library = reader->library;
    message[0] = 0;
    int error = open_decoder(reader, maximum_pixels);
    if (error < 0) {
        return failure(reader, error, message, message_size);
    }
    int64_t wanted = ticks_of(reader->format->streams[reader->stream], seconds);
    if (seconds > 0) {
        // Without an index, decoding begins at the first frame.
        library->av_seek_frame(reader->format, reader->stream, wanted, AVSEEK_FLAG_BACKWARD);
    }
    bool is_final = false;
    while (!is_final && error >= 0) {
        if (is_cancelled(context)) {
            return TINTYPE_VIDEO_CANCELLED;
        }
        error = library->av_read_frame(reader->format, reader->packet);
        if (error >= 0 && reader->packet->stream_index != reader->stream) {
            library->av_packet_unref(reader->packet);
            continue;
        }
        // At the end, the decoder returns the frames that it has kept back.
        library->avcodec_send_packet(reader->decoder, error >= 0 ? reader->packet : NULL);
        library->av_packet_unref(reader->packet);
        is_final = take_frames(reader, wanted);
    }
    if (reader->shown->data[0] == NULL) {
        return failure(reader, error < 0 ? error : AVERROR_EOF, message, message_size);
    }
    const AVFrame *shown = reader->shown;
    *frame = (tintype_video_frame){shown->width, shown->height, shown->color_primaries, shown->color_trc};
    return TINTYPE_VIDEO_OK;
}

tintype_video_status tintype_video_convert(
    tintype_video_reader *reader, bool is_wide, uint8_t *dest, size_t stride, int32_t width, int32_t height) {
    const tintype_video_scaler *scaler = reader->scaler;
    const AVFrame *frame = reader->shown;
    int format = reader->library->av_get_pix_fmt(is_wide ? "rgba64le" : "rgba");
    SwsContext *context = scaler->sws_getContext(
        frame->width, frame->height, frame->format, width, height, format,
        SWS_BICUBIC | SWS_FULL_CHR_H_INT | SWS_ACCURATE_RND, NULL, NULL, NULL);
    if (context == NULL) {
        return TINTYPE_VIDEO_MEMORY;
    }
    // 2 is unspecified: then high definition is BT.709 (1), and the rest BT.601 (5), as players assume.
    int matrix = frame->colorspace == 2 ? (frame->height >= 720 ? 1 : 5) : frame->colorspace;
    const int *weights = scaler->sws_getCoefficients(matrix);
    scaler->sws_setColorspaceDetails(
        context, weights, frame->color_range == AVCOL_RANGE_JPEG, weights, 1, 0, 1 << 16, 1 << 16);
    uint8_t *planes[4] = {dest};
    int strides[4] = {(int)stride};
    int rows = scaler->sws_scale(
        context, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, planes, strides);
    scaler->sws_freeContext(context);
    return rows == height ? TINTYPE_VIDEO_OK : TINTYPE_VIDEO_CORRUPT;
}
