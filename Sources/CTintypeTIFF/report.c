#include "internal.h"

#include <stdint.h>

static int take_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    tintype_tiff_report *report = user;
    if (report->message[0] == '\0') {
        vsnprintf(report->message, sizeof report->message, format, arguments);
    }
    return 1;
}

static int take_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    (void)format;
    (void)arguments;
    tintype_tiff_report *report = user;
    report->warnings++;
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
