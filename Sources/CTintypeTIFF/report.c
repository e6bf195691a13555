#include "internal.h"

#include <stdint.h>
#include <string.h>

static int take_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    tintype_tiff_report *report = user;
    if (report->message[0] == '\0') {
        vsnprintf(report->message, sizeof report->message, format, arguments);
    }
    return 1;
}

/// Returns whether a warning only states that a file uses old-style JPEG, or how libtiff reads its chroma subsampling.
static bool is_about_old_jpeg(const char *module) {
    return module != NULL
        && (strcmp(module, "OJPEGSetupDecode") == 0 || strcmp(module, "OJPEGSubsamplingCorrect") == 0);
}

static int take_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)format;
    (void)arguments;
    tintype_tiff_report *report = user;
    report->warnings += is_about_old_jpeg(module) ? 0 : 1;
    return 1;
}

TIFFOpenOptions *tintype_tiff_options(tintype_tiff_report *report, tmsize_t max_allocation) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options != NULL) {
        // A non-zero return value stops libtiff from calling the global handler, which prints.
        TIFFOpenOptionsSetErrorHandlerExtR(options, take_error, report);
        TIFFOpenOptionsSetWarningHandlerExtR(options, take_warning, report);
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, max_allocation);
    }
    return options;
}
