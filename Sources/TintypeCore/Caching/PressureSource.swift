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
