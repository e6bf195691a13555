import Foundation
import TintypeCore
import TintypeDisk
import TintypeTesting

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
                if let image = try? SamplePicture.image(number, shade: UInt8(part)), number % 4 == 0 {
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
