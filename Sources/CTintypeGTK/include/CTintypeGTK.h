// The parts of GTK 4.8 for TintypeGTK: a paintable, a widget, a widget observer, timers and the bridge to the main
// actor.
//
// The header names GTK's types without their contents, so Swift code that imports it compiles without GTK, and every
// pointer to an object is an OpaquePointer. The functions exist only if the package trait GTK is enabled.
//
// Unless stated otherwise, call a function on the thread that initialized GTK. An "owner" is a pointer that is passed
// back to the callbacks; it is released exactly once, by the callback `release`.

#ifndef CTINTYPE_GTK_H
#define CTINTYPE_GTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

typedef struct _GtkWidget GtkWidget;
typedef struct _GtkListItem GtkListItem;
typedef struct _GtkListItemFactory GtkListItemFactory;
typedef struct _GdkTexture GdkTexture;
typedef struct _GdkPaintable GdkPaintable;

// MARK: - Objects

/// Adds a reference to a GObject, and returns the object. A floating reference becomes the caller's.
void *tintype_object_hold(void *object);
/// Removes a reference to a GObject.
void tintype_object_drop(void *object);
/// Removes a reference to a GObject when control returns to the main loop, so that a pointer to the object stays valid
/// for the rest of a callback.
void tintype_object_drop_later(void *object);

// MARK: - The main actor

/// The result of tintype_bridge_install().
typedef enum __attribute__((enum_extensibility(closed))) {
    /// The default main context runs the jobs of the main actor from now on.
    TINTYPE_BRIDGE_READY,
    /// It already did.
    TINTYPE_BRIDGE_WAS_READY,
    /// The calling thread is not the process's first thread, on which the main actor must run.
    TINTYPE_BRIDGE_WRONG_THREAD,
    /// libdispatch gave no descriptor for its main queue.
    TINTYPE_BRIDGE_NO_QUEUE,
} TintypeBridgeResult;

/// Makes the default main context run the jobs of libdispatch's main queue, which are those of the main actor.
TintypeBridgeResult tintype_bridge_install(void);

// MARK: - Time

/// A one-shot timer in the default main context.
typedef struct TintypeTimer TintypeTimer;

/// Creates a timer that is not set. `fire` is called on the main thread.
TintypeTimer *tintype_timer_new(void (*fire)(void *_Nullable owner), void *_Nullable owner);
/// Sets the time in microseconds of tintype_now() at which the timer fires; -1 cancels.
void tintype_timer_set(TintypeTimer *timer, int64_t time);
/// The monotonic time in microseconds.
int64_t tintype_now(void);

/// The number of dispatches of main loops that the calling thread is in: more than one in a main loop that is run
/// inside a callback.
int tintype_dispatch_depth(void);

/// Calls `body` once on the main thread, when the current frame has been drawn. Calls that become due together are
/// divided among turns of the main loop.
void tintype_after_frame(void (*body)(void *owner), void *owner);
/// Cancels the calls for an owner. Takes time in proportion to the number of waiting calls.
void tintype_cancel_after_frame(void *owner);

// MARK: - Settings of the desktop

/// A change that tintype_environment_observe() reports.
typedef enum __attribute__((enum_extensibility(closed))) {
    /// A setting of tintype_environment_allows_motion() has changed.
    TINTYPE_MOTION_CHANGED,
    /// The system is low on memory.
    TINTYPE_MEMORY_LOW,
    /// The system is about to run out of memory.
    TINTYPE_MEMORY_CRITICAL,
} TintypeEnvironmentChange;

/// Calls `change` on the main thread for every change, until the process ends. Has an effect once GTK is initialized;
/// later calls replace the callback.
void tintype_environment_observe(void (*change)(TintypeEnvironmentChange));
/// Whether images may move: the desktop animates (`gtk-enable-animations`) and does not save power.
bool tintype_environment_allows_motion(void);

// MARK: - Textures

/// Creates a texture over premultiplied RGBA pixels, without a copy. May be called on any thread.
///
/// `release` is called with `owner` once the pixels are no longer used, on any thread. The pixels must not change.
GdkTexture *tintype_texture_new(
    const void *pixels, size_t byte_count, int width, int height, size_t bytes_per_row,
    void (*release)(void *owner), void *owner);
/// Calls `gone` on the thread that drops the last reference to a texture.
void tintype_texture_notify(GdkTexture *texture, void (*gone)(void *key), void *key);

// MARK: - Paintable

/// How an image fills a rectangle of another shape. The values are those of GtkContentFit.
typedef enum __attribute__((enum_extensibility(closed))) {
    TINTYPE_FIT_FILL,
    TINTYPE_FIT_CONTAIN,
    TINTYPE_FIT_COVER,
    TINTYPE_FIT_SCALE_DOWN,
} TintypeFit;

/// Where and how one of two images is drawn during a transition.
typedef struct {
    /// From 0 to 1.
    double opacity;
    /// The offset in widths and heights of the paintable.
    double x, y;
    /// The magnification about the centre.
    double scale;
    /// The rotation about a vertical and a horizontal axis through the centre, in degrees, drawn without perspective.
    /// From 90 to 270 degrees, the image shows its back and is not drawn.
    double turn, tilt;
} TintypePose;

typedef struct {
    /// The paintable was drawn at this size in points. Reported if the size differs from that of the last drawing, and
    /// for the first drawing after tintype_paintable_request_draw(). The paintable must not be changed during the call.
    void (*drawn)(void *owner, double width, double height);
    /// The paintable is finalized.
    void (*release)(void *owner);
} TintypePaintableEvents;

/// Creates a paintable that shows nothing.
GdkPaintable *tintype_paintable_new(void);
/// Sets the receiver of the events. Call it once, immediately after creation.
void tintype_paintable_set_owner(GdkPaintable *paintable, const TintypePaintableEvents *events, void *owner);
/// Shows a texture, or nothing. During a transition, it is the new one.
void tintype_paintable_show(GdkPaintable *paintable, GdkTexture *_Nullable texture);
/// Starts a transition: the texture that is shown becomes the former one until tintype_paintable_end_transition(). The
/// same texture is also the new one until another one is shown.
void tintype_paintable_begin_transition(GdkPaintable *paintable);
/// Draws the former and the new texture in these poses.
void tintype_paintable_pose(GdkPaintable *paintable, TintypePose former, TintypePose newer);
/// Drops the former texture.
void tintype_paintable_end_transition(GdkPaintable *paintable);
/// Sets the intrinsic size in points, and the ratio of width and height. 0 is unknown.
void tintype_paintable_set_size(GdkPaintable *paintable, double width, double height, double ratio);
/// Sets how the images fill the paintable.
void tintype_paintable_set_fit(GdkPaintable *paintable, TintypeFit fit);
/// Makes the paintable report the next time that it is drawn.
void tintype_paintable_request_draw(GdkPaintable *paintable);

// MARK: - Widget observer

/// Observes where a widget is: whether it can be seen, at which scale, and its frame clock.
typedef struct TintypeWatch TintypeWatch;

typedef struct {
    /// The widget can or cannot be seen: it is mapped, and within or near the visible part of every scrolled window
    /// around it.
    void (*visible)(void *owner, bool isVisible);
    /// The number of pixels per point has changed.
    void (*scaled)(void *owner, int scale);
    /// A frame of the widget's frame clock, at a time in microseconds. Only after tintype_watch_start_ticks().
    void (*tick)(void *owner, int64_t time);
    /// The widget is being destroyed. The watch reports nothing more.
    void (*gone)(void *owner);
} TintypeWatchEvents;

/// Observes a widget, which is not retained.
TintypeWatch *tintype_watch_new(GtkWidget *widget);
/// Sets the receiver of the events, which is not released. Call it once, immediately after creation.
void tintype_watch_set_owner(TintypeWatch *watch, const TintypeWatchEvents *events, void *owner);
/// Ends the observation. May be called after the widget is gone.
void tintype_watch_free(TintypeWatch *watch);
/// Compares the position of the widget with the scrolled windows around it, after it has been drawn.
void tintype_watch_update(TintypeWatch *watch);
/// Whether the widget can be seen, as reported last.
bool tintype_watch_is_visible(const TintypeWatch *watch);
/// The size in points of the window that contains the widget; 0 if there is none.
void tintype_watch_window_size(const TintypeWatch *watch, int *width, int *height);
/// The number of pixels per point.
int tintype_watch_scale(const TintypeWatch *watch);
/// Calls `tick` at each frame.
void tintype_watch_start_ticks(TintypeWatch *watch);
/// Ends the calls of `tick`.
void tintype_watch_stop_ticks(TintypeWatch *watch);

// MARK: - Image view

/// The part of a control that a widget shows.
typedef enum __attribute__((enum_extensibility(closed))) {
    TINTYPE_STATE_NORMAL,
    TINTYPE_STATE_HIGHLIGHTED,
    TINTYPE_STATE_SELECTED,
    TINTYPE_STATE_DISABLED,
} TintypeState;

typedef struct {
    /// The widget got a size in points.
    void (*allocated)(void *owner, int width, int height);
    /// The state of the widget, or of the button or row that contains it, has changed.
    void (*state)(void *owner, TintypeState state);
    /// The user clicked the widget or pressed Enter, while it is a button.
    void (*activated)(void *owner);
    /// The widget is finalized.
    void (*release)(void *owner);
} TintypeViewEvents;

/// Creates a widget that draws two paintables, one above the other.
GtkWidget *tintype_view_new(void);
/// Sets the receiver of the events. Call it once, immediately after creation.
void tintype_view_set_owner(GtkWidget *view, const TintypeViewEvents *events, void *owner);
/// The receiver of the events of a view; NULL for another widget.
void *_Nullable tintype_view_owner(GtkWidget *widget);
/// Sets the paintables to draw. The widget has the intrinsic size of the upper one.
void tintype_view_set_layers(
    GtkWidget *view, GdkPaintable *_Nullable background, GdkPaintable *_Nullable image);
/// Shows a widget in front of the image, or none.
void tintype_view_set_overlay(GtkWidget *view, GtkWidget *_Nullable overlay);
/// Sets whether the widget is a button, which can receive the focus.
void tintype_view_set_button(GtkWidget *view, bool is_button);
/// Sets what assistive technologies read; a view without a name is decoration.
void tintype_view_describe(
    GtkWidget *view, const char *_Nullable name, const char *_Nullable description);
/// The size in points that the program requested for a widget; -1 for a side that it did not.
void tintype_widget_size_request(GtkWidget *widget, int *width, int *height);
/// Tells assistive technologies whether the image is being loaded.
void tintype_view_set_busy(GtkWidget *view, bool is_busy);
/// Adds or removes a style class.
void tintype_widget_set_class(GtkWidget *widget, const char *name, bool is_present);

// MARK: - Indicators

/// Creates a spinner for tintype_view_set_overlay().
GtkWidget *tintype_spinner_new(void);
/// Creates a progress bar for tintype_view_set_overlay().
GtkWidget *tintype_progress_bar_new(void);
/// Shows an indicator, which moves only while it is visible.
void tintype_indicator_show(GtkWidget *indicator, bool is_visible);
/// Sets a fraction from 0 to 1. A negative one is unknown: the bar pulses. A spinner ignores it.
void tintype_indicator_set_fraction(GtkWidget *indicator, double fraction);

// MARK: - Lists

typedef struct {
    /// Returns the widget of a new cell, with a floating reference or none.
    GtkWidget *_Nonnull (*_Nonnull setup)(void *owner, GtkListItem *cell);
    /// The cell shows this item.
    void (*bind)(void *owner, GtkListItem *cell, void *item);
    /// The cell no longer shows its item.
    void (*unbind)(void *owner, GtkListItem *cell);
    /// The cell is destroyed.
    void (*teardown)(void *owner, GtkListItem *cell);
    /// The factory is finalized.
    void (*release)(void *owner);
} TintypeListEvents;

/// Creates a factory for GtkListView and GtkGridView.
GtkListItemFactory *tintype_list_factory_new(const TintypeListEvents *events, void *owner);
/// The position of a cell's item in the model, which changes with the items before it; -1 for a cell without an item.
int64_t tintype_cell_position(GtkListItem *cell);
/// The text of an item that is a GtkStringObject; NULL for any other object.
const char *_Nullable tintype_item_text(void *item);

// MARK: - Programs

/// Runs a GtkApplication until its last window is closed, and returns the exit status.
int tintype_application_run(
    const char *identifier, int argc, char *_Nullable *_Nullable argv,
    void (*activate)(void *owner, void *application), void *owner);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
