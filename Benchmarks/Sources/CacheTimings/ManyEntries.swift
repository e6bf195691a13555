import Foundation
import Timing
import TintypeCore
import TintypeDisk

/// Measures a cache of very many small entries: opening, the first read, trimming and memory.
struct ManyEntries {
    private let folder: URL
    private let count: Int
    private let entry = CacheEntry(data: Data(repeating: 7, count: 100), format: .png)

    init(count: Int) throws {
        folder = try Scratch.makeFolder()
        self.count = count
    }

    private func cache(_ folder: URL) -> DiskCache {
        DiskCache(directory: folder, limits: DiskLimits(byteCount: .max, age: nil))
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(source: "https://images.example.com/\(number).jpg") }

    private func has(_ key: CacheKey, _ cache: DiskCache) -> Bool { cache.entry(for: key) != nil }

    func measure() async throws {
        let small = folder.appending(path: "small"), large = folder.appending(path: "large")
        try await fill(small, 10_000)
        try await fill(large, count)
        let before = Self.residentBytes
        try await measureOpening(large)
        try measureFirstGet(small, large)
        let few = try await trimTime(small), many = try await trimTime(large)
        let bytes = Double(Self.residentBytes - before) / Double(count)
        print(
            "trim of 1 %: \(many.rounded(1)) µs an entry of \(count), \(few.rounded(1)) µs of 10000: "
                + "\((many / few).rounded(2)) × (goal 1)")
        print("resident memory: \(bytes.rounded(1)) bytes an entry (goal 100)")
    }

    private func fill(_ folder: URL, _ count: Int) async throws {
        let cache = cache(folder)
        for number in 0..<count {
            cache.store(entry, for: key(number))
            if number % 10_000 == 9_999 { try await cache.flush() }
        }
        try await cache.flush()
        let usage = try await cache.usage()
        try check(usage.count == count)
    }

    private func measureOpening(_ folder: URL) async throws {
        let start = ContinuousClock.now
        let cache = cache(folder)
        let opened = ContinuousClock.now
        let usage = try await cache.usage()
        let counted = ContinuousClock.now
        try check(usage.count == count)
        print(
            "open of \(count): \(((opened - start) / .microseconds(1)).rounded(1)) µs, "
                + "with totals \(((counted - start) / .milliseconds(1)).rounded(2)) ms (goal 100)")
    }

    /// Compares the first read of a new cache with its second, for many entries and for few.
    ///
    /// Each round uses new caches and other keys. The files are read before, so that the result is the time of the
    /// cache and not of the disk.
    private func measureFirstGet(_ small: URL, _ large: URL) throws {
        let rounds = 1_001
        var times: [String: [Double]] = [:]
        for _ in 0..<rounds {
            for (name, folder, count) in [("few", small, 10_000), ("many", large, count)] {
                let keys = (0..<2).map { _ in key(Int.random(in: 0..<count)) }
                let warming = cache(folder)
                for key in keys { try check(has(key, warming)) }
                let cache = cache(folder)
                for (position, key) in zip(["first", "second"], keys) {
                    let start = ContinuousClock.now
                    try check(has(key, cache))
                    times["\(position) of \(name)", default: []].append(
                        (ContinuousClock.now - start) / .microseconds(1))
                }
            }
        }
        let medians = times.mapValues(\.median)
        func median(_ name: String) -> Double { medians[name] ?? .nan }
        print(
            "first get: \(median("first of many").rounded(2)) µs of \(count), \(median("first of few").rounded(2)) µs of "
                + "10000: \((median("first of many") / median("first of few")).rounded(2)) × (goal 1)")
        print(
            "second get: \(median("second of many").rounded(2)) µs of \(count), "
                + "\(median("second of few").rounded(2)) µs of 10000")
    }

    /// The median time to trim 1 % of the bytes, in microseconds per entry.
    private func trimTime(_ folder: URL) async throws -> Double {
        let cache = cache(folder)
        var usage = try await cache.usage()
        var times: [Double] = []
        for _ in 0..<5 {
            let start = ContinuousClock.now
            let removed = try await cache.trim(to: usage.byteCount - usage.byteCount / 100)
            times.append((ContinuousClock.now - start) / .microseconds(max(1, removed.count)))
            usage = try await cache.usage()
        }
        return times.median
    }

    private static var residentBytes: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return pages.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * sysconf(Int32(_SC_PAGESIZE)) } ?? 0
    }
}
