#ifdef TINTYPE_GTK

#define _GNU_SOURCE
#include "CTintypeGTK.h"

#include <glib-unix.h>
#include <sys/syscall.h>
#include <unistd.h>

// The jobs of the main actor go to libdispatch's main queue, which GLib does not run. libdispatch offers a descriptor
// that is readable while the queue has jobs, and a function that runs them, for the run loop of Foundation. No header
// declares the two.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

// Two sources wait for the same descriptor. With one at the priority of events, jobs that follow each other starve
// drawing; with one below drawing, drawing that takes longer than a frame starves the jobs. So the first source may
// spend half of each window of a frame, at the priority of events, and the second one runs whatever drawing leaves time
// for.
#define WINDOW_MICROSECONDS (16 * 1000)
#define BUDGET_MICROSECONDS (8 * 1000)
#define PRIORITY_BELOW_DRAWING (G_PRIORITY_HIGH_IDLE + 21)

typedef struct {
    GSource base;
    int descriptor;
    gpointer tag;
    bool is_limited;
    bool is_closed;
    gint64 window_start;
    gint64 spent;
} QueueSource;

/// Closes the limited source once its budget is spent, and opens it in the next window. Returns the microseconds until
/// then, or -1.
static gint64 update_budget(QueueSource *source) {
    gint64 now = g_get_monotonic_time();
    if (now - source->window_start >= WINDOW_MICROSECONDS) {
        source->window_start = now;
        source->spent = 0;
    }
    bool closes = source->is_limited && source->spent >= BUDGET_MICROSECONDS;
    if (closes != source->is_closed) {
        // Only on a change, because each call wakes the context.
        source->is_closed = closes;
        g_source_modify_unix_fd(&source->base, source->tag, closes ? 0 : G_IO_IN);
    }
    return closes ? source->window_start + WINDOW_MICROSECONDS - now : -1;
}

static gboolean queue_prepare(GSource *base, gint *timeout) {
    gint64 wait = update_budget((QueueSource *)base);
    *timeout = wait < 0 ? -1 : (gint)(wait / 1000) + 1;
    return FALSE;
}

static gboolean queue_check(GSource *base) {
    QueueSource *source = (QueueSource *)base;
    return !source->is_closed && (g_source_query_unix_fd(base, source->tag) & G_IO_IN) != 0;
}

static gboolean queue_dispatch(GSource *base, GSourceFunc callback, gpointer data) {
    QueueSource *source = (QueueSource *)base;
    gint64 start = g_get_monotonic_time();
    uint64_t count;
    // The descriptor does not block: if the other source was faster, this reads nothing, and the queue is empty.
    ssize_t unused = read(source->descriptor, &count, sizeof count);
    (void)unused;
    _dispatch_main_queue_callback_4CF(NULL);
    source->spent += g_get_monotonic_time() - start;
    return G_SOURCE_CONTINUE;
}

static void attach_source(int descriptor, int priority, bool is_limited) {
    static GSourceFuncs functions = {.prepare = queue_prepare, .check = queue_check, .dispatch = queue_dispatch};
    GSource *base = g_source_new(&functions, sizeof(QueueSource));
    QueueSource *source = (QueueSource *)base;
    source->descriptor = descriptor;
    source->is_limited = is_limited;
    source->tag = g_source_add_unix_fd(base, descriptor, G_IO_IN);
    g_source_set_priority(base, priority);
    // Jobs go on running in a main loop inside a callback, such as that of a modal dialog.
    g_source_set_can_recurse(base, TRUE);
    g_source_set_static_name(base, is_limited ? "Tintype main actor" : "Tintype main actor, below drawing");
    g_source_attach(base, NULL);
    g_source_unref(base);
}

TintypeBridgeResult tintype_bridge_install(void) {
    static bool is_installed = false;
    // dispatch_main() of an asynchronous main function parks the first thread, and runs the main actor elsewhere.
    if (syscall(SYS_gettid) != getpid()) return TINTYPE_BRIDGE_WRONG_THREAD;
    if (is_installed) return TINTYPE_BRIDGE_WAS_READY;
    int descriptor = _dispatch_get_main_queue_handle_4CF();
    if (descriptor < 0) return TINTYPE_BRIDGE_NO_QUEUE;
    is_installed = true;
    attach_source(descriptor, G_PRIORITY_DEFAULT, true);
    attach_source(descriptor, PRIORITY_BELOW_DRAWING, false);
    return TINTYPE_BRIDGE_READY;
}

#endif
