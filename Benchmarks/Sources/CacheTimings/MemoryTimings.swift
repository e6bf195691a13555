import CBenchmarkControls
import Foundation
import Synchronization
import Timing
import TintypeCore

/// Compares memory hits with a dictionary under the same kind of lock, on one thread and on two, and measures stores
/// that evict.
final class MemoryTimings: Sendable {
    private let cache = MemoryCache(limits: CacheLimits(cost: .max))
    private let dictionary: Mutex<[String: Image]>
    private let names: [String]
    private let keys: [CacheKey]
    private let image: Image

    private static let count = 4_000

    init() throws {
        image = try Self.image()
        var images: [String: Image] = [:]
        for number in 0..<Self.count {
            let image = try Self.image()
            images[Self.name(number)] = image
            cache.store(image, for: CacheKey(source: Self.name(number)))
        }
        dictionary = Mutex(images)
        // No key shares storage with a stored one, so that each hit compares characters.
        names = (0..<Self.count).shuffled().map(Self.name)
        keys = names.map { CacheKey(source: $0) }
    }

    private static func image() throws -> Image {
        let size = PixelSize(width: 1, height: 1)
        var writer = try PixelWriter(size: size)
        writer.clear()
        return Image(pixels: writer.finish(), info: ImageInfo(format: .png, size: size))
    }

    private static func name(_ number: Int) -> String {
        "https://images.example.com/" + "\(100_000 + number)/".padding(46) + "800.jpg"
    }

    func measure() async throws {
        try await measureHit()
        try measureThreads()
        try measureEviction()
    }

    private func measureHit() async throws {
        try hits()
        control_count_allocations()
        for _ in 0..<10 { try hits() }
        let allocations = control_counted_allocations()
        print("memory hit: \(allocations) allocations in \(10 * Self.count)")
        let timing = try await Timing(rounds: 301, operations: Self.count) { _ in
            try hits()
        } control: { _ in
            for name in names { try check(dictionary.withLock { $0[name] } != nil) }
        }
        timing.report("memory hit", goal: 1.5)
    }

    private func hits() throws {
        for key in keys { try check(cache.image(for: key) != nil) }
    }

    /// Measures hits per second in total, on one thread and on two.
    private func measureThreads() throws {
        let rates = (0..<15).map { _ in (rate(threads: 1), rate(threads: 2)) }
        let (one, two) = (rates.map(\.0).median, rates.map(\.1).median)
        print(
            "memory hits: \(Int(one)) a second on one thread, \(Int(two)) on two: \((two / one).rounded(2)) × (goal 1)")
    }

    private func rate(threads: Int) -> Double {
        let rounds = 50
        // Each thread uses its own keys in its own order, like two views.
        let orders = (0..<threads).map { _ in names.shuffled().map { CacheKey(source: $0) } }
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            let keys = orders[thread]
            for _ in 0..<rounds {
                for key in keys { _ = cache.image(for: key) }
            }
        }
        return Double(threads * rounds * Self.count) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// Measures stores that evict one image each, in caches that differ a hundredfold in size.
    private func measureEviction() throws {
        for capacity in [1_000, 10_000, 100_000] {
            let cache = MemoryCache(limits: CacheLimits(cost: .max, count: capacity))
            let keys = (0..<capacity + 100_000).map { CacheKey(source: Self.name($0)) }
            for key in keys.prefix(capacity) { cache.store(image, for: key) }
            for key in keys.prefix(capacity) where Bool.random() { _ = cache.image(for: key) }
            let times = keys.dropFirst(capacity).map { key in
                let start = ContinuousClock.now
                cache.store(image, for: key)
                return (ContinuousClock.now - start) / .microseconds(1)
            }
            print(
                "store that evicts, of \(capacity): \(times.median.rounded(2)) µs, "
                    + "p99.9 \(times.quantile(0.999).rounded(2)) µs (goal 20)")
        }
    }
}
