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

    /// Those of the machine, and of this process's cgroup of version 2. The pressure levels of version 1 are not asked:
    /// to be told them takes the right to write `cgroup.event_control`, which a group's members seldom have, and where the
    /// kernel has pressure stalls too the machine's tell as much.
    static var standard: [PressureTrigger] {
        let files = ["/proc/pressure/memory", ControlGroup.current.pressureFile].compactMap(\.self)
        return files.flatMap { path in
            [
                PressureTrigger(path: path, pressure: .some, stall: 150_000),
                PressureTrigger(path: path, pressure: .critical, stall: 100_000),
            ]
        }
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

/// A descriptor that becomes urgent (`POLLPRI`) when memory is short.
struct PressureSource: Sendable {
    let descriptor: Int32
    let pressure: MemoryPressure

    /// Blocks until one of them is; returns the worst. `nil` when none will ever be again: a cgroup may be removed.
    static func wait(for sources: [PressureSource]) -> MemoryPressure? {
        var polled = sources.map { pollfd(fd: $0.descriptor, events: Int16(POLLPRI), revents: 0) }
        while poll(&polled, nfds_t(polled.count), -1) < 0 {
            guard errno == EINTR else { return nil }
        }
        let urgent = zip(sources, polled).filter { $1.revents & Int16(POLLPRI) != 0 }.map(\.0.pressure)
        return urgent.contains(.critical) ? .critical : urgent.first
    }
}
