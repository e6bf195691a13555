import Foundation

/// The memory of the machine, or of the cgroups this process is in.
enum SystemMemory {
    /// Bytes: the smallest of them.
    static var available: Int {
        let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        return min(machine, ControlGroup.current.memoryLimit ?? machine)
    }
}
