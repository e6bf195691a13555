#ifdef TINTYPE_GTK

#include "CTintypeGTK.h"

#include <gtk/gtk.h>

static void (*observer)(TintypeEnvironmentChange);

static void motion_changed(void) {
    if (observer) observer(TINTYPE_MOTION_CHANGED);
}

static void memory_low(GMemoryMonitor *monitor, GMemoryMonitorWarningLevel level) {
    bool is_critical = level >= G_MEMORY_MONITOR_WARNING_LEVEL_CRITICAL;
    if (observer) observer(is_critical ? TINTYPE_MEMORY_CRITICAL : TINTYPE_MEMORY_LOW);
}

/// The monitor of the desktop's power profile, for the life of the process. It answers without blocking: until the
/// system bus has answered, and without such a bus, no power is saved.
static GPowerProfileMonitor *power(void) {
    static GPowerProfileMonitor *monitor;
    if (!monitor) monitor = g_power_profile_monitor_dup_default();
    return monitor;
}

void tintype_environment_observe(void (*change)(TintypeEnvironmentChange)) {
    observer = change;
    static bool is_connected = false;
    GtkSettings *settings = gtk_settings_get_default();
    if (is_connected || !settings) return;
    is_connected = true;
    g_signal_connect(settings, "notify::gtk-enable-animations", G_CALLBACK(motion_changed), NULL);
    g_signal_connect(power(), "notify::power-saver-enabled", G_CALLBACK(motion_changed), NULL);
    // Held for the life of the process.
    g_signal_connect(g_memory_monitor_dup_default(), "low-memory-warning", G_CALLBACK(memory_low), NULL);
}

bool tintype_environment_allows_motion(void) {
    GtkSettings *settings = gtk_settings_get_default();
    if (!settings) return true;
    gboolean animates = TRUE;
    g_object_get(settings, "gtk-enable-animations", &animates, NULL);
    return animates && !g_power_profile_monitor_get_power_saver_enabled(power());
}

#endif
