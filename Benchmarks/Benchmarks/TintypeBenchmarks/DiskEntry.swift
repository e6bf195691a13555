import Benchmark
import Foundation
import Tintype

/// Entries of 10 KB in a disk cache and in plain files: a thousand reads of a warm page cache, and a thousand writes
/// that replace what is there, counted until the last is on disk.
func diskEntries() {
    Benchmark("DiskEntry.get", configuration: .sampling(.kilo)) { benchmark, entries in
        benchmark.sample {
            for key in entries.keys { if entries.cache.entry(for: key) == nil { benchmark.error("a miss") } }
        }
    } setup: {
        try await DiskEntries()
    }

    Benchmark("DiskEntry.get.control", configuration: .sampling(.kilo)) { benchmark, entries in
        try benchmark.sample {
            for path in entries.paths { blackHole(try PlainFile.read(path)) }
        }
    } setup: {
        try await DiskEntries()
    }

    Benchmark("DiskEntry.put", configuration: .sampling(.kilo)) { benchmark, entries in
        try await benchmark.sample { try await entries.fillCache() }
    } setup: {
        try await DiskEntries()
    }

    Benchmark("DiskEntry.put.control", configuration: .sampling(.kilo)) { benchmark, entries in
        try benchmark.sample { try entries.fillFiles() }
    } setup: {
        try await DiskEntries()
    }
}

private final class DiskEntries: Sendable {
    let cache: DiskCache
    let keys: [CacheKey]
    let paths: [String]
    private let scratch: Scratch
    private let bytes = Data((0..<10_240).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() async throws {
        let scratch = try Scratch()
        self.scratch = scratch
        cache = DiskCache(directory: scratch.url.appending(path: "cache"))
        keys = (0..<1_000).map { CacheKey(source: "https://images.example.com/\($0).jpg") }
        paths = (0..<1_000).map { scratch.path("\($0).jpg") }
        try await fillCache()
        try fillFiles()
    }

    func fillCache() async throws {
        let entry = CacheEntry(data: bytes, format: .jpeg)
        for key in keys { cache.store(entry, for: key) }
        try await cache.flush()
    }

    func fillFiles() throws {
        for path in paths { try PlainFile.replace(path, with: bytes) }
    }
}
