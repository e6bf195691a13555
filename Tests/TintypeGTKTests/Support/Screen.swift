#if GTK
import CGTK
import Foundation
import Testing

/// An X server without a screen, in which the tests open their windows.
@MainActor enum Screen {
    private nonisolated static let server = "/usr/bin/Xvfb"

    /// Whether there is such a server. Without it, tests that need one are skipped.
    nonisolated static let isAvailable = FileManager.default.isExecutableFile(atPath: server)

    /// Starts the server and initializes GTK, when it is first called.
    static func open() throws { try started.get() }

    private static let started = Result { try start() }

    private static func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: server)
        // It ends when its last client does.
        process.arguments = ["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-terminate"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let number = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        setenv("DISPLAY", ":" + number.trimmingCharacters(in: .whitespacesAndNewlines), 1)
        // Cairo draws the same everywhere. The tests ask GTK what it would tell a screen reader.
        for (name, value) in [("GDK_BACKEND", "x11"), ("GSK_RENDERER", "cairo"), ("GTK_A11Y", "test")] {
            setenv(name, value, 1)
        }
        for name in ["WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "GDK_SCALE"] { unsetenv(name) }
        try #require(gtk_init_check() != 0, "GTK cannot open the display :\(number)")
        DesktopSettings.replacePowerMonitor()
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where no window can be opened.
    static var needsScreen: Self { .enabled(if: Screen.isAvailable, "needs Xvfb") }
}
#endif
