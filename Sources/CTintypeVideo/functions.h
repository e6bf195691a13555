// The functions used of libavformat, libavcodec and libavutil: FUNCTION(result, name, parameters) for each. Define
// FUNCTION before including this file.

FUNCTION(unsigned, avformat_version, (void))
FUNCTION(unsigned, avcodec_version, (void))
FUNCTION(unsigned, avutil_version, (void))
FUNCTION(void, av_log_set_level, (int))
FUNCTION(int, av_strerror, (int, char *, size_t))
FUNCTION(void *, av_malloc, (size_t))
FUNCTION(void, av_freep, (void *))
FUNCTION(int, av_opt_set_int, (void *, const char *, int64_t, int))
FUNCTION(int, av_get_pix_fmt, (const char *))

FUNCTION(AVIOContext *, avio_alloc_context,
    (unsigned char *, int, int, void *, int (*)(void *, uint8_t *, int), int (*)(void *, uint8_t *, int),
     int64_t (*)(void *, int64_t, int)))
FUNCTION(void, avio_context_free, (AVIOContext **))
FUNCTION(AVFormatContext *, avformat_alloc_context, (void))
FUNCTION(const AVInputFormat *, av_find_input_format, (const char *))
FUNCTION(int, avformat_open_input, (AVFormatContext **, const char *, const AVInputFormat *, void *))
FUNCTION(void, avformat_close_input, (AVFormatContext **))
FUNCTION(int, av_find_best_stream, (AVFormatContext *, int, int, int, const AVCodec **, int))
FUNCTION(uint8_t *, av_stream_get_side_data, (const AVStream *, int, size_t *))
FUNCTION(int, av_seek_frame, (AVFormatContext *, int, int64_t, int))
FUNCTION(int, av_read_frame, (AVFormatContext *, AVPacket *))

FUNCTION(AVCodecContext *, avcodec_alloc_context3, (const AVCodec *))
FUNCTION(void, avcodec_free_context, (AVCodecContext **))
FUNCTION(int, avcodec_parameters_to_context, (AVCodecContext *, const AVCodecParameters *))
FUNCTION(int, avcodec_open2, (AVCodecContext *, const AVCodec *, void *))
FUNCTION(int, avcodec_send_packet, (AVCodecContext *, const AVPacket *))
FUNCTION(int, avcodec_receive_frame, (AVCodecContext *, AVFrame *))
FUNCTION(AVPacket *, av_packet_alloc, (void))
FUNCTION(void, av_packet_unref, (AVPacket *))
FUNCTION(void, av_packet_free, (AVPacket **))
FUNCTION(AVFrame *, av_frame_alloc, (void))
FUNCTION(void, av_frame_unref, (AVFrame *))
FUNCTION(void, av_frame_move_ref, (AVFrame *, AVFrame *))
FUNCTION(void, av_frame_free, (AVFrame **))
