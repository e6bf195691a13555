import CEventFD
import Foundation

/// A descriptor by which the kernel says that memory is short.
struct PressureSource: Hashable, Sendable {
    enum Kind: Sendable {
        /// Becomes urgent (`POLLPRI`), once in the window of its trigger.
        case trigger
        /// Becomes readable, and counts (eventfd(2)); may do so many times a second.
        case counter
    }

    let descriptor: Int32
    let pressure: MemoryPressure
    var kind = Kind.trigger

    private var events: Int16 { kind == .trigger ? Int16(POLLPRI) : Int16(POLLIN) }

    /// Those of the machine, and of this process's cgroups.
    static func standard(_ group: ControlGroup = .current) -> [PressureSource] {
        let triggers =
            ["/proc/pressure/memory"] + [group.pressureFiles.first { access($0, W_OK) == 0 }].compactMap(\.self)
        let level = group.levelFolders.first { access("\($0)/memory.pressure_level", R_OK) == 0 }
        return triggers.flatMap(PressureTrigger.all).compactMap { $0.open() }
            + [level].compactMap(\.self).flatMap { folder in
                MemoryPressure.allCases.compactMap { PressureLevel(folder: folder, pressure: $0).open() }
            }
    }

    /// Blocks until one of some sources says something, or for so long.
    ///
    /// - Returns: which did, and which never will again: a cgroup may be removed.
    static func wait(
        for sources: [PressureSource], _ timeout: Duration?
    ) -> (urgent: [PressureSource], gone: [PressureSource]) {
        var polled = sources.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        let milliseconds = timeout.map { Int32(clamping: $0.components.seconds * 1_000 + 1_000) } ?? -1
        guard poll(&polled, nfds_t(polled.count), milliseconds) >= 0 else {
            return ([], errno == EINTR ? [] : sources)
        }
        let answers = zip(sources, polled.map(\.revents))
        // A trigger whose group is gone is urgent for ever, too.
        let gone = answers.filter { $1 & Int16(POLLERR | POLLNVAL) != 0 }.map(\.0)
        let urgent = answers.filter { $1 & $0.events != 0 && !gone.contains($0) }.map(\.0)
        for source in urgent { source.acknowledge() }
        return (urgent, gone)
    }

    /// Sets a counter back, or it would stay readable.
    private func acknowledge() {
        guard kind == .counter else { return }
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}

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

/// A word to the memory controller of a cgroup of version 1: tell me when it has become hard to find memory for this group
/// (`Documentation/admin-guide/cgroup-v1/memory.rst` of Linux, 11).
struct PressureLevel: Hashable, Sendable {
    /// The folder of the group.
    let folder: String
    let pressure: MemoryPressure

    /// What is written to the group's `cgroup.event_control`, beside the two descriptors.
    var name: String { pressure == .some ? "medium" : "critical" }

    /// `nil` where there is no such group, or the kernel does not allow it.
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
