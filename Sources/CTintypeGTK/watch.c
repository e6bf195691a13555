#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <gtk/gtk.h>

/// The number of points around the visible part of a scrolled window in which a widget counts as visible.
#define MARGIN 64

/// A scrolled window around the widget.
typedef struct {
    GtkWidget *window;
    GtkAdjustment *adjustments[2];
} Scroller;

struct TintypeWatch {
    /// NULL when the widget is gone.
    GtkWidget *widget;
    TintypeWatchEvents events;
    void *owner;
    /// From the nearest one outwards.
    Scroller *scrollers;
    size_t scroller_count;
    bool is_visible;
    unsigned int tick;
    /// Whether the widget's frame has been drawn, and the update waits for its turn.
    bool waits_for_turn;
    /// The clock whose next frame may show the widget at another position; NULL otherwise.
    GdkFrameClock *clock;
};

// MARK: - Position

static bool is_near_visible_part(GtkWidget *widget, GtkWidget *window) {
    graphene_rect_t bounds;
    if (!gtk_widget_compute_bounds(widget, window, &bounds)) return false;
    // An empty widget, which has no image yet, counts as one point at its top left corner.
    bounds.size.width = MAX(bounds.size.width, 1);
    bounds.size.height = MAX(bounds.size.height, 1);
    graphene_rect_t visible = GRAPHENE_RECT_INIT(
        -MARGIN, -MARGIN, (float)gtk_widget_get_width(window) + 2 * MARGIN,
        (float)gtk_widget_get_height(window) + 2 * MARGIN);
    return graphene_rect_intersection(&bounds, &visible, NULL);
}

/// Whether the widget is near the visible part of every scrolled window around it: a shelf that is scrolled sideways
/// may itself be scrolled out of sight.
static bool is_near_visible_parts(const TintypeWatch *watch) {
    for (size_t index = 0; index < watch->scroller_count; index++) {
        if (!is_near_visible_part(watch->widget, watch->scrollers[index].window)) return false;
    }
    return true;
}

static void set_visible(TintypeWatch *watch, bool is_visible) {
    if (watch->is_visible == is_visible) return;
    watch->is_visible = is_visible;
    watch->events.visible(watch->owner, is_visible);
}

void tintype_watch_update(TintypeWatch *watch) {
    if (!watch->widget) return;
    set_visible(watch, gtk_widget_get_mapped(watch->widget) && is_near_visible_parts(watch));
}

static void stop_waiting_for_frame(TintypeWatch *watch) {
    if (!watch->clock) return;
    g_signal_handlers_disconnect_by_data(watch->clock, watch);
    g_clear_object(&watch->clock);
}

static void take_turn(void *owner) {
    TintypeWatch *watch = owner;
    watch->waits_for_turn = false;
    tintype_watch_update(watch);
}

static void cancel_update(TintypeWatch *watch) {
    stop_waiting_for_frame(watch);
    if (watch->waits_for_turn) tintype_cancel_after_frame(watch);
    watch->waits_for_turn = false;
}

static void frame_drawn(TintypeWatch *watch) {
    stop_waiting_for_frame(watch);
    if (watch->waits_for_turn) return;
    watch->waits_for_turn = true;
    tintype_after_frame(take_turn, watch);
}

/// Compares positions after the next frame: a new widget gets its position in its layout, and so do scrolled ones.
static void update_after_frame(TintypeWatch *watch) {
    GdkFrameClock *clock = gtk_widget_get_frame_clock(watch->widget);
    if (watch->clock || !clock) return;
    watch->clock = g_object_ref(clock);
    g_signal_connect_swapped(clock, "after-paint", G_CALLBACK(frame_drawn), watch);
}

static void follow_adjustment(TintypeWatch *watch, GtkAdjustment *adjustment) {
    g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(update_after_frame), watch);
    // The window was resized, or the widgets around this one have changed: it may move without being drawn again.
    g_signal_connect_swapped(adjustment, "changed", G_CALLBACK(update_after_frame), watch);
}

static void unfollow_scrollers(TintypeWatch *watch) {
    cancel_update(watch);
    for (size_t index = 0; index < watch->scroller_count; index++) {
        for (int axis = 0; axis < 2; axis++) {
            GtkAdjustment *adjustment = watch->scrollers[index].adjustments[axis];
            g_signal_handlers_disconnect_by_data(adjustment, watch);
            g_object_unref(adjustment);
        }
    }
    g_clear_pointer(&watch->scrollers, g_free);
    watch->scroller_count = 0;
}

static void follow_scrollers(TintypeWatch *watch) {
    unfollow_scrollers(watch);
    GtkWidget *window = gtk_widget_get_ancestor(watch->widget, GTK_TYPE_SCROLLED_WINDOW);
    while (window) {
        GtkScrolledWindow *scrolled = GTK_SCROLLED_WINDOW(window);
        watch->scrollers = g_renew(Scroller, watch->scrollers, watch->scroller_count + 1);
        Scroller *scroller = &watch->scrollers[watch->scroller_count++];
        scroller->window = window;
        scroller->adjustments[0] = g_object_ref(gtk_scrolled_window_get_hadjustment(scrolled));
        scroller->adjustments[1] = g_object_ref(gtk_scrolled_window_get_vadjustment(scrolled));
        for (int axis = 0; axis < 2; axis++) follow_adjustment(watch, scroller->adjustments[axis]);
        GtkWidget *parent = gtk_widget_get_parent(window);
        window = parent ? gtk_widget_get_ancestor(parent, GTK_TYPE_SCROLLED_WINDOW) : NULL;
    }
}

// MARK: - Events of the widget

static void widget_mapped(TintypeWatch *watch) {
    follow_scrollers(watch);
    update_after_frame(watch);
}

static void widget_unmapped(TintypeWatch *watch) {
    unfollow_scrollers(watch);
    tintype_watch_stop_ticks(watch);
    set_visible(watch, false);
}

static void widget_scaled(TintypeWatch *watch) {
    watch->events.scaled(watch->owner, tintype_watch_scale(watch));
}

static void widget_gone(TintypeWatch *watch) {
    GtkWidget *widget = watch->widget;
    if (!widget) return;
    unfollow_scrollers(watch);
    tintype_watch_stop_ticks(watch);
    set_visible(watch, false);
    g_signal_handlers_disconnect_by_data(widget, watch);
    watch->widget = NULL;
    watch->events.gone(watch->owner);
}

// MARK: - Ticks

static gboolean widget_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
    TintypeWatch *watch = data;
    watch->events.tick(watch->owner, gdk_frame_clock_get_frame_time(clock));
    return G_SOURCE_CONTINUE;
}

void tintype_watch_start_ticks(TintypeWatch *watch) {
    if (!watch->widget || watch->tick) return;
    watch->tick = gtk_widget_add_tick_callback(watch->widget, widget_tick, watch, NULL);
}

void tintype_watch_stop_ticks(TintypeWatch *watch) {
    if (watch->widget && watch->tick) gtk_widget_remove_tick_callback(watch->widget, watch->tick);
    watch->tick = 0;
}

// MARK: - Life

TintypeWatch *tintype_watch_new(GtkWidget *widget) {
    TintypeWatch *watch = g_new0(TintypeWatch, 1);
    watch->widget = widget;
    return watch;
}

void tintype_watch_set_owner(TintypeWatch *watch, const TintypeWatchEvents *events, void *owner) {
    GtkWidget *widget = watch->widget;
    watch->events = *events;
    watch->owner = owner;
    g_signal_connect_swapped(widget, "map", G_CALLBACK(widget_mapped), watch);
    g_signal_connect_swapped(widget, "unmap", G_CALLBACK(widget_unmapped), watch);
    g_signal_connect_swapped(widget, "notify::scale-factor", G_CALLBACK(widget_scaled), watch);
    g_signal_connect_swapped(widget, "destroy", G_CALLBACK(widget_gone), watch);
    if (gtk_widget_get_mapped(widget)) widget_mapped(watch);
}

void tintype_watch_free(TintypeWatch *watch) {
    if (watch->widget) {
        unfollow_scrollers(watch);
        tintype_watch_stop_ticks(watch);
        g_signal_handlers_disconnect_by_data(watch->widget, watch);
    }
    g_free(watch);
}

bool tintype_watch_is_visible(const TintypeWatch *watch) {
    return watch->is_visible;
}

void tintype_watch_window_size(const TintypeWatch *watch, int *width, int *height) {
    GtkRoot *root = watch->widget ? gtk_widget_get_root(watch->widget) : NULL;
    *width = root ? gtk_widget_get_width(GTK_WIDGET(root)) : 0;
    *height = root ? gtk_widget_get_height(GTK_WIDGET(root)) : 0;
}

int tintype_watch_scale(const TintypeWatch *watch) {
    return watch->widget ? gtk_widget_get_scale_factor(watch->widget) : 1;
}

#endif
