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
    /// - Returns: The sources that sent a notification, and those that never will again because their cgroup was removed.
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
