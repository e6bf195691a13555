#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <gtk/gtk.h>

GtkWidget *tintype_spinner_new(void) {
    GtkWidget *spinner = gtk_spinner_new();
    gtk_widget_set_halign(spinner, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(spinner, GTK_ALIGN_CENTER);
    gtk_widget_set_visible(spinner, FALSE);
    gtk_widget_set_can_target(spinner, FALSE);
    return spinner;
}

GtkWidget *tintype_progress_bar_new(void) {
    GtkWidget *bar = gtk_progress_bar_new();
    gtk_widget_set_valign(bar, GTK_ALIGN_END);
    gtk_widget_set_visible(bar, FALSE);
    gtk_widget_set_can_target(bar, FALSE);
    return bar;
}

void tintype_indicator_show(GtkWidget *indicator, bool is_visible) {
    gtk_widget_set_visible(indicator, is_visible);
    // A spinner that is not shown need not spin.
    if (GTK_IS_SPINNER(indicator)) gtk_spinner_set_spinning(GTK_SPINNER(indicator), is_visible);
    if (GTK_IS_PROGRESS_BAR(indicator) && !is_visible) gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(indicator), 0);
}

void tintype_indicator_set_fraction(GtkWidget *indicator, double fraction) {
    if (!GTK_IS_PROGRESS_BAR(indicator)) return;
    if (fraction < 0) {
        gtk_progress_bar_pulse(GTK_PROGRESS_BAR(indicator));
    } else {
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(indicator), fraction);
    }
}

#endif
