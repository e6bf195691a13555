import Foundation

/// The name of the calling thread, as debuggers and `ps -L` show it.
///
/// Foundation's `Thread.name` does not reach the system on Linux, and the C library hides its function behind a feature
/// macro; the kernel takes the name as a file (proc(5), `/proc/thread-self/comm`). Elsewhere this does nothing.
enum ThreadName {
    private static let file = "/proc/thread-self/comm"

    /// At most 15 bytes count.
    static func set(_ name: String) {
        guard let stream = fopen(file, "w") else { return }
        fputs(name, stream)
        fclose(stream)
    }

    static var current: String {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").trimmingCharacters(in: .newlines)
    }
}
