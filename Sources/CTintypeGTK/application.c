#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <gtk/gtk.h>

typedef struct {
    void (*activate)(void *owner, void *application);
    void *owner;
} Activation;

static void activated(GApplication *application, Activation *activation) {
    activation->activate(activation->owner, application);
}

int tintype_application_run(
    const char *identifier, int argc, char **argv, void (*activate)(void *owner, void *application), void *owner) {
    Activation activation = {activate, owner};
    GtkApplication *application = gtk_application_new(identifier, G_APPLICATION_NON_UNIQUE);
    g_signal_connect(application, "activate", G_CALLBACK(activated), &activation);
    int status = g_application_run(G_APPLICATION(application), argc, argv);
    g_object_unref(application);
    return status;
}

#endif
