import Foundation
import TintypeCore
import TintypeDisk

/// A directory with a disk cache and its thumbnails, and what must be true of it.
struct Store {
    let directory: URL
    let entries: Int
    let sample: SampleEntry

    func makeCache(_ limits: DiskLimits = DiskLimits(), _ time: TimeSource = .system) -> DiskCache {
        DiskCache(directory: directory, limits: limits, time: time)
    }

    /// How many of the keys gave their bytes; that the others gave nothing is what is checked.
    ///
    /// - Parameter mayBeDamaged: whether files may have been changed behind the cache's back.
    func checked(mayBeDamaged: Bool, _ context: String) -> Int {
        let cache = makeCache()
        let thumbnails = ThumbnailCache(beside: cache)
        var found = 0
        for number in 0..<entries {
            if let entry = cache.entry(for: SampleEntry.key(number)) {
                guard sample.isSound(entry, number) else { CrashTest.fail("wrong bytes for \(number), \(context)") }
                found += 1
            }
            if let image = thumbnails.image(for: SampleEntry.key(number)) {
                guard SamplePicture.isSound(image, number) else {
                    CrashTest.fail("wrong pixels for \(number), \(context)")
                }
                found += 1
            }
        }
        let damaged = cache.stats.damaged + thumbnails.disk.stats.damaged
        guard mayBeDamaged || damaged == 0 else { CrashTest.fail("\(damaged) damaged entries, \(context)") }
        return found
    }

    /// That the bookkeeping says what the files are, and that no half-written file is left.
    func checkBookkeeping(_ context: String) async throws {
        for cache in [makeCache(), ThumbnailCache(beside: makeCache()).disk] {
            let usage = try await cache.usage()
            let files = Self.files(cache.directory.appending(path: "v2/entries"))
            let bytes = files.reduce(0) { $0 + $1.byteCount }
            guard usage == DiskUsage(count: files.count, byteCount: bytes) else {
                CrashTest.fail("\(usage) in the books, \(files.count) files of \(bytes) bytes, \(context)")
            }
            let left = Self.files(cache.directory.appending(path: "v2/tmp"))
            guard left.isEmpty else { CrashTest.fail("\(left.count) half-written files are left, \(context)") }
        }
    }

    /// Every regular file below a folder.
    static func files(_ folder: URL) -> [(path: String, byteCount: Int)] {
        let root = folder.path(percentEncoded: false)
        let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
        return all.compactMap { name in
            var facts = stat()
            let path = "\(root)/\(name)"
            guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
            return (path, Int(facts.st_size))
        }
    }

    static func temporary() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
