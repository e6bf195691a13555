import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

/// Runs every operation of every cache from several tasks at once, on few keys and with limits that are always
/// exceeded. It is meant for the thread sanitizer. Whatever a key returns always belongs to that key.
@Suite(.timeLimited) struct CacheStressTests {
    private let folder: TemporaryFolder
    private let cache: any ImageCaching
    private let tiers: [ImageCache]

    private static let keys = (0..<24).map { CacheKey(source: "\($0)", rendition: $0 % 3 == 0 ? "" : "r") }

    init() throws {
        folder = try TemporaryFolder()
        let url = folder.url
        tiers = (0..<2).map { number in
            // Both use one directory, as two processes would.
            let disk = DiskCache(directory: url, limits: DiskLimits(byteCount: 60_000, count: 16, expiry: .access))
            return ImageCache(
                memory: MemoryCache(
                    limits: CacheLimits(cost: 16_000, count: 20, age: .seconds(1)), findsLivingImages: number == 0),
                disk: disk,
                pixels: ThumbnailCache(
                    directory: url.appending(path: "thumbnails"), limits: DiskLimits(byteCount: 40_000)))
        }
        cache = ImageCache.chain(tiers, store: .concurrent)
    }

    private static var rounds: Int {
        ProcessInfo.processInfo.environment["TINTYPE_STRESS"].flatMap { Int($0) }.map { $0 / 40 } ?? 300
    }

    @Test func concurrentOperationsNeverMixUpKeys() async throws {
        var seeds = SeededRandom.printed("caches")
        let seed = seeds.next()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    var random = SeededRandom(seed: seed &+ UInt64(number))
                    for _ in 0..<Self.rounds { await step(&random) }
                }
            }
        }
        try await cache.flush()
        for key in Self.keys { try await check(key) }
        for tier in tiers {
            guard let disk = tier.disk as? DiskCache else { continue }
            #expect(disk.stats.damaged == 0)
            #expect(try await disk.usage().count <= 24)
        }
    }

    private func step(_ random: inout SeededRandom) async {
        guard let key = Self.keys.randomElement(using: &random), let number = Self.keys.firstIndex(of: key) else {
            return
        }
        let tier = tiers[Int.random(in: 0..<2, using: &random)]
        let size = Int.random(in: 1...9, using: &random)
        do {
            switch Int.random(in: 0..<24, using: &random) {
            case 0..<6: try await check(key)
            case 6..<9: cache.store(try Self.image(number, size), for: key)
            case 9..<12: cache.store(Self.entry(number, size), for: key)
            case 12..<14: cache.storePixels(try Self.image(number, size), for: key)
            case 14: try await cache.remove(key, from: CacheTiers(rawValue: .random(in: 0...7, using: &random)))
            case 15: _ = try await cache.tiers(holding: key)
            case 16: try await cache.clear(CacheTiers(rawValue: .random(in: 0...7, using: &random)))
            case 17: try await cache.flush()
            case 18: memory(of: tier)?.trim(to: 2_000 * size)
            case 19: memory(of: tier)?.limits = CacheLimits(cost: 4_000 * size, count: 3 * size, age: .seconds(size))
            default: try await upkeep(tier, key, size)
            }
        } catch {
            Issue.record(error)
        }
    }

    private func memory(of tier: ImageCache) -> MemoryCache? { tier.memory as? MemoryCache }

    private func upkeep(_ tier: ImageCache, _ key: CacheKey, _ size: Int) async throws {
        guard let disk = tier.disk as? DiskCache else { return }
        switch size {
        case 1: _ = try await disk.trim(to: 20_000)
        case 2: _ = try await disk.trim()
        case 3: _ = try await disk.usage()
        case 4: _ = disk.stats
        case 5: try await disk.amend(key) { $0.extended = Data([1]) }
        case 6: try await disk.forEachEntry { _ in }
        case 7: tier.memory?.shrink(for: .some)
        case 8: _ = try await disk.contains(key)
        default: _ = memory(of: tier)?.totalCost
        }
    }

    private func check(_ key: CacheKey) async throws {
        let number = UInt8(Self.keys.firstIndex(of: key) ?? 255)
        if let image = cache.image(for: key) { #expect(image.pixels[0, 0].red == number) }
        if let entry = try await cache.entry(for: key) {
            #expect(entry.data.allSatisfy { $0 == number } && entry.metadata == Data([number]))
        }
        let cache = cache
        let pixels = try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            cache.pixels(for: key)
        }
        if let pixels { #expect(pixels.pixels[pixels.size.width - 1, 0].red == number) }
    }

    private static func entry(_ number: Int, _ size: Int) -> CacheEntry {
        CacheEntry(
            data: Data(repeating: UInt8(number), count: 300 * size), format: .png, metadata: Data([UInt8(number)]))
    }

    private static func image(_ number: Int, _ size: Int) throws(TintypeError) -> Image {
        let pixels = try PixelBuffer.filled(
            Pixel(red: UInt8(number), green: 0, blue: 0), size: PixelSize(width: size, height: 2))
        return Image(pixels: pixels, info: ImageInfo(format: .png, size: pixels.size))
    }
}
