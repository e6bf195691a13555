#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <gtk/gtk.h>

void *tintype_object_hold(void *object) {
    return g_object_ref_sink(object);
}

void tintype_object_drop(void *object) {
    g_object_unref(object);
}

static gboolean drop(gpointer object) {
    g_object_unref(object);
    return G_SOURCE_REMOVE;
}

void tintype_object_drop_later(void *object) {
    g_idle_add_full(G_PRIORITY_DEFAULT, drop, object, NULL);
}

GdkTexture *tintype_texture_new(
    const void *pixels, size_t byte_count, int width, int height, size_t bytes_per_row,
    void (*release)(void *owner), void *owner) {
    GBytes *bytes = g_bytes_new_with_free_func(pixels, byte_count, release, owner);
    GdkTexture *texture =
        gdk_memory_texture_new(width, height, GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, bytes, bytes_per_row);
    g_bytes_unref(bytes);
    return texture;
}

typedef struct {
    void (*gone)(void *key);
    void *key;
} Notice;

static void texture_gone(gpointer data, GObject *texture) {
    Notice *notice = data;
    notice->gone(notice->key);
    g_free(notice);
}

void tintype_texture_notify(GdkTexture *texture, void (*gone)(void *key), void *key) {
    Notice *notice = g_new(Notice, 1);
    *notice = (Notice){gone, key};
    g_object_weak_ref(G_OBJECT(texture), texture_gone, notice);
}

#endif
