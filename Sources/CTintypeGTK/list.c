#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <gtk/gtk.h>

typedef struct {
    TintypeListEvents events;
    void *owner;
} Factory;

static void cell_setup(GtkListItemFactory *factory, GtkListItem *cell, Factory *self) {
    gtk_list_item_set_child(cell, self->events.setup(self->owner, cell));
}

static void cell_bind(GtkListItemFactory *factory, GtkListItem *cell, Factory *self) {
    self->events.bind(self->owner, cell, gtk_list_item_get_item(cell));
}

static void cell_unbind(GtkListItemFactory *factory, GtkListItem *cell, Factory *self) {
    self->events.unbind(self->owner, cell);
}

static void cell_teardown(GtkListItemFactory *factory, GtkListItem *cell, Factory *self) {
    self->events.teardown(self->owner, cell);
    gtk_list_item_set_child(cell, NULL);
}

static void factory_gone(gpointer data, GObject *factory) {
    Factory *self = data;
    self->events.release(self->owner);
    g_free(self);
}

GtkListItemFactory *tintype_list_factory_new(const TintypeListEvents *events, void *owner) {
    Factory *self = g_new(Factory, 1);
    *self = (Factory){*events, owner};
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(cell_setup), self);
    g_signal_connect(factory, "bind", G_CALLBACK(cell_bind), self);
    g_signal_connect(factory, "unbind", G_CALLBACK(cell_unbind), self);
    g_signal_connect(factory, "teardown", G_CALLBACK(cell_teardown), self);
    g_object_weak_ref(G_OBJECT(factory), factory_gone, self);
    return factory;
}

int64_t tintype_cell_position(GtkListItem *cell) {
    guint position = gtk_list_item_get_position(cell);
    return position == GTK_INVALID_LIST_POSITION ? -1 : (int64_t)position;
}

const char *tintype_item_text(void *item) {
    return GTK_IS_STRING_OBJECT(item) ? gtk_string_object_get_string(item) : NULL;
}

#endif
