import CEventFD
import Foundation

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
