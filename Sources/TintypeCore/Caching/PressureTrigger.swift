import Foundation

/// A word to the kernel: tell me when tasks have waited for memory for so long within such a time.
struct PressureTrigger: Hashable, Sendable {
    let path: String
    let pressure: MemoryPressure
    /// Microseconds of waiting.
    let stall: Int
    /// Microseconds within which they count; users other than root may only name multiples of 2 s.
    var window = 2_000_000

    /// What is written to the file.
    var text: String { "\(pressure == .some ? "some" : "full") \(stall) \(window)" }

    /// Those of a file: of the machine, or of a cgroup of version 2.
    static func all(of path: String) -> [PressureTrigger] {
        [
            PressureTrigger(path: path, pressure: .some, stall: 150_000),
            PressureTrigger(path: path, pressure: .critical, stall: 100_000),
        ]
    }

    /// `nil` where the kernel does not know it or does not allow it.
    func open() -> PressureSource? {
        let descriptor = Foundation.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // With the zero at its end.
        let written = text.withCString { write(descriptor, $0, strlen($0) + 1) }
        guard written > 0 else {
            close(descriptor)
            return nil
        }
        return PressureSource(descriptor: descriptor, pressure: pressure)
    }
}
