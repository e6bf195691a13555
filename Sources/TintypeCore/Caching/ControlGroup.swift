import Foundation

/// The cgroups that a process is in, of version 2 and of version 1's memory controller (cgroups(7)).
struct ControlGroup: Equatable, Sendable {
    /// Where the file system of version 2 is mounted, and the process's path in it.
    var unified: (mount: String, path: String)?
    /// The same for the memory controller of version 1.
    var memory: (mount: String, path: String)?

    /// That of this process.
    static var current: ControlGroup {
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        return ControlGroup(membership: text("/proc/self/cgroup"), mounts: text("/proc/self/mounts"))
    }

    /// - Parameters:
    ///   - membership: `/proc/self/cgroup`: lines of `number:controllers:path`.
    ///   - mounts: `/proc/self/mounts`: lines of `device mount type options …`.
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

    /// Files that may say how much memory there is, from the process's own group up to the root: a group above may
    /// allow less. In a container the path of the host may not exist, but the root is then the container's.
    var limitFiles: [String] {
        ["memory.max", "memory.high"].flatMap { Self.files($0, unified) } + Self.files("memory.limit_in_bytes", memory)
    }

    /// Files that may tell of the pressure of the group of version 2, the process's own first.
    var pressureFiles: [String] { Self.files("memory.pressure", unified) }

    /// Folders of version 1 that may be the group's, the process's own first.
    var levelFolders: [String] { Self.folders(memory) }

    /// Bytes; `nil` where there is no limit.
    var memoryLimit: Int? {
        limitFiles.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
            .compactMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }.min()
    }

    private static func files(_ name: String, _ group: (mount: String, path: String)?) -> [String] {
        folders(group).map { "\($0)/\(name)" }
    }

    private static func folders(_ group: (mount: String, path: String)?) -> [String] {
        guard let group else { return [] }
        var parts = group.path.split(separator: "/").filter { $0 != ".." }
        var folders: [String] = []
        while true {
            folders.append(([group.mount] + parts.map(String.init)).joined(separator: "/"))
            if parts.popLast() == nil { return folders }
        }
    }

    static func == (left: ControlGroup, right: ControlGroup) -> Bool {
        left.limitFiles == right.limitFiles
    }
}

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
