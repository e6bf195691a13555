import Foundation

/// The resources that a run left: open descriptors and temporary files.
struct Leftovers {
    let folder: URL
    /// The number of descriptors before the run.
    let descriptorsBefore: Int

    /// Descriptors that stay open: the thread of libcurl, and the database of each cache, whose last user may close it
    /// late.
    private static let tolerated = 40

    /// Returns the problems that remain after ten seconds. Idle connections close a little later than their pipeline.
    func problems() async -> [String] {
        for _ in 0..<100 where !found.isEmpty { try? await Task.sleep(for: .milliseconds(100)) }
        return found
    }

    private var found: [String] {
        var problems: [String] = []
        let descriptors = ProcessStatus.descriptorCount
        if descriptors > descriptorsBefore + Self.tolerated {
            problems.append("\(descriptors) open descriptors, \(descriptorsBefore) before the run")
        }
        let files = temporaryFiles
        if !files.isEmpty { problems.append("\(files.count) temporary files: \(files.prefix(3))") }
        return problems
    }
}

extension Leftovers {
    /// Files in a folder of temporary files, of the process or of a cache, and unfinished files of partial bodies.
    private var temporaryFiles: [String] {
        let root = folder.path(percentEncoded: false)
        let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            let folders = path.split(separator: "/").dropLast()
            guard folders.contains("tmp") || path.hasSuffix(".new") else { return false }
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}

/// The resources of this process (proc(5)).
enum ProcessStatus {
    /// The number of open descriptors.
    static var descriptorCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// The highest resident memory so far, in bytes.
    static var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}
