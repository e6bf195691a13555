import Foundation
import Timing
import TintypeCore
import TintypeDisk

/// Compares entries of 10 KB among many with plain files, in a warm page cache.
struct DiskTimings {
    private let cache: DiskCache
    private let files: BareFiles
    private let count: Int
    private let bytes = Data((0..<10_240).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private static let batch = 2_000

    init(count: Int) throws {
        let folder = try Scratch.makeFolder()
        cache = DiskCache(
            directory: folder.appending(path: "cache"), limits: DiskLimits(byteCount: .max, age: nil))
        files = BareFiles(folder: folder.appending(path: "files").path(percentEncoded: false))
        self.count = count
    }

    func measure() async throws {
        try await fill()
        try await measureGet()
        try await measureMiss()
        try await measurePut()
    }

    private func key(_ number: Int) -> CacheKey {
        CacheKey(source: "https://images.example.com/" + "\(100_000 + number)/".padding(46) + "800.jpg")
    }

    private func has(_ key: CacheKey) -> Bool { cache.entry(for: key) != nil }

    private func fill() async throws {
        files.makeFolders()
        let entry = CacheEntry(data: bytes, format: .jpeg)
        for number in 0..<count {
            cache.store(entry, for: key(number))
            try BareFiles.write(bytes, to: files.path(number), temporary: "\(files.folder)/temporary")
            if number % 1_000 == 999 { try await cache.flush() }
        }
        try await cache.flush()
    }

    private func measureGet() async throws {
        let order = (0..<count).shuffled()
        let batches = count / Self.batch
        let keys = order.map(key), paths = order.map(files.path)
        for key in keys { try check(has(key)) }
        // Writes the first uses, which the cache records.
        try await cache.flush()
        func indices(_ round: Int) -> Range<Int> {
            let start = round % batches * Self.batch
            return start..<start + Self.batch
        }
        let timing = try await Timing(rounds: 2 * batches, operations: Self.batch) { round in
            for index in indices(round) { try check(has(keys[index])) }
        } control: { round in
            for index in indices(round) { try BareFiles.read(paths[index]) }
        }
        timing.report("get of 10 KB among \(count)", goal: 1.2)
    }

    private func measureMiss() async throws {
        let keys = (0..<Self.batch).map { key(count + $0) }
        let paths = (0..<Self.batch).map { files.path(count + $0) }
        let timing = try await Timing(rounds: 101, operations: Self.batch) { _ in
            for key in keys { try check(!has(key)) }
        } control: { _ in
            for path in paths { try BareFiles.miss(path) }
        }
        timing.report("miss among \(count)", goal: 1.2)
    }

    private func measurePut() async throws {
        let entry = CacheEntry(data: bytes, format: .jpeg)
        let timing = try await Timing(rounds: 25, operations: Self.batch) { round in
            let first = count + round * Self.batch
            for number in first..<first + Self.batch { cache.store(entry, for: key(number)) }
            try await cache.flush()
        } control: { round in
            let first = count + round * Self.batch
            for number in first..<first + Self.batch {
                try BareFiles.write(bytes, to: files.path(number), temporary: "\(files.folder)/temporary")
            }
        }
        timing.report("put of 10 KB among \(count)", goal: 1.3)
    }
}

extension String {
    func padding(_ length: Int) -> String { padding(toLength: length, withPad: "x", startingAt: 0) }
}
