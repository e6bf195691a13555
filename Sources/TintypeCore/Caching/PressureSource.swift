import CEventFD
import Foundation

/// A descriptor through which the kernel reports memory pressure.
struct PressureSource: Hashable, Sendable {
    enum Kind: Sendable {
        /// A pressure-stall trigger. It becomes urgent (`POLLPRI`), at most once in its window.
        case trigger
        /// An eventfd(2) counter. It becomes readable, possibly many times a second.
        case counter
    }

    let descriptor: Int32
    let pressure: MemoryPressure
    var kind = Kind.trigger

    private var events: Int16 { kind == .trigger ? Int16(POLLPRI) : Int16(POLLIN) }

    /// Opens the sources of the machine and of this process's cgroups.
    static func standard(_ group: ControlGroup = .current) -> [PressureSource] {
        let triggers =
            ["/proc/pressure/memory"] + [group.pressureFiles.first { access($0, W_OK) == 0 }].compactMap(\.self)
        let level = group.levelFolders.first { access("\($0)/memory.pressure_level", R_OK) == 0 }
        return triggers.flatMap(PressureTrigger.all).compactMap { $0.open() }
            + [level].compactMap(\.self).flatMap { folder in
                MemoryPressure.allCases.compactMap { PressureLevel(folder: folder, pressure: $0).open() }
            }
    }

    /// Blocks until one of several sources sends a notification, or until the timeout.
    ///
    /// - Parameter timeout: Rounded up to the next second; `nil` waits forever.
    /// - Returns: The sources that sent a notification, and those that never will again because their cgroup was
    ///   removed.
    static func wait(
        for sources: [PressureSource], _ timeout: Duration?
    ) -> (urgent: [PressureSource], gone: [PressureSource]) {
        var polled = sources.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        let milliseconds = timeout.map { Int32(clamping: $0.components.seconds * 1_000 + 1_000) } ?? -1
        guard poll(&polled, nfds_t(polled.count), milliseconds) >= 0 else {
            return ([], errno == EINTR ? [] : sources)
        }
        let results = zip(sources, polled.map(\.revents))
        // A trigger whose group is gone also stays urgent forever.
        let gone = results.filter { $1 & Int16(POLLERR | POLLNVAL) != 0 }.map(\.0)
        let urgent = results.filter { $1 & $0.events != 0 && !gone.contains($0) }.map(\.0)
        for source in urgent { source.acknowledge() }
        return (urgent, gone)
    }

    /// Resets a counter, which would stay readable otherwise.
    private func acknowledge() {
        guard kind == .counter else { return }
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}

/// A pressure-stall trigger: the kernel notifies when tasks have waited for memory for `stall` within `window`.
///
/// See `Documentation/accounting/psi.rst` in the Linux source.
struct PressureTrigger: Hashable, Sendable {
    /// The pressure file of the machine or of a v2 cgroup.
    let path: String
    let pressure: MemoryPressure
    /// The total waiting time, in microseconds.
    let stall: Int
    /// The length of the window in which waiting time is counted, in microseconds. Users other than root may only use
    /// multiples of 2 s.
    var window = 2_000_000

    /// The text that registers the trigger when it is written to the file.
    var text: String { "\(pressure == .some ? "some" : "full") \(stall) \(window)" }

    /// Returns the triggers of a pressure file, one for each level.
    static func all(of path: String) -> [PressureTrigger] {
        [(.some, 150_000), (.critical, 100_000)].map { PressureTrigger(path: path, pressure: $0, stall: $1) }
    }

    /// Registers the trigger. Returns `nil` if the kernel does not support or allow it.
    func open() -> PressureSource? {
        let descriptor = Foundation.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // Includes the terminating NUL.
        let written = text.withCString { write(descriptor, $0, strlen($0) + 1) }
        guard written > 0 else {
            close(descriptor)
            return nil
        }
        return PressureSource(descriptor: descriptor, pressure: pressure)
    }
}

/// A pressure level of a v1 cgroup's memory controller, which the kernel reports through an eventfd(2).
///
/// See `Documentation/admin-guide/cgroup-v1/memory.rst`, section 11, in the Linux source.
struct PressureLevel: Hashable, Sendable {
    /// The folder of the group.
    let folder: String
    let pressure: MemoryPressure

    /// The name of the level, which is written to the group's `cgroup.event_control` after the two descriptors.
    var name: String { pressure == .some ? "medium" : "critical" }

    /// Registers for the level. Returns `nil` if there is no such group or the kernel does not allow it.
    func open() -> PressureSource? {
        let level = Foundation.open("\(folder)/memory.pressure_level", O_RDONLY | O_CLOEXEC)
        let control = Foundation.open("\(folder)/cgroup.event_control", O_WRONLY | O_CLOEXEC)
        let counter = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        defer { for descriptor in [level, control] where descriptor >= 0 { close(descriptor) } }
        guard level >= 0, control >= 0, counter >= 0, register(counter, level, control) else {
            if counter >= 0 { close(counter) }
            return nil
        }
        return PressureSource(descriptor: counter, pressure: pressure, kind: .counter)
    }

    private func register(_ counter: Int32, _ level: Int32, _ control: Int32) -> Bool {
        "\(counter) \(level) \(name)".withCString { write(control, $0, strlen($0)) } > 0
    }
}
