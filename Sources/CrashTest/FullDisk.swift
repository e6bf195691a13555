import Foundation
import TintypeCore
import TintypeDisk
import TintypeTesting

/// A disk that is full at every point at which something is written, once and from then on: each key gives right bytes or
/// nothing afterwards, and the cache works again.
///
/// A child does the writing. Its disk is made full by a library that is loaded before the C library and fails one call
/// after another; or, without one, by a limit on the size of files, which needs no more than this program.
struct FullDisk {
    let shim: String?

    func run() async throws {
        let points = try await shim == nil ? limits() : failures()
        print("full disk: \(points) write points, no crash, no wrong bytes, nothing damaged")
    }

    private func limits() async throws -> Int {
        var points = 0
        for limit in stride(from: 0, through: 24_000, by: 750) {
            try await round("files of \(limit) bytes") { try Child.start("scenario", $0, "\(limit)") }
            points += 1
        }
        return points
    }

    /// Until a run makes fewer calls than the one that was to fail.
    private func failures() async throws -> Int {
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
                if points % 100 == 0 { CrashTest.tell("\(points) write points, \(mode)") }
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
        let hasEndedWell = child.wait()
        finally(path.hasSuffix("/") ? String(path.dropLast()) : path)
        guard hasEndedWell else { CrashTest.fail("the writer did not end well, \(context)") }
        let store = FullDiskScenario.store(folder)
        _ = store.checked(mayBeDamaged: false, context)
        try await store.checkBookkeeping(context)
        let cache = store.makeCache()
        cache.store(store.sample.entry(1, word: 77), for: SampleEntry.key(1))
        try await cache.flush()
        guard store.checked(mayBeDamaged: false, context) > 0 else {
            CrashTest.fail("nothing can be written, \(context)")
        }
    }
}

/// A little of everything that writes; what fails is passed over, as a program would.
struct FullDiskScenario {
    let directory: String
    /// Bytes that a file may have; `nil` is as many as it wants.
    let limit: Int?

    static func store(_ directory: URL) -> Store {
        Store(directory: directory, entries: 8, sample: SampleEntry(largest: 20_000))
    }

    func run() async throws {
        if let limit { Self.limitFiles(to: limit) }
        // Near to now, or what is written would be over for whoever looks at it by the clock of the machine.
        let clock = ManualClock(start: Date())
        let store = Self.store(URL(filePath: directory))
        for part in 0..<2 {
            let cache = store.makeCache(DiskLimits(count: 6), clock.timeSource)
            let thumbnails = ThumbnailCache(beside: cache)
            for number in 0..<store.entries {
                cache.store(store.sample.entry(number, word: UInt64(part * 100 + number)), for: SampleEntry.key(number))
                try? await cache.flush()
                // After a failure nothing is tried for a while.
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
            _ = store.checked(mayBeDamaged: false, "on the full disk")
        }
    }

    /// Writing beyond it fails with `EFBIG` instead of ending the process.
    private static func limitFiles(to byteCount: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
}
