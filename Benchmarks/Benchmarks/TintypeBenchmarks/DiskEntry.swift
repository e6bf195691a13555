import Benchmark
import Foundation
import Tintype

/// Compares entries of 10 KB in a disk cache with plain files: a thousand reads from a warm page cache, and a thousand
/// writes under new names, until the last file has its name.
func diskEntries() {
    Benchmark("DiskEntry.get", configuration: .sampling(.kilo)) { benchmark, entries in
        benchmark.sample {
            for key in entries.keys where entries.cache.entry(for: key) == nil { benchmark.error("a miss") }
        }
    } setup: {
        try await DiskEntries().filled()
    }

    Benchmark("DiskEntry.get.control", configuration: .sampling(.kilo)) { benchmark, entries in
        try benchmark.sample {
            for path in entries.paths { blackHole(try PlainFile.read(path)) }
        }
    } setup: {
        try await DiskEntries().filled()
    }

    // Each iteration uses a new folder, because ext4 waits for the disk when a file is replaced.
    Benchmark("DiskEntry.put", configuration: .sampling(.kilo, iterations: 15)) { benchmark in
        let entries = try DiskEntries()
        try await benchmark.sample { try await entries.fillCache() }
    }

    Benchmark("DiskEntry.put.control", configuration: .sampling(.kilo, iterations: 15)) { benchmark in
        let entries = try DiskEntries()
        try benchmark.sample { try entries.fillFiles() }
    }
}

private final class DiskEntries: Sendable {
    let cache: DiskCache
    let keys: [CacheKey]
    let paths: [String]
    private let bytes = Data((0..<10_240).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        let folder = try Scratch.makeFolder()
        cache = DiskCache(directory: folder.appending(path: "cache"))
        keys = (0..<1_000).map { CacheKey(source: "https://images.example.com/\($0).jpg") }
        paths = (0..<1_000).map { folder.appending(path: "\($0).jpg").path(percentEncoded: false) }
    }

    func filled() async throws -> DiskEntries {
        try await fillCache()
        try fillFiles()
        return self
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
