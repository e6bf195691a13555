import Foundation

/// The cgroups of a process in the unified hierarchy (v2) and in the v1 memory controller. See cgroups(7).
struct ControlGroup: Equatable, Sendable {
    /// The mount point of the v2 file system and the path of the process's group in it; `nil` if there is none.
    var unified: (mount: String, path: String)?
    /// The same for the v1 memory controller.
    var memory: (mount: String, path: String)?

    /// The groups of this process.
    static var current: ControlGroup {
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        return ControlGroup(membership: text("/proc/self/cgroup"), mounts: text("/proc/self/mounts"))
    }

    /// Parses the groups of a process. Malformed lines are skipped.
    ///
    /// - Parameters:
    ///   - membership: The text of `/proc/self/cgroup`: lines of `number:controllers:path`.
    ///   - mounts: The text of `/proc/self/mounts`: lines of `device mount type options …`.
    init(membership: String, mounts: String) {
        let mounted = mounts.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count >= 4 }
        for line in membership.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[1].isEmpty {
                unified = mounted.first { $0[2] == "cgroup2" }.map { (String($0[1]), String(fields[2])) }
            } else if fields[1].split(separator: ",").contains("memory") {
                memory = mounted.first { $0[2] == "cgroup" && $0[3].split(separator: ",").contains("memory") }
                    .map { (String($0[1]), String(fields[2])) }
            }
        }
    }

    /// The files that may set a memory limit, from the process's own group up to the root.
    ///
    /// Ancestors are included because a parent may set a lower limit. In a container, the path of the host may not
    /// exist, but the root of the hierarchy is the group of the container.
    var limitFiles: [String] {
        ["memory.max", "memory.high"].flatMap { Self.files($0, unified) } + Self.files("memory.limit_in_bytes", memory)
    }

    /// The pressure files of the v2 group and its ancestors, the process's own group first.
    var pressureFiles: [String] { Self.files("memory.pressure", unified) }

    /// The folders of the v1 group and its ancestors, the process's own group first.
    var levelFolders: [String] { Self.folders(memory) }

    /// The lowest memory limit in bytes; `nil` if there is none.
    var memoryLimit: Int? {
        limitFiles.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
            .compactMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.min()
    }

    private static func files(_ name: String, _ group: (mount: String, path: String)?) -> [String] {
        folders(group).map { "\($0)/\(name)" }
    }

    private static func folders(_ group: (mount: String, path: String)?) -> [String] {
        guard let group else { return [] }
        var components = group.path.split(separator: "/").filter { $0 != ".." }
        var folders: [String] = []
        while true {
            folders.append(([group.mount] + components.map(String.init)).joined(separator: "/"))
            if components.popLast() == nil { return folders }
        }
    }

    static func == (left: ControlGroup, right: ControlGroup) -> Bool {
        left.limitFiles == right.limitFiles
    }
}

/// The memory of the machine, limited by the cgroups of this process.
package enum SystemMemory {
    /// The bytes of memory that this process may use: the machine's memory or the lowest cgroup limit.
    package static var available: Int {
        let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        return min(machine, ControlGroup.current.memoryLimit ?? machine)
    }

    /// The bytes of the machine's memory that are available without swapping (`MemAvailable` in proc_meminfo(5)); all
    /// of its memory if the kernel does not report it.
    static var free: Int {
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        return free(meminfo: text) ?? Int(clamping: ProcessInfo.processInfo.physicalMemory)
    }

    /// Returns `MemAvailable` in bytes from the text of `/proc/meminfo`, or `nil` if it is missing.
    static func free(meminfo text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
