import Foundation

/// The memory of the machine, or of the cgroups this process is in.
enum SystemMemory {
    /// Bytes: the smallest of them.
    static var available: Int {
        let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        return min(machine, ControlGroup.current.memoryLimit ?? machine)
    }

    /// Bytes of the machine's memory that programs could have now without others having to give theirs back
    /// (`MemAvailable` in proc_meminfo(5)); without such a word, all.
    static var free: Int {
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        return free(meminfo: text) ?? Int(clamping: ProcessInfo.processInfo.physicalMemory)
    }

    static func free(meminfo text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
