import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeDisk

@Suite(.timeLimited) struct ThumbnailCacheTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let key = CacheKey(source: "https://example.org/a.jpg", rendition: "fit(5x3)")

    init() throws {
        folder = try TemporaryFolder()
    }

    private func cache(maximumByteCount: Int = 1 << 20) -> ThumbnailCache {
        ThumbnailCache(directory: folder.url, maximumByteCount: maximumByteCount, time: clock.timeSource)
    }

    /// An image with 17 pixels per row, so that its rows have padding.
    private func image(width: Int = 17, height: Int = 5, shade: UInt8 = 0, scale: Double = 2) throws -> Image {
        let pixels = try PixelBuffer.drawn(PixelSize(width: width, height: height)) { x, y in
            Pixel(red: UInt8(x), green: UInt8(y), blue: shade, alpha: 200)
        }
        let info = ImageInfo(
            format: .gif, size: PixelSize(width: 340, height: 100), orientation: .right, hasAlpha: true,
            frameCount: 3, loopCount: 2, durations: [0.1, 0.2, 0.3])
        return Image(pixels: pixels, info: info, scale: scale, received: clock.date)
    }

    private func isEqual(_ left: Image?, _ right: Image) -> Bool {
        guard let left else { return false }
        return left.info == right.info && left.scale == right.scale && left.received == right.received
            && PixelDifference(between: left.pixels, and: right.pixels)?.maximum == 0
    }

    private func replace(_ path: String, with bytes: Data) throws {
        try bytes.write(to: URL(filePath: "\(path).new"))
        #expect(rename("\(path).new", path) == 0)
    }

    // MARK: Images

    @Test func anImageRoundTrips() async throws {
        let writer = cache()
        let image = try image()
        #expect(writer.store(image, for: key))
        // The overload that blocks, so that the writer has no time to write.
        let unwritten = { writer.image(for: key) }()
        #expect(isEqual(unwritten, image), "before it is written")
        try await writer.flush()
        #expect(isEqual(try await cache().image(for: key), image), "and after")
        #expect(try await writer.contains(key))
    }

    @Test func theThumbnailsBesideADiskCacheHaveItsLimits() async throws {
        let limits = DiskLimits(byteCount: 50_000, count: 3, age: .seconds(60), expiry: .creation)
        let disk = diskCache(directory: folder.url, limits: limits, time: clock.timeSource)
        let cache = ThumbnailCache(beside: disk)
        #expect(cache.disk.limits == limits)
        for number in 0..<6 { cache.store(try image(), for: CacheKey(source: "\(number)")) }
        try await cache.flush()
        #expect(try await cache.disk.usage().count == 3)
        clock.advance(by: .seconds(61))
        #expect(try await cache.image(for: CacheKey(source: "5")) == nil)
        #expect(ThumbnailCache(beside: diskCache(directory: folder.url)).disk.limits.byteCount == 128 << 20)
    }

    @Test func theCallersLimitsOnThumbnailsCount() throws {
        let disk = diskCache(directory: folder.url, limits: DiskLimits(byteCount: 50_000))
        let cache = ThumbnailCache(beside: disk, limits: DiskLimits(byteCount: 1 << 30, count: 7), maximumByteCount: 99)
        #expect(cache.disk.limits == DiskLimits(byteCount: 1 << 30, count: 7))
        #expect(!cache.store(try image(), for: key))
    }

    @Test func anImageTellsWhenItsEntryExpires() async throws {
        let cache = cache()
        cache.store(try image(), for: key, timeToLive: .seconds(60))
        let unwritten = { cache.image(for: key) }()
        try await cache.flush()
        let written = try await cache.image(for: key)
        let expected = clock.date.addingTimeInterval(60)
        #expect([unwritten, written].allSatisfy { $0?.expires == expected })
        cache.store(try image(), for: key)
        #expect(try #require(try await cache.image(for: key)).expires == nil)
    }

    @Test func mappedPixelsAreUsedInPlace() async throws {
        let cache = cache()
        cache.store(try image(), for: key)
        try await cache.flush()
        guard case .file(let header, .mapped(let mapped))? = cache.disk.lookUp(key, as: InPlaceBytes.self) else {
            Issue.record("not mapped")
            return
        }
        let pixels = try #require(PixelBuffer(mapped, from: header.length, size: PixelSize(width: 17, height: 5)))
        #expect(pixels.withUnsafeBytes { $0.baseAddress } == mapped.bytes.baseAddress.map { $0 + header.length })
    }

    @Test func aMappedImageOutlivesItsFile() async throws {
        let cache = cache()
        let first = try image(shade: 1)
        cache.store(first, for: key)
        try await cache.flush()
        let shown = try #require(try await cache.image(for: key))
        cache.store(try image(shade: 2), for: key)
        try await cache.flush()
        try await cache.removeAll()
        #expect(isEqual(shown, first))
        #expect(try await cache.image(for: key) == nil)
    }

    @Test func rowPaddingIsZero() throws {
        let pixels = try image().pixels
        let rows = pixels.rows
        for y in 0..<5 {
            #expect(rows[(y * pixels.bytesPerRow + 17 * 4)..<((y + 1) * pixels.bytesPerRow)].allSatisfy { $0 == 0 })
        }
    }

    @Test func aLargeImageIsRefused() throws {
        let cache = cache(maximumByteCount: 5 * 128)
        #expect(cache.store(try image(), for: key))
        #expect(!cache.store(try image(height: 6), for: key))
    }

    @Test func blockingCallsHaveAsynchronousOverloads() async throws {
        let cache = cache()
        let image = try image()
        cache.store(image, for: key)
        try await cache.flush()
        #expect(isEqual(try await cache.image(for: key), image))
        #expect(try await cache.contains(key))
        try await cache.remove(key)
        #expect(try await !cache.contains(key))
    }

    @Test func aPendingWriteKeepsNoImageAlive() throws {
        let cache = cache()
        weak var waiting: Image?
        do {
            let image = try image()
            cache.store(image, for: key)
            waiting = image
        }
        #expect(waiting == nil)
    }

    @Test func aPartialImageIsRefused() throws {
        let image = try image()
        let part = Image(pixels: image.pixels, info: image.info, isPartial: true)
        #expect(!cache().store(part, for: key))
    }

    @Test func aThumbnailCacheHasItsOwnLimitsAndFolder() async throws {
        let disk = diskCache(directory: folder.url)
        let cache = ThumbnailCache(beside: disk)
        cache.store(try image(), for: key)
        try await cache.flush()
        #expect(cache.disk.path(for: key).hasPrefix("\(folder.path)/thumbnails/"))
        #expect(cache.disk.limits.byteCount == 128 << 20 && disk.limits.byteCount == 1_000_000_000)
        #expect(try await disk.usage().count == 0)
    }

    // MARK: Hostile files

    @Test func everySingleByteChangeIsAMiss() async throws {
        let cache = cache()
        cache.store(try image(), for: key)
        try await cache.flush()
        try await cache.disk.waitUntilReconciled()
        let path = cache.disk.path(for: key)
        let intact = try Data(contentsOf: URL(filePath: path))
        for index in intact.indices {
            var changed = intact
            changed[index] ^= 0x10
            try replace(path, with: changed)
            #expect(try await cache.image(for: key) == nil)
        }
        try replace(path, with: intact)
        #expect(try await cache.image(for: key) != nil)
    }

    @Test func aTruncatedFileIsAMiss() async throws {
        let cache = cache()
        cache.store(try image(), for: key)
        try await cache.flush()
        try await cache.disk.waitUntilReconciled()
        let path = cache.disk.path(for: key)
        let intact = try Data(contentsOf: URL(filePath: path))
        for count in 0..<intact.count {
            try replace(path, with: intact.prefix(count))
            #expect(try await cache.image(for: key) == nil)
        }
    }

    /// Entries with valid checksums and impossible sizes.
    @Test(arguments: [
        (0, 5), (17, 0), (19, 4), (16, 6), (17, 6), (1 << 40, 1 << 40), (-1, 5), (.max, .max), (33, 3),
    ])
    func aSizeThatDoesNotMatchTheBytesIsAMissAndIsRemoved(_ width: Int, _ height: Int) async throws {
        let cache = cache()
        cache.store(try image(), for: key)
        try await cache.flush()
        try await cache.disk.amend(key) { entry in
            for (index, number) in [width, height].enumerated() {
                withUnsafeBytes(of: number) { entry.metadata.replaceSubrange(index * 8..<index * 8 + 8, with: $0) }
            }
        }
        #expect(try await cache.image(for: key) == nil, "while it waits")
        #expect(try await !cache.contains(key))
    }

    @Test(arguments: [0, 1, 23, 24, 27, 28, 40]) func truncatedMetadataIsAMiss(_ count: Int) async throws {
        let cache = cache()
        cache.store(try image(), for: key)
        try await cache.flush()
        let entry = try #require(try await cache.disk.entry(for: key))
        var cut = entry
        cut.metadata = entry.metadata.prefix(count)
        cache.disk.store(cut, for: key)
        try await cache.flush()
        #expect(try await cache.image(for: key) == nil)
        #expect(try await !cache.contains(key))
    }

    @Test func anEncodedImageInItsDirectoryIsAMiss() async throws {
        let cache = cache()
        cache.disk.store(CacheEntry(data: Data(repeating: 1, count: 640), format: .png), for: key)
        try await cache.flush()
        #expect(try await cache.image(for: key) == nil)
    }
}
