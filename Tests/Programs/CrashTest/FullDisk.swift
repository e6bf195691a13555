import Foundation
import TintypeCore
import TintypeDisk
import TintypeTesting

/// Fills the disk at every write of a scenario, once or from then on. Afterwards each key must give its own bytes or a
/// miss, and the cache must work again.
///
/// A child process runs the scenario. A preloaded library (the shim) fails one system call after another. Without it, a
/// limit on the file size simulates the full disk.
struct FullDisk {
    let shim: String?

    func run() async throws {
        let points = try await shim == nil ? runWithFileSizeLimits() : runWithFailingCalls()
        print("full disk: \(points) write points, no crash, no wrong bytes, nothing damaged")
    }

    private func runWithFileSizeLimits() async throws -> Int {
        var points = 0
        for limit in stride(from: 0, through: 24_000, by: 750) {
            try await round("file size limit \(limit)") { try Child.start("scenario", $0, "\(limit)") }
            points += 1
        }
        return points
    }

    /// Fails call after call, until a run makes fewer calls than the one that should fail.
    private func runWithFailingCalls() async throws -> Int {
        var points = 0
        for mode in ["once", "ever"] {
            for point in 1... {
                var hasFailed = false
                try await round("write point \(point), \(mode)") { directory in
                    try Child.start(
                        "scenario", directory,
                        environment: [
                            "LD_PRELOAD": shim ?? "", "FULL_DISK_DIRECTORY": directory, "FULL_DISK_AT": "\(point)",
                            "FULL_DISK_MODE": mode, "FULL_DISK_NOTE": "\(directory).failed",
                        ])
                } finally: { directory in
                    hasFailed = unlink("\(directory).failed") == 0
                }
                guard hasFailed else { break }
                points += 1
                if points % 100 == 0 { CrashTest.report("\(points) write points, \(mode)") }
            }
        }
        return points
    }

    private func round(
        _ context: String, _ start: (String) throws -> Child, finally: (String) -> Void = { _ in }
    ) async throws {
        let folder = try Store.temporary()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        let child = try start(path.hasSuffix("/") ? String(path.dropLast()) : path)
        let hasSucceeded = child.wait()
        finally(path.hasSuffix("/") ? String(path.dropLast()) : path)
        guard hasSucceeded else { CrashTest.fail("the writer failed, \(context)") }
        let store = FullDiskScenario.store(folder)
        _ = store.checkEntries(mayBeDamaged: false, context)
        try await store.checkBookkeeping(context)
        let cache = store.makeCache()
        cache.store(store.sample.entry(1, word: 77), for: SampleEntry.key(1))
        try await cache.flush()
        guard store.checkEntries(mayBeDamaged: false, context) > 0 else {
            CrashTest.fail("the cache writes nothing, \(context)")
        }
    }
}

/// A scenario with some of every operation that writes. It ignores errors, as a program would.
struct FullDiskScenario {
    let directory: String
    /// The maximum size of a file in bytes, or `nil` for no limit.
    let limit: Int?

    static func store(_ directory: URL) -> Store {
        Store(directory: directory, entries: 8, sample: SampleEntry(maximumByteCount: 20_000))
    }

    func run() async throws {
        if let limit { Self.limitFiles(to: limit) }
        // The clock starts now, so that the entries are not expired for a reader that uses the system clock.
        let clock = ManualClock(start: Date())
        let store = Self.store(URL(filePath: directory))
        for part in 0..<2 {
            let cache = store.makeCache(DiskLimits(count: 6), clock.timeSource)
            let thumbnails = ThumbnailCache(beside: cache)
            for number in 0..<store.entries {
                cache.store(store.sample.entry(number, word: UInt64(part * 100 + number)), for: SampleEntry.key(number))
                try? await cache.flush()
                // After a failure the cache pauses writing for 10 s.
                clock.advance(by: .seconds(11))
                if let image = try? SampleImage.image(number, shade: UInt8(part)), number % 4 == 0 {
                    thumbnails.store(image, for: SampleEntry.key(number))
                }
            }
            try? await thumbnails.flush()
            _ = try? await cache.amend(SampleEntry.key(3)) { $0.extended = Data([1]) }
            try? await cache.remove(SampleEntry.key(part))
            _ = try? await cache.trim(to: 60_000)
            _ = try? await cache.usage()
            _ = store.checkEntries(mayBeDamaged: false, "on the full disk")
        }
    }

    /// Limits the size of files. Writing beyond it then fails with `EFBIG`, because the signal that would end the
    /// process is ignored.
    private static func limitFiles(to byteCount: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
}
