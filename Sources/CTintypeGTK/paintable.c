#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <gtk/gtk.h>

/// A paintable that shows a texture, or two of them during a transition. It draws without entering Swift.
typedef struct {
    GObject parent;
    GdkTexture *texture;
    /// The texture that is being replaced; NULL without a transition.
    GdkTexture *former;
    bool is_in_transition;
    TintypePose former_pose, pose;
    double width, height, ratio;
    /// The size when it was last drawn.
    double drawn_width, drawn_height;
    TintypeFit fit;
    bool reports_draw;
    TintypePaintableEvents events;
    void *owner;
} TintypePaintable;

typedef GObjectClass TintypePaintableClass;

static void paintable_init_interface(GdkPaintableInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(
    TintypePaintable, tintype_paintable, G_TYPE_OBJECT,
    G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, paintable_init_interface))

static TintypePaintable *paintable_cast(GdkPaintable *paintable) {
    return G_TYPE_CHECK_INSTANCE_CAST(paintable, tintype_paintable_get_type(), TintypePaintable);
}

static const TintypePose upright = {.opacity = 1, .scale = 1};

// MARK: - Drawing

/// The rectangle in which a texture is drawn, inside one of `width` and `height`.
static graphene_rect_t fitted(const TintypePaintable *self, GdkTexture *texture, double width, double height) {
    double across = width / gdk_texture_get_width(texture);
    double down = height / gdk_texture_get_height(texture);
    double scale = 1;
    switch (self->fit) {
    case TINTYPE_FIT_FILL: return GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height);
    case TINTYPE_FIT_CONTAIN: scale = MIN(across, down); break;
    case TINTYPE_FIT_COVER: scale = MAX(across, down); break;
    case TINTYPE_FIT_SCALE_DOWN: {
        // The texture may be smaller than the image, because it was decoded to the size that is shown.
        double natural = self->width > 0 ? self->width / gdk_texture_get_width(texture) : 1;
        scale = MIN(MIN(across, down), natural);
        break;
    }
    }
    double w = gdk_texture_get_width(texture) * scale, h = gdk_texture_get_height(texture) * scale;
    return GRAPHENE_RECT_INIT(
        (float)((width - w) / 2), (float)((height - h) / 2), (float)w, (float)h);
}

static bool shows_front(TintypePose pose) {
    return cos(pose.turn * G_PI / 180) > 0 && cos(pose.tilt * G_PI / 180) > 0;
}

/// Moves the origin so that what is drawn next has the pose.
static void apply(GtkSnapshot *snapshot, TintypePose pose, double width, double height) {
    graphene_point_t centre = GRAPHENE_POINT_INIT(
        (float)(width * (0.5 + pose.x)), (float)(height * (0.5 + pose.y)));
    gtk_snapshot_translate(snapshot, &centre);
    // Without perspective: GTK's Cairo renderer cannot draw it, and paints a pink rectangle instead.
    double across = pose.scale * cos(pose.turn * G_PI / 180), down = pose.scale * cos(pose.tilt * G_PI / 180);
    if (across != 1 || down != 1) gtk_snapshot_scale(snapshot, (float)across, (float)down);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)(-width / 2), (float)(-height / 2)));
}

static void draw(
    const TintypePaintable *self, GtkSnapshot *snapshot, GdkTexture *texture, TintypePose pose, double width,
    double height) {
    if (!texture || pose.opacity <= 0 || pose.scale <= 0 || !shows_front(pose)) return;
    graphene_rect_t rectangle = fitted(self, texture, width, height);
    bool is_cut = self->fit == TINTYPE_FIT_COVER;
    gtk_snapshot_save(snapshot);
    if (pose.opacity < 1) gtk_snapshot_push_opacity(snapshot, pose.opacity);
    apply(snapshot, pose, width, height);
    if (is_cut) gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    gtk_snapshot_append_texture(snapshot, texture, &rectangle);
    if (is_cut) gtk_snapshot_pop(snapshot);
    if (pose.opacity < 1) gtk_snapshot_pop(snapshot);
    gtk_snapshot_restore(snapshot);
}

static void paintable_snapshot(GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height) {
    TintypePaintable *self = paintable_cast(paintable);
    if (width > 0 && height > 0) {
        if (self->is_in_transition) {
            gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
            draw(self, snapshot, self->former, self->former_pose, width, height);
            draw(self, snapshot, self->texture, self->pose, width, height);
            gtk_snapshot_pop(snapshot);
        } else {
            draw(self, snapshot, self->texture, self->pose, width, height);
        }
    }
    bool is_resized = width != self->drawn_width || height != self->drawn_height;
    if (!self->owner || (!self->reports_draw && !is_resized)) return;
    self->reports_draw = false;
    self->drawn_width = width;
    self->drawn_height = height;
    self->events.drawn(self->owner, width, height);
}

// MARK: - Interface

static GdkPaintable *paintable_get_current_image(GdkPaintable *paintable) {
    TintypePaintable *self = paintable_cast(paintable);
    if (self->texture) return g_object_ref(GDK_PAINTABLE(self->texture));
    return gdk_paintable_new_empty((int)self->width, (int)self->height);
}

static int paintable_get_intrinsic_width(GdkPaintable *paintable) {
    return (int)ceil(paintable_cast(paintable)->width);
}

static int paintable_get_intrinsic_height(GdkPaintable *paintable) {
    return (int)ceil(paintable_cast(paintable)->height);
}

static double paintable_get_intrinsic_aspect_ratio(GdkPaintable *paintable) {
    return paintable_cast(paintable)->ratio;
}

static void paintable_init_interface(GdkPaintableInterface *interface) {
    interface->snapshot = paintable_snapshot;
    interface->get_current_image = paintable_get_current_image;
    interface->get_intrinsic_width = paintable_get_intrinsic_width;
    interface->get_intrinsic_height = paintable_get_intrinsic_height;
    interface->get_intrinsic_aspect_ratio = paintable_get_intrinsic_aspect_ratio;
}

static void paintable_finalize(GObject *object) {
    TintypePaintable *self = paintable_cast((GdkPaintable *)object);
    g_clear_object(&self->texture);
    g_clear_object(&self->former);
    if (self->owner) self->events.release(self->owner);
    G_OBJECT_CLASS(tintype_paintable_parent_class)->finalize(object);
}

static void tintype_paintable_class_init(TintypePaintableClass *class) {
    class->finalize = paintable_finalize;
}

static void tintype_paintable_init(TintypePaintable *self) {
    self->pose = self->former_pose = upright;
    self->fit = TINTYPE_FIT_CONTAIN;
}

// MARK: - Functions

GdkPaintable *tintype_paintable_new(void) {
    return g_object_new(tintype_paintable_get_type(), NULL);
}

void tintype_paintable_set_owner(GdkPaintable *paintable, const TintypePaintableEvents *events, void *owner) {
    TintypePaintable *self = paintable_cast(paintable);
    self->events = *events;
    self->owner = owner;
}

void tintype_paintable_show(GdkPaintable *paintable, GdkTexture *texture) {
    TintypePaintable *self = paintable_cast(paintable);
    if (g_set_object(&self->texture, texture)) gdk_paintable_invalidate_contents(paintable);
}

void tintype_paintable_begin_transition(GdkPaintable *paintable) {
    TintypePaintable *self = paintable_cast(paintable);
    // It stays as the new one as well: the new image may have the same pixels.
    g_set_object(&self->former, self->texture);
    self->is_in_transition = true;
}

void tintype_paintable_pose(GdkPaintable *paintable, TintypePose former, TintypePose newer) {
    TintypePaintable *self = paintable_cast(paintable);
    self->former_pose = former;
    self->pose = newer;
    gdk_paintable_invalidate_contents(paintable);
}

void tintype_paintable_end_transition(GdkPaintable *paintable) {
    TintypePaintable *self = paintable_cast(paintable);
    if (!self->is_in_transition) return;
    self->is_in_transition = false;
    g_clear_object(&self->former);
    self->pose = upright;
    gdk_paintable_invalidate_contents(paintable);
}

void tintype_paintable_set_size(GdkPaintable *paintable, double width, double height, double ratio) {
    TintypePaintable *self = paintable_cast(paintable);
    if (self->width == width && self->height == height && self->ratio == ratio) return;
    self->width = width;
    self->height = height;
    self->ratio = ratio;
    // Only now: it makes every widget around the image compute its layout again.
    gdk_paintable_invalidate_size(paintable);
}

void tintype_paintable_set_fit(GdkPaintable *paintable, TintypeFit fit) {
    TintypePaintable *self = paintable_cast(paintable);
    if (self->fit == fit) return;
    self->fit = fit;
    gdk_paintable_invalidate_contents(paintable);
}

void tintype_paintable_request_draw(GdkPaintable *paintable) {
    TintypePaintable *self = paintable_cast(paintable);
    if (self->reports_draw) return;
    self->reports_draw = true;
    // A view that is already drawn is drawn again.
    gdk_paintable_invalidate_contents(paintable);
}

#endif
