#include "internal.h"

static tintype_jpeg_status status_of_error(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY:
        return TINTYPE_JPEG_MEMORY;
    case JERR_NO_BACKING_STORE: // libjpeg's memory limit: it would go on in a temporary file.
        return TINTYPE_JPEG_LIMIT;
    case JERR_CANT_SUSPEND: // Arithmetic decoding cannot stop at the end of a prefix.
        return TINTYPE_JPEG_NEEDS_MORE;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_J_COLORSPACE:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
    case JERR_WIDTH_OVERFLOW:
        return TINTYPE_JPEG_UNSUPPORTED;
    default:
        return TINTYPE_JPEG_CORRUPT;
    }
}

/// Returns whether a warning means that pixels differ from the image's. libjpeg's other warnings concern oddities that
/// change no pixel.
static bool is_damage(int code) {
    switch (code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
        return true;
    default:
        return false;
    }
}

static void leave_on_error(j_common_ptr cinfo) {
    tintype_jpeg_fence *fence = (tintype_jpeg_fence *)cinfo->err;
    tintype_jpeg_status status = status_of_error(cinfo->err->msg_code);
    bool is_about_bytes = status == TINTYPE_JPEG_CORRUPT || status == TINTYPE_JPEG_UNSUPPORTED;
    if (fence->input_ended && is_about_bytes) {
        status = TINTYPE_JPEG_TRUNCATED;
    }
    char message[JMSG_LENGTH_MAX];
    cinfo->err->format_message(cinfo, message);
    tintype_jpeg_fence_escape(fence, status, message);
}

/// Returns whether a whole pass precedes the position that is being read: the first of several scans or, of a single
/// scan, the first row of blocks.
static bool is_after_first_pass(const struct jpeg_decompress_struct *cinfo) {
    bool has_several_scans = cinfo->progressive_mode || cinfo->comps_in_scan < cinfo->num_components;
    return has_several_scans ? cinfo->input_scan_number > 1 : cinfo->input_iMCU_row > 0;
}

static void take_message(j_common_ptr cinfo, int level) {
    bool is_warning = level < 0;
    if (!is_warning || !is_damage(cinfo->err->msg_code)) {
        return;
    }
    tintype_jpeg_fence *fence = (tintype_jpeg_fence *)cinfo->err;
    tintype_jpeg_status damage = fence->input_ended ? TINTYPE_JPEG_TRUNCATED : TINTYPE_JPEG_CORRUPT;
    bool is_known = fence->damage == damage || fence->damage == TINTYPE_JPEG_TRUNCATED;
    if (is_known && fence->tolerance == TINTYPE_JPEG_TOLERATES_ALL) {
        return; // A damaged image has many warnings, and formatting takes time.
    }
    bool is_minor = !fence->input_ended && is_after_first_pass((struct jpeg_decompress_struct *)cinfo);
    if (is_known && is_minor) {
        return;
    }
    char message[JMSG_LENGTH_MAX];
    cinfo->err->format_message(cinfo, message);
    tintype_jpeg_fence_note_damage(fence, damage, is_minor, message);
}

/// Replaces libjpeg's handler, which prints.
static void keep_quiet(j_common_ptr cinfo) {
    (void)cinfo;
}

struct jpeg_error_mgr *tintype_jpeg_fence_raise(tintype_jpeg_fence *fence) {
    jpeg_std_error(&fence->manager);
    fence->manager.error_exit = leave_on_error;
    fence->manager.emit_message = take_message;
    fence->manager.output_message = keep_quiet;
    fence->status = TINTYPE_JPEG_OK;
    fence->damage = TINTYPE_JPEG_OK;
    fence->input_ended = false;
    fence->message[0] = '\0';
    return &fence->manager;
}

static void set_message(tintype_jpeg_fence *fence, const char *message) {
    snprintf(fence->message, sizeof fence->message, "%s", message);
}

void tintype_jpeg_fence_escape(tintype_jpeg_fence *fence, tintype_jpeg_status status, const char *message) {
    fence->status = status;
    set_message(fence, message);
    longjmp(fence->escape, 1);
}

static bool is_tolerated(const tintype_jpeg_fence *fence, bool is_minor) {
    switch (fence->tolerance) {
    case TINTYPE_JPEG_TOLERATES_NOTHING:
        return false;
    case TINTYPE_JPEG_TOLERATES_MINOR_DAMAGE:
        return is_minor;
    case TINTYPE_JPEG_TOLERATES_ALL:
        return true;
    }
}

void tintype_jpeg_fence_note_damage(
    tintype_jpeg_fence *fence, tintype_jpeg_status damage, bool is_minor, const char *message) {
    bool is_worse = fence->damage == TINTYPE_JPEG_CORRUPT && damage == TINTYPE_JPEG_TRUNCATED;
    if (fence->damage == TINTYPE_JPEG_OK || is_worse) {
        fence->damage = damage;
        set_message(fence, message);
    }
    if (!is_tolerated(fence, is_minor)) {
        tintype_jpeg_fence_escape(fence, damage, message);
    }
}
