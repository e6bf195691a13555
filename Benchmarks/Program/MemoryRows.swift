import CBenchmarkControls
import Foundation
import Synchronization
import Tintype
import TintypeCore

/// The memory cache beside a dictionary behind the same kind of lock.
enum MemoryRows {
    /// Arguments: the number of entries. One repetition finds each of them once, in random order, by keys of 80
    /// characters that share no storage with the stored ones.
    static func hits(_ arguments: [String]) throws -> Contest {
        let entries = try Entries(count: try arguments.number(0))
        let requests = try entries.names.map { name in
            guard let url = URL(string: name) else { throw BenchmarkError("not a URL: \(name)") }
            return ImageRequest(url: url)
        }
        var configuration = PipelineConfiguration()
        configuration.cache = ImageCache(memory: entries.cache)
        let pipeline = ImagePipeline(configuration)
        var contest = Contest()
        contest.add("ours") {
            for key in entries.keys { try check(entries.cache.image(for: key) != nil) }
        }
        contest.add("key of a string") {
            for name in entries.names { try check(entries.cache.image(for: CacheKey(source: name)) != nil) }
        }
        contest.add("request") {
            // A loop over the elements would copy each request.
            for index in requests.indices { try check(pipeline.cachedImage(for: requests[index]) != nil) }
        }
        contest.add("dictionary") {
            for name in entries.names { try check(entries.dictionary.withLock { $0[name] } != nil) }
        }
        contest.values["allocations"] = {
            control_count_allocations()
            for index in requests.indices { try check(pipeline.cachedImage(for: requests[index]) != nil) }
            return Double(control_counted_allocations()) / Double(requests.count)
        }
        return contest
    }

    /// Arguments: the number of threads. In one repetition, each thread finds 100,000 of 4,000 entries, which follow a
    /// Zipf distribution with an exponent of 0.99.
    static func threads(_ arguments: [String]) throws -> Contest {
        let entries = try Entries(count: 4_000)
        let draws = zipf(4_000, draws: 100_000)
        // Each thread has its own keys in its own order, like two views.
        let orders = (0..<(try arguments.number(0))).map { _ in
            let names = entries.names.shuffled()
            return draws.map { names[$0] }
        }
        let keys = orders.map { $0.map { CacheKey(source: $0) } }
        var contest = Contest()
        contest.add("ours") {
            DispatchQueue.concurrentPerform(iterations: keys.count) { thread in
                for key in keys[thread] { _ = entries.cache.image(for: key) }
            }
        }
        contest.add("dictionary") {
            DispatchQueue.concurrentPerform(iterations: keys.count) { thread in
                for name in orders[thread] { _ = entries.dictionary.withLock { $0[name] } }
            }
        }
        return contest
    }

    /// Arguments: the number of entries that fit. One repetition stores 10,000 new images, each of which evicts one.
    /// The dictionary evicts the oldest.
    static func stores(_ arguments: [String]) throws -> Contest {
        let capacity = try arguments.number(0)
        let names = (0..<3 * capacity).map(Entries.name)
        let keys = names.map { CacheKey(source: $0) }
        let image = try Entries.image()
        let cache = MemoryCache(limits: CacheLimits(cost: .max, count: capacity))
        let dictionary = Mutex(Dictionary(uniqueKeysWithValues: names.prefix(capacity).map { ($0, image) }))
        for key in keys.prefix(capacity) { cache.store(image, for: key) }
        let (next, nextName) = (Counter(capacity), Counter(capacity))
        var contest = Contest()
        contest.add("ours") {
            for _ in 0..<10_000 { cache.store(image, for: keys[next.increment() % keys.count]) }
        }
        contest.add("dictionary") {
            for _ in 0..<10_000 {
                let number = nextName.increment()
                let (new, old) = (names[number % names.count], names[(number - capacity) % names.count])
                dictionary.withLock { images in
                    images[new] = image
                    images[old] = nil
                }
            }
        }
        contest.values["99.9th percentile in µs"] = {
            (0..<50_000).map { _ in
                let key = keys[next.increment() % keys.count]
                let start = ContinuousClock.now
                cache.store(image, for: key)
                return (ContinuousClock.now - start) / .microseconds(1)
            }.quantile(0.999)
        }
        return contest
    }

    /// Arguments: a file with the identity of an image in each line, and the number of entries that fit.
    static func trace(_ arguments: [String]) throws -> Contest {
        let text = String(decoding: try arguments.bytes(0), as: UTF8.self)
        let keys = text.split(separator: "\n").map { CacheKey(source: String($0)) }
        let capacity = try arguments.number(1), image = try Entries.image()
        var contest = Contest()
        contest.values["misses"] = {
            let cache = MemoryCache(limits: CacheLimits(cost: .max, count: capacity))
            var misses = 0
            for key in keys where cache.image(for: key) == nil {
                misses += 1
                cache.store(image, for: key)
            }
            return Double(misses) / Double(keys.count)
        }
        return contest
    }

    /// The positions of entries by popularity.
    private static func zipf(_ count: Int, draws: Int) -> [Int] {
        var sums: [Double] = []
        for rank in 1...count { sums.append((sums.last ?? 0) + pow(Double(rank), -0.99)) }
        let total = sums[count - 1]
        return (0..<draws).map { _ in
            let value = Double.random(in: 0..<total)
            var (low, high) = (0, count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] > value { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }
}

/// A number that rises.
final class Counter {
    private var value: Int

    init(_ value: Int = 0) {
        self.value = value
    }

    /// Returns the former value.
    func increment() -> Int {
        defer { value += 1 }
        return value
    }
}

/// The same images in a cache and in a dictionary.
private final class Entries: Sendable {
    let cache = MemoryCache(limits: CacheLimits(cost: .max))
    let dictionary: Mutex<[String: Image]>
    let names: [String]
    let keys: [CacheKey]

    init(count: Int) throws {
        var images: [String: Image] = [:]
        for number in 0..<count {
            let image = try Self.image()
            images[Self.name(number)] = image
            cache.store(image, for: CacheKey(source: Self.name(number)))
        }
        dictionary = Mutex(images)
        names = (0..<count).shuffled().map(Self.name)
        keys = names.map { CacheKey(source: $0) }
    }

    static func image() throws -> Image {
        let size = PixelSize(width: 1, height: 1)
        var writer = try PixelWriter(size: size)
        writer.clear()
        return Image(pixels: writer.finish(), info: ImageInfo(format: .png, size: size))
    }

    static func name(_ number: Int) -> String {
        "https://images.example.com/"
            + "\(1_000_000 + number)/".padding(toLength: 46, withPad: "x", startingAt: 0) + "800.jpg"
    }
}
