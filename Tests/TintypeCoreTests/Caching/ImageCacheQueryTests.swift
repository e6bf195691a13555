import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// A disk tier whose reads wait until they are released.
private final class HeldDataCache: DataCaching {
    let reads = Shared(0)
    let isReleased = Shared(false)
    private let held = DispatchSemaphore(value: 0)

    func release() {
        isReleased.withLock { $0 = true }
        held.signal()
    }

    func entry(for key: CacheKey) -> CacheEntry? {
        reads.withLock { $0 += 1 }
        held.wait()
        held.signal()
        return nil
    }

    func store(_ entry: CacheEntry, for key: CacheKey) {}
    func remove(_ key: CacheKey) {}
    func contains(_ key: CacheKey) -> Bool { false }
    func removeAll() async throws(TintypeError) {}
    func flush() async throws(TintypeError) {}
}

@Suite(.timeLimited) struct ImageCacheQueryTests {
    private let memory = MemoryCache(limits: CacheLimits(cost: 1 << 20))
    private let disk = FakeDataCache()
    private let pixels = FakePixelCache()
    private let cache: ImageCache
    private let key = CacheKey(source: "a")

    init() {
        let info = ImageInfo(format: .png, size: PixelSize(width: 1, height: 1))
        cache = ImageCache(
            memory: memory, disk: disk, pixels: pixels,
            coders: ImageCoderRegistry(decoders: [GatedDecoder(info: info)], encoders: [FakeEncoder()]))
    }

    private func image(_ format: ImageFormat = .png, alpha: UInt8 = 255) throws -> Image {
        let pixels = try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0, alpha: alpha))
        return Image(pixels: pixels, info: ImageInfo(format: format, size: pixels.size))
    }

    // MARK: Queries

    @Test func aMemoryHitDoesNotReadTheDisk() async throws {
        let image = try image()
        cache.store(image, for: key)
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        let hit = try #require(try await cache.query(key))
        #expect(hit.image === image && hit.tier == .memory && hit.data == nil && disk.reads == 0)
    }

    @Test func aMemoryHitComesWithItsBytesOnRequest() async throws {
        let image = try image()
        cache.store(image, for: key)
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        let hit = try #require(try await cache.query(key, data: true))
        #expect(hit.image === image && hit.tier == .memory && hit.data == PipelineFixture.png)
        #expect(cache.blockingQuery(key, data: true)?.data == PipelineFixture.png)
    }

    @Test func aDiskEntryIsDecodedAndStoredInMemory() async throws {
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        let hit = try #require(try await cache.query(key))
        #expect(hit.tier == .disk && hit.data == PipelineFixture.png)
        #expect(memory.image(for: key) === hit.image)
    }

    /// A cancelled query ends before the disk has answered (test 15 of SDWebImage's cache).
    @Test func aCancelledQueryEndsAtOnceAndOnce() async throws {
        let disk = HeldDataCache()
        let cache = ImageCache(memory: memory, disk: disk)
        let task = Task { try await cache.query(key) }
        await disk.reads.wait { $0 > 0 }
        task.cancel()
        await expectError(.cancelled) { try await task.value }
        #expect(!disk.isReleased.now)
        disk.release()
        // A query that is cancelled before it begins does not read.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await cache.query(key)
        }
        await expectError(.cancelled) { try await late.value }
        #expect(disk.reads.now == 1)
    }

    @Test func aBlockingQueryReadsTheDiskOnTheCallersThread() throws {
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        #expect(cache.blockingQuery(key)?.tier == .disk)
        #expect(cache.blockingQuery(key)?.tier == .memory)
        #expect(cache.blockingQuery(CacheKey(source: "b")) == nil)
    }

    @Test func thePixelTierIsReadBeforeTheDiskTier() async throws {
        pixels.store(try image(), for: key)
        #expect(try await cache.query(key)?.tier == .pixels)
        #expect(disk.reads == 0 && memory.contains(key))
    }

    private static let hitsByTiers: [(tiers: CacheTiers, hit: CacheTiers?)] = [
        (.memory, nil), (.disk, .disk), (.pixels, .pixels), ([.disk, .pixels], .pixels), (.all, .pixels), ([], nil),
    ]

    @Test(arguments: hitsByTiers)
    func onlyTheNamedTiersAreRead(_ tiers: CacheTiers, _ hit: CacheTiers?) async throws {
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        pixels.store(try image(), for: key)
        #expect(try await cache.query(key, among: tiers)?.tier == hit)
        memory.clear()
        #expect(cache.blockingQuery(key, among: tiers)?.tier == hit)
        cache.store(try image(), for: key)
        #expect(try await cache.query(key, among: .memory)?.tier == .memory)
        #expect(try await cache.query(key, among: .disk)?.tier == .disk)
    }

    @Test(arguments: [CacheTiers.disk, .pixels, [.disk, .pixels]])
    func aQueryWithoutTheMemoryStoresNothingThere(_ tiers: CacheTiers) async throws {
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        pixels.store(try image(), for: key)
        #expect(try await cache.query(key, among: tiers) != nil)
        #expect(cache.blockingQuery(key, among: tiers) != nil)
        #expect(memory.totalCount == 0)
        #expect(cache.blockingQuery(key, among: tiers.union(.memory)) != nil)
        #expect(memory.contains(key))
    }

    @Test func anEntrysExpiryLimitsItsTimeInMemory() async throws {
        let soon = Date(timeIntervalSinceNow: 3600)
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png, expires: soon), for: key)
        let clock = ManualClock()
        let cache = ImageCache(
            memory: MemoryCache(limits: CacheLimits(cost: 1 << 20), time: clock.timeSource), disk: disk,
            coders: cache.coders)
        #expect(try await cache.query(key)?.tier == .disk)
        #expect(cache.image(for: key) != nil)
        clock.advance(by: .seconds(3601))
        #expect(cache.image(for: key) == nil)
    }

    @Test func thePixelsExpiryLimitsTheirTimeInMemory() async throws {
        let image = try image().dated(received: nil, expires: Date(timeIntervalSinceNow: 3600))
        pixels.store(image, for: key)
        let clock = ManualClock()
        let cache = ImageCache(
            memory: MemoryCache(limits: CacheLimits(cost: 1 << 20), time: clock.timeSource), pixels: pixels)
        #expect(try await cache.query(key)?.tier == .pixels)
        #expect(cache.image(for: key) != nil)
        clock.advance(by: .seconds(3601))
        #expect(cache.image(for: key) == nil)
    }

    @Test func anImageIsStoredNoLongerThanItsExpiry() async throws {
        let image = try image().dated(received: nil, expires: Date(timeIntervalSinceNow: 3600))
        let clock = ManualClock()
        let cache = ImageCache(
            memory: MemoryCache(limits: CacheLimits(cost: 1 << 20), time: clock.timeSource), disk: disk,
            coders: cache.coders)
        try await cache.store(image, data: PipelineFixture.png, for: key)
        #expect(cache.image(for: key) != nil && disk.stored(key)?.expires == image.expires)
        clock.advance(by: .seconds(3601))
        #expect(cache.image(for: key) == nil)
    }

    @Test func aDecoderOfTheCallerRemovesNoEntryThatItCannotRead() async throws {
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        var options = DecodeOptions()
        options.decoder = NamedDecoder(id: "finder", decoder: DamageFinder())
        #expect(try await cache.query(key, decode: options) == nil)
        #expect(cache.blockingQuery(key, decode: options) == nil)
        #expect(disk.contains(key))
        #expect(try await cache.query(key)?.tier == .disk)
    }

    @Test func aChainIsQueriedAndFilledAsOneCache() async throws {
        let lower = ImageCache(memory: nil, disk: FakeDataCache())
        let chain = ImageCache.chain([lower, cache], store: .lowestOnly)
        try await chain.store(try image(), data: nil, for: key, with: cache.coders)
        #expect(lower.disk?.contains(key) == true && !disk.contains(key) && !memory.contains(key))
        let hit = try #require(try await chain.query(key, data: true, with: cache.coders))
        #expect(hit.tier == .disk && hit.data == PipelineFixture.png)
        #expect(chain.blockingQuery(CacheKey(source: "b"), with: cache.coders) == nil)
    }

    @Test func bytesWithoutADecoderAreAMissAndStayOnDisk() async throws {
        disk.store(CacheEntry(data: Data("GIF89a".utf8), format: .gif), for: key)
        #expect(try await cache.query(key) == nil)
        #expect(disk.contains(key))
    }

    @Test func bytesThatDoNotDecodeAreAMissAndAreRemoved() async throws {
        disk.store(CacheEntry(data: PipelineFixture.png, format: .png), for: key)
        #expect(try await cache.query(key, with: ImageCoderRegistry(decoders: [DamageFinder()])) == nil)
        #expect(!disk.contains(key) && !memory.contains(key))
    }

    // MARK: Storing

    @Test func originalBytesAreStoredUnchanged() async throws {
        try await cache.store(try image(), data: PipelineFixture.png, for: key)
        #expect(disk.stored(key)?.data == PipelineFixture.png && disk.stored(key)?.format == .png)
        #expect(memory.contains(key))
        #expect(try await !pixels.contains(key))
    }

    @Test func bytesStoredOnDiskAloneAreNotInMemory() async throws {
        try await cache.store(try image(), data: PipelineFixture.png, for: key, in: .disk)
        #expect(disk.contains(key) && memory.totalCount == 0)
        #expect(try await cache.query(key, among: .disk)?.data == PipelineFixture.png)
    }

    @Test func aPartialImageIsNotStoredOnDisk() async throws {
        let part = try image().markedPartial
        for data in [nil, PipelineFixture.png] {
            await expectError(.encodeFailed) {
                try await cache.store(part, data: data, for: key)
            }
            #expect(!disk.contains(key))
        }
    }

    @Test func onlyTheNamedTiersChange() async throws {
        try await cache.store(try image(), data: nil, for: key, in: .memory)
        #expect(!disk.contains(key))
        try await cache.store(try image(), data: nil, for: CacheKey(source: "b"), in: [.pixels])
        #expect(try await pixels.contains(CacheKey(source: "b")))
        #expect(!memory.contains(CacheKey(source: "b")))
    }

    /// The fake encoder supports PNG and JPEG. An image without a format of its own is a PNG with alpha, otherwise a
    /// JPEG (test 42 of SDWebImage's cache).
    @Test(arguments: [
        (ImageFormat.png, UInt8(255), ImageFormat.png), (.jpeg, 255, .jpeg), (.jpeg, 9, .png), (.gif, 255, .jpeg),
        (.gif, 9, .png),
    ])
    func anImageWithoutBytesIsEncoded(_ own: ImageFormat, _ alpha: UInt8, _ expected: ImageFormat) async throws {
        try await cache.store(try image(own, alpha: alpha), data: nil, for: key)
        #expect(disk.stored(key)?.format == expected)
    }

    @Test(arguments: [(ImageFormat.gif, ImageFormat.gif), (.webp, .png)])
    func anAnimationOfAProgramIsStoredWithAllFrames(_ own: ImageFormat, _ expected: ImageFormat) async throws {
        let still = try image()
        let animation = try AnimatedImage((0..<3).map { _ in TimedImage(still.pixels, duration: 0.1) })
        let info = ImageInfo(format: own, size: still.size, frameCount: 3)
        let animated = Image(pixels: animation.poster, info: info, animation: animation)
        await expectError(.noCoder) {
            try await cache.store(animated, data: nil, for: key, in: .disk)
        }
        #expect(!disk.contains(key))
        let encoder = CountingAnimationEncoder()
        try await cache.store(
            animated, data: nil, for: key, in: .disk, with: ImageCoderRegistry(encoders: [encoder]))
        #expect(disk.stored(key)?.format == expected && encoder.frameCounts.now == [3])
    }

    @Test func aDecodedAnimationIsStoredWithItsOwnBytes() async throws {
        let bytes = Data("GIF89a".utf8)
        let image = try AnimatedImageTests.sprites(3).decode(bytes, context: DecodeContext())
        try await cache.store(image, data: nil, for: key)
        #expect(disk.stored(key)?.data == bytes && disk.stored(key)?.format == .gif)
    }

    // MARK: Tiers

    @Test func tiersAreListedAndRemovedFromOneByOne() async throws {
        try await cache.store(try image(), data: nil, for: key, in: .all)
        #expect(try await cache.tiers(holding: key) == .all)
        try await cache.remove(key, from: .memory)
        #expect(try await cache.tiers(holding: key) == [.disk, .pixels])
        try await cache.remove(key, from: .pixels)
        #expect(try await cache.tiers(holding: key) == .disk)
        try await cache.remove(key)
        #expect(try await cache.tiers(holding: key) == [])
    }

    @Test(arguments: [(CacheTiers.memory, CacheTiers.disk), (.disk, .memory)])
    func clearingATierLeavesTheOther(_ cleared: CacheTiers, _ rest: CacheTiers) async throws {
        try await cache.store(try image(), data: nil, for: key)
        try await cache.clear(cleared)
        #expect(try await cache.tiers(holding: key) == rest)
        #expect((cache.image(for: key) != nil) == (rest == .memory) && disk.contains(key) == (rest == .disk))
    }

    @Test func thePixelTierIsReachedEvenIfTheDiskTierFails() async throws {
        let cache = ImageCache(memory: nil, disk: BrokenDataCache(), pixels: pixels)
        pixels.store(try image(), for: key)
        await expectError(.unwritable) { try await cache.flush() }
        #expect(pixels.flushes == 1)
        #expect(try await cache.pixels(for: key) != nil)
        await expectError(.unwritable) { try await cache.clear(.all) }
        #expect(try await cache.pixels(for: key) == nil)
    }

    @Test func removalFromTheDiskTierIncludesThePixelTier() async throws {
        for clears in [false, true] {
            try await cache.store(try image(), data: nil, for: key, in: .all)
            if clears { try await cache.clear(.disk) } else { try await cache.remove(key, from: .disk) }
            #expect(try await cache.tiers(holding: key) == .memory)
        }
    }
}

/// A disk tier that stores nothing and fails to flush and to clear.
private struct BrokenDataCache: DataCaching {
    func entry(for key: CacheKey) -> CacheEntry? { nil }
    func store(_ entry: CacheEntry, for key: CacheKey) {}
    func remove(_ key: CacheKey) {}
    func contains(_ key: CacheKey) -> Bool { false }
    func removeAll() async throws(TintypeError) { throw TintypeError(.unwritable, stage: .store, "broken") }
    func flush() async throws(TintypeError) { throw TintypeError(.unwritable, stage: .store, "broken") }
}

/// A decoder that finds damage in all bytes.
private struct DamageFinder: ImageDecoder {
    let formats: Set<ImageFormat> = [.png]
    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { nil }
    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        throw TintypeError(.undecodable, stage: .decode, "damaged")
    }
}

/// A pixel tier in memory.
final class FakePixelCache: PixelCaching {
    private let state = Shared<[CacheKey: Image]>([:])
    private let accepts: Bool
    private let flushCount = Shared(0)

    init(accepts: Bool = true) {
        self.accepts = accepts
    }

    func image(for key: CacheKey) -> Image? { state.now[key] }

    func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool {
        if accepts { state.withLock { $0[key] = image } }
        return accepts
    }

    func remove(_ key: CacheKey) { state.withLock { $0[key] = nil } }
    func contains(_ key: CacheKey) -> Bool { state.now[key] != nil }
    func removeAll() async throws(TintypeError) { state.withLock { $0 = [:] } }
    func flush() async throws(TintypeError) { flushCount.withLock { $0 += 1 } }

    var flushes: Int { flushCount.now }
}
