import Foundation

/// The memory of the machine, or of the cgroup this process is in.
enum SystemMemory {
    /// Bytes: the smaller of the two.
    static var available: Int {
        let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        return min(machine, cgroupLimit() ?? machine)
    }

    /// `memory.max` of version 2, `memory.limit_in_bytes` of version 1; `nil` where there is no limit.
    private static func cgroupLimit() -> Int? {
        ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].lazy
            .compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
            .compactMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
            .first
    }
}
