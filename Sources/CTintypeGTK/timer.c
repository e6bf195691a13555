#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <glib.h>

struct TintypeTimer {
    GSource base;
    void (*fire)(void *owner);
    void *owner;
};

static gboolean timer_dispatch(GSource *base, GSourceFunc callback, gpointer data) {
    TintypeTimer *timer = (TintypeTimer *)base;
    // One shot: the callback may set it again.
    g_source_set_ready_time(base, -1);
    timer->fire(timer->owner);
    return G_SOURCE_CONTINUE;
}

TintypeTimer *tintype_timer_new(void (*fire)(void *owner), void *owner) {
    static GSourceFuncs functions = {.dispatch = timer_dispatch};
    GSource *base = g_source_new(&functions, sizeof(TintypeTimer));
    TintypeTimer *timer = (TintypeTimer *)base;
    timer->fire = fire;
    timer->owner = owner;
    // The priority of events, so that a change is part of the next frame.
    g_source_set_priority(base, G_PRIORITY_DEFAULT);
    g_source_set_can_recurse(base, TRUE);
    g_source_set_static_name(base, "Tintype timer");
    g_source_attach(base, NULL);
    return timer;
}

void tintype_timer_set(TintypeTimer *timer, int64_t time) {
    g_source_set_ready_time(&timer->base, time);
}

int64_t tintype_now(void) {
    return g_get_monotonic_time();
}

int tintype_dispatch_depth(void) {
    return g_main_depth();
}

// MARK: - After a frame

/// How long the jobs of one turn of the main loop may take, so that a window full of new images does not hold up
/// events: each of them begins a load.
#define TURN_MICROSECONDS (2 * 1000)

typedef struct {
    void (*body)(void *owner);
    void *owner;
} Job;

/// The jobs that wait for their turn.
static GQueue jobs = G_QUEUE_INIT;

static void run_jobs(void *unused);

/// A timer that is always due, at the priority of events. A source below the priority of drawing would starve while
/// drawing takes longer than a frame.
static TintypeTimer *turns(void) {
    static TintypeTimer *timer;
    if (!timer) timer = tintype_timer_new(run_jobs, NULL);
    return timer;
}

static void run_jobs(void *unused) {
    (void)unused;
    // Set again before the jobs, because one of them may run a main loop of its own.
    tintype_timer_set(turns(), 0);
    gint64 end = g_get_monotonic_time() + TURN_MICROSECONDS;
    while (jobs.length && g_get_monotonic_time() < end) {
        Job *next = g_queue_pop_head(&jobs);
        Job job = *next;
        g_free(next);
        job.body(job.owner);
    }
    if (!jobs.length) tintype_timer_set(turns(), -1);
}

void tintype_after_frame(void (*body)(void *owner), void *owner) {
    // A frame is drawn within one dispatch, so any later one comes after it.
    Job *job = g_new(Job, 1);
    *job = (Job){body, owner};
    g_queue_push_tail(&jobs, job);
    if (jobs.length == 1) tintype_timer_set(turns(), 0);
}

void tintype_cancel_after_frame(void *owner) {
    for (GList *link = jobs.head, *next; link; link = next) {
        next = link->next;
        if (((Job *)link->data)->owner != owner) continue;
        g_free(link->data);
        g_queue_delete_link(&jobs, link);
    }
}

#endif
