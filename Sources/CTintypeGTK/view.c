#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <gtk/gtk.h>

/// A widget that draws two paintables, one above the other, and a child in front of them.
typedef struct {
    GtkWidget parent;
    GdkPaintable *background, *image;
    GtkWidget *overlay;
    GtkEventController *click;
    bool is_button;
    /// The button or row that contains the widget, whose state it shows; not retained.
    GtkWidget *control;
    TintypeState state;
    TintypeViewEvents events;
    void *owner;
} TintypeView;

typedef GtkWidgetClass TintypeViewClass;

G_DEFINE_FINAL_TYPE(TintypeView, tintype_view, GTK_TYPE_WIDGET)

static TintypeView *view_cast(GtkWidget *widget) {
    return G_TYPE_CHECK_INSTANCE_CAST(widget, tintype_view_get_type(), TintypeView);
}

// MARK: - Layout and drawing

static GtkSizeRequestMode view_get_request_mode(GtkWidget *widget) {
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/// The width or height of an image, given its other side if that is not negative.
static int natural_length(GdkPaintable *image, GtkOrientation orientation, int other) {
    bool is_width = orientation == GTK_ORIENTATION_HORIZONTAL;
    double ratio = gdk_paintable_get_intrinsic_aspect_ratio(image);
    if (other >= 0 && ratio > 0) return (int)ceil(is_width ? other * ratio : other / ratio);
    return is_width ? gdk_paintable_get_intrinsic_width(image) : gdk_paintable_get_intrinsic_height(image);
}

/// The natural size is that of the image; the widget may become smaller, like a GtkPicture that can shrink.
static void view_measure(
    GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
    int *natural_baseline) {
    TintypeView *self = view_cast(widget);
    *natural = self->image ? natural_length(self->image, orientation, for_size) : 0;
    *minimum = 0;
    if (!self->overlay || !gtk_widget_should_layout(self->overlay)) return;
    int least, usual;
    gtk_widget_measure(self->overlay, orientation, -1, &least, &usual, NULL, NULL);
    *minimum = least;
    *natural = MAX(*natural, usual);
}

static void view_size_allocate(GtkWidget *widget, int width, int height, int baseline) {
    TintypeView *self = view_cast(widget);
    if (self->overlay && gtk_widget_should_layout(self->overlay)) {
        gtk_widget_allocate(self->overlay, width, height, baseline, NULL);
    }
    if (self->owner) self->events.allocated(self->owner, width, height);
}

static void view_snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
    TintypeView *self = view_cast(widget);
    double width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    if (self->background) gdk_paintable_snapshot(self->background, snapshot, width, height);
    if (self->image) gdk_paintable_snapshot(self->image, snapshot, width, height);
    if (self->overlay) gtk_widget_snapshot_child(widget, self->overlay, snapshot);
}

// MARK: - State of the control

static TintypeState state_of(GtkWidget *widget) {
    GtkStateFlags flags = gtk_widget_get_state_flags(widget);
    if (flags & GTK_STATE_FLAG_INSENSITIVE) return TINTYPE_STATE_DISABLED;
    if (flags & (GTK_STATE_FLAG_ACTIVE | GTK_STATE_FLAG_PRELIGHT)) return TINTYPE_STATE_HIGHLIGHTED;
    if (flags & (GTK_STATE_FLAG_SELECTED | GTK_STATE_FLAG_CHECKED)) return TINTYPE_STATE_SELECTED;
    return TINTYPE_STATE_NORMAL;
}

static void update_state(TintypeView *self) {
    TintypeState state = state_of(self->control ? self->control : GTK_WIDGET(self));
    if (state == self->state) return;
    self->state = state;
    if (self->owner) self->events.state(self->owner, state);
}

static void control_changed(GtkWidget *control, GtkStateFlags former, gpointer data) {
    update_state(data);
}

static void forget_control(TintypeView *self) {
    if (!self->control) return;
    g_signal_handlers_disconnect_by_data(self->control, self);
    g_object_remove_weak_pointer(G_OBJECT(self->control), (gpointer *)&self->control);
    self->control = NULL;
}

/// Finds the nearest button or row of a list around the widget. GTK propagates only insensitivity to children.
static GtkWidget *find_control(GtkWidget *widget) {
    for (GtkWidget *each = gtk_widget_get_parent(widget); each; each = gtk_widget_get_parent(each)) {
        if (GTK_IS_BUTTON(each) || GTK_IS_LIST_BOX_ROW(each) || GTK_IS_FLOW_BOX_CHILD(each)) return each;
        // The rows of GtkListView and cells of GtkGridView have no public type.
        GtkWidget *list = gtk_widget_get_parent(each);
        if (list && (GTK_IS_LIST_VIEW(list) || GTK_IS_GRID_VIEW(list))) return each;
    }
    return NULL;
}

static void view_root(GtkWidget *widget) {
    TintypeView *self = view_cast(widget);
    GTK_WIDGET_CLASS(tintype_view_parent_class)->root(widget);
    self->control = find_control(widget);
    if (self->control) {
        g_signal_connect(self->control, "state-flags-changed", G_CALLBACK(control_changed), self);
        g_object_add_weak_pointer(G_OBJECT(self->control), (gpointer *)&self->control);
    }
    update_state(self);
}

static void view_unroot(GtkWidget *widget) {
    forget_control(view_cast(widget));
    GTK_WIDGET_CLASS(tintype_view_parent_class)->unroot(widget);
}

static void view_state_flags_changed(GtkWidget *widget, GtkStateFlags former) {
    update_state(view_cast(widget));
}

// MARK: - Activation

/// The handler of the signal `activate`, which a click, a key or gtk_widget_activate() emits.
static void view_activate(TintypeView *self) {
    if (self->is_button && self->owner) self->events.activated(self->owner);
}

static void clicked(GtkGestureClick *click, int presses, double x, double y, gpointer data) {
    gtk_gesture_set_state(GTK_GESTURE(click), GTK_EVENT_SEQUENCE_CLAIMED);
    gtk_widget_activate(data);
}

static void define_activation(GtkWidgetClass *class) {
    static const guint keys[] = {GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter, GDK_KEY_space};
    guint signal = g_signal_new_class_handler(
        "activate", G_OBJECT_CLASS_TYPE(class), G_SIGNAL_RUN_FIRST | G_SIGNAL_ACTION, G_CALLBACK(view_activate), NULL,
        NULL, NULL, G_TYPE_NONE, 0);
    gtk_widget_class_set_activate_signal(class, signal);
    for (size_t index = 0; index < G_N_ELEMENTS(keys); index++) {
        gtk_widget_class_add_binding_signal(class, keys[index], 0, "activate", NULL);
    }
}

void tintype_view_set_button(GtkWidget *widget, bool is_button) {
    TintypeView *self = view_cast(widget);
    self->is_button = is_button;
    // Without a phase, the controller sees no events, so that they go to the button or row around the widget.
    gtk_event_controller_set_propagation_phase(self->click, is_button ? GTK_PHASE_BUBBLE : GTK_PHASE_NONE);
    gtk_widget_set_focusable(widget, is_button);
}

// MARK: - Accessibility

void tintype_view_describe(GtkWidget *widget, const char *name, const char *description) {
    GtkAccessible *accessible = GTK_ACCESSIBLE(widget);
    if (gtk_accessible_get_accessible_role(accessible) == GTK_ACCESSIBLE_ROLE_PRESENTATION && name) {
        // Has an effect until assistive technologies have seen the widget.
        g_object_set(widget, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
    }
    if (name) {
        gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
    } else {
        gtk_accessible_reset_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL);
    }
    if (description) {
        gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
    } else {
        gtk_accessible_reset_property(accessible, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
    }
}

void tintype_view_set_busy(GtkWidget *widget, bool is_busy) {
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_BUSY, (gboolean)is_busy, -1);
}

void tintype_widget_size_request(GtkWidget *widget, int *width, int *height) {
    gtk_widget_get_size_request(widget, width, height);
}

void tintype_widget_set_class(GtkWidget *widget, const char *name, bool is_present) {
    if (is_present) {
        gtk_widget_add_css_class(widget, name);
    } else {
        gtk_widget_remove_css_class(widget, name);
    }
}

// MARK: - Contents

static void forget_paintable(TintypeView *self, GdkPaintable **paintable) {
    if (*paintable) g_signal_handlers_disconnect_by_data(*paintable, self);
    g_clear_object(paintable);
}

static void set_layer(TintypeView *self, GdkPaintable **layer, GdkPaintable *paintable) {
    if (*layer == paintable) return;
    forget_paintable(self, layer);
    if (!paintable) return;
    *layer = g_object_ref(paintable);
    g_signal_connect_swapped(paintable, "invalidate-contents", G_CALLBACK(gtk_widget_queue_draw), self);
    g_signal_connect_swapped(paintable, "invalidate-size", G_CALLBACK(gtk_widget_queue_resize), self);
}

void tintype_view_set_layers(GtkWidget *widget, GdkPaintable *background, GdkPaintable *image) {
    TintypeView *self = view_cast(widget);
    bool resizes = self->image && image
        && (gdk_paintable_get_intrinsic_width(self->image) != gdk_paintable_get_intrinsic_width(image)
            || gdk_paintable_get_intrinsic_height(self->image) != gdk_paintable_get_intrinsic_height(image));
    // One paintable in both layers would be disconnected twice.
    set_layer(self, &self->background, background == image ? NULL : background);
    set_layer(self, &self->image, image);
    gtk_widget_queue_draw(widget);
    if (resizes) gtk_widget_queue_resize(widget);
}

void tintype_view_set_overlay(GtkWidget *widget, GtkWidget *overlay) {
    TintypeView *self = view_cast(widget);
    if (self->overlay == overlay) return;
    g_clear_pointer(&self->overlay, gtk_widget_unparent);
    self->overlay = overlay;
    if (overlay) gtk_widget_set_parent(overlay, widget);
}

// MARK: - Life

static void view_dispose(GObject *object) {
    TintypeView *self = view_cast(GTK_WIDGET(object));
    forget_control(self);
    g_clear_pointer(&self->overlay, gtk_widget_unparent);
    forget_paintable(self, &self->background);
    forget_paintable(self, &self->image);
    G_OBJECT_CLASS(tintype_view_parent_class)->dispose(object);
}

static void view_finalize(GObject *object) {
    TintypeView *self = view_cast(GTK_WIDGET(object));
    if (self->owner) self->events.release(self->owner);
    G_OBJECT_CLASS(tintype_view_parent_class)->finalize(object);
}

static void tintype_view_class_init(TintypeViewClass *class) {
    GObjectClass *object = G_OBJECT_CLASS(class);
    object->dispose = view_dispose;
    object->finalize = view_finalize;
    class->get_request_mode = view_get_request_mode;
    class->measure = view_measure;
    class->size_allocate = view_size_allocate;
    class->snapshot = view_snapshot;
    class->root = view_root;
    class->unroot = view_unroot;
    class->state_flags_changed = view_state_flags_changed;
    define_activation(class);
    gtk_widget_class_set_css_name(class, "imageview");
    gtk_widget_class_set_accessible_role(class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void tintype_view_init(TintypeView *self) {
    GtkWidget *widget = GTK_WIDGET(self);
    // CSS may round the corners.
    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN);
    self->click = GTK_EVENT_CONTROLLER(gtk_gesture_click_new());
    g_signal_connect(self->click, "released", G_CALLBACK(clicked), self);
    gtk_widget_add_controller(widget, self->click);
    tintype_view_set_button(widget, false);
}

GtkWidget *tintype_view_new(void) {
    return g_object_new(tintype_view_get_type(), NULL);
}

void tintype_view_set_owner(GtkWidget *widget, const TintypeViewEvents *events, void *owner) {
    TintypeView *self = view_cast(widget);
    self->events = *events;
    self->owner = owner;
}

void *tintype_view_owner(GtkWidget *widget) {
    bool is_view = G_TYPE_CHECK_INSTANCE_TYPE(widget, tintype_view_get_type());
    return is_view ? view_cast(widget)->owner : NULL;
}

#endif
