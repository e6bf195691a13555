#include "library.h"

const char *const *tintype_video_function_names(void) {
    static const char *const names[] = {
#define FUNCTION(result, name, parameters) #name,
#include "functions.h"
#undef FUNCTION
        NULL};
    _Static_assert(
        sizeof(struct tintype_video_library) == sizeof names - sizeof names[0], "one address for each name");
    return names;
}

const char *const *tintype_video_scaler_function_names(void) {
    static const char *const names[] = {
#define FUNCTION(result, name, parameters) #name,
#include "scaler.h"
#undef FUNCTION
        NULL};
    _Static_assert(
        sizeof(struct tintype_video_scaler) == sizeof names - sizeof names[0], "one address for each name");
    return names;
}

bool tintype_video_is_supported(const tintype_video_library *library) {
    // Messages about damaged files would go to standard error.
    library->av_log_set_level(AV_LOG_QUIET);
    return sizeof(void *) == 8 && library->avformat_version() >> 16 == 59 && library->avcodec_version() >> 16 == 59
        && library->avutil_version() >> 16 == 57;
}
