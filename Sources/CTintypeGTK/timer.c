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

void tintype_timer_free(TintypeTimer *timer) {
    g_source_destroy(&timer->base);
    g_source_unref(&timer->base);
}

void tintype_after_frame(void (*body)(void *owner), void *owner) {
    // A frame is drawn within one dispatch, so any later one comes after it.
    g_idle_add_once(body, owner);
}

int64_t tintype_now(void) {
    return g_get_monotonic_time();
}

#endif
