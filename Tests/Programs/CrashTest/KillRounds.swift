import Foundation
import TintypeCore
import TintypeDisk
import TintypeTesting

/// Lets several processes write to one directory and kills them, again and again. After each round every key must give
/// its own bytes or a miss, and no file may be damaged.
struct KillRounds {
    let count: Int

    static let entries = 400
    static let sample = SampleEntry(maximumByteCount: 16_000)
    private static let writers = 3

    func run() async throws {
        let folder = try Store.temporary()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = Store(directory: folder, entries: Self.entries, sample: Self.sample)
        var random = SeededRandom.printed("kills")
        var correctReads = 0
        for round in 0..<count {
            try killWriters(in: folder, afterFirstStore: round % 2 == 1, &random)
            correctReads += store.checkEntries(mayBeDamaged: false, "round \(round)")
            if round % 100 == 99 { CrashTest.report("\(round + 1) rounds, \(correctReads) correct reads") }
            if round % 10 == 9 || round == count - 1 { try await store.checkBookkeeping("round \(round)") }
        }
        guard correctReads > 0 else { CrashTest.fail("no writer ever wrote an entry") }
        print("kills: \(count) rounds of \(Self.writers) writers, \(correctReads) correct reads, no wrong bytes")
    }

    /// - Parameter afterFirstStore: Whether to wait for the first store. On a busy machine all writers would otherwise
    ///   be killed before they have begun.
    private func killWriters(in folder: URL, afterFirstStore: Bool, _ random: inout SeededRandom) throws {
        let progress = Pipe()
        let output = progress.fileHandleForWriting
        let writers = try (0..<Self.writers).map { _ in
            try Child.start(
                "write", folder.path(percentEncoded: false), "\(random.next() >> 2)", output: output.fileDescriptor)
        }
        try output.close()
        if afterFirstStore { _ = try progress.fileHandleForReading.read(upToCount: 1) }
        for writer in writers {
            // The delay covers the time from before the start to long after it.
            usleep(UInt32.random(in: 0..<60_000, using: &random))
            kill(writer.processIdentifier, SIGKILL)
        }
        for writer in writers { writer.wait() }
    }
}

/// A process that performs every operation on a cache until it is killed. It prints a line after each round of stores.
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
            CrashTest.report("stored")
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
            thumbnails.store(try SampleImage.image(number, shade: .random(in: 0...255, using: &random)), for: key)
        case 10..<14: _ = try await cache.entry(for: key)
        default: cache.store(KillRounds.sample.entry(number, word: random.next()), for: key)
        }
    }
}
