import Foundation
import TintypeCore
import TintypeDisk
import TintypeTesting

/// One process that does to a cache all that is done to one, until it is killed. It says so whenever it has stored
/// something.
struct Writer {
    let directory: String
    let seed: UInt64

    func run() async throws {
        let cache = DiskCache(directory: URL(filePath: directory), limits: DiskLimits(byteCount: 1_500_000, count: 250))
        let thumbnails = ThumbnailCache(beside: cache)
        var random = SeededRandom(seed: seed)
        while true {
            for _ in 0..<8 { try await step(cache, thumbnails, &random) }
            try await cache.flush()
            CrashTest.tell("stored")
        }
    }

    private func step(_ cache: DiskCache, _ thumbnails: ThumbnailCache, _ random: inout SeededRandom) async throws {
        let number = Int.random(in: 0..<KillRounds.entries, using: &random)
        let key = SampleEntry.key(number)
        switch Int.random(in: 0..<40, using: &random) {
        case 0: try await cache.remove(key)
        case 1: try await cache.amend(key) { $0.extended = Data([7]) }
        case 2: _ = try await cache.trim(to: 1_000_000)
        case 3..<10:
            thumbnails.store(try SamplePicture.image(number, shade: .random(in: 0...255, using: &random)), for: key)
        case 10..<14: _ = try await cache.entry(for: key)
        default: cache.store(KillRounds.sample.entry(number, word: random.next()), for: key)
        }
    }
}
