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

static bool is_one_of(const char *module, const char *const *names) {
    for (; module != NULL && *names != NULL; names++) {
        if (strcmp(module, *names) == 0) return true;
    }
    return false;
}

/// Returns whether a warning only states that a file uses old-style JPEG or LZW, or how libtiff reads its chroma
/// subsampling.
static bool is_about_old_codecs(const char *module) {
    static const char *const names[] = {"OJPEGSetupDecode", "OJPEGSubsamplingCorrect", "LZWPreDecode", NULL};
    return is_one_of(module, names);
}

/// Returns whether a warning is about a row of a fax, after which libtiff continues with the next one.
static bool is_about_fax(const char *module) {
    static const char *const names[] = {"Fax3Decode1D", "Fax3Decode2D", "Fax4Decode", "Fax3DecodeRLE", NULL};
    return is_one_of(module, names);
}

static int take_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)format;
    (void)arguments;
    tintype_tiff_report *report = user;
    if (is_about_fax(module)) {
        report->has_damaged_rows = true;
    } else if (!is_about_old_codecs(module)) {
        report->warnings += 1;
    }
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
