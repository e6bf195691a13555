import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite(.timeLimited) struct VariantTests {
    private let full = PixelSize(width: 400, height: 200)

    // MARK: Larger decoded sizes in memory

    @Test func aSmallerImageIsMadeFromALargerOneIfAllowed() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: full))
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        let request = fixture.request().fitting(width: 100).with { $0.policy.caching.match = .larger }
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.image.size == PixelSize(width: 100, height: 50) && response.origin == .memory)
        #expect(fixture.decoder.decodeCount == 1)
        // Its pixels differ slightly from those of a decode, so it is not stored under the key.
        #expect(!fixture.memory.contains(request.key))
    }

    @Test func aSmallerImageIsDecodedByDefault() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: full))
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        _ = try await fixture.pipeline.image(for: fixture.request().fitting(width: 100))
        #expect(fixture.decoder.decodeCount == 2)
    }

    @Test func aSmallerImageIsNotEnlarged() async throws {
        let fixture = PipelineFixture(info: ImageInfo(format: .png, size: full))
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request().fitting(width: 50))
        let request = fixture.request().fitting(width: 100).with { $0.policy.caching.match = .larger }
        #expect(try await fixture.pipeline.image(for: request).size.width == 100)
        #expect(fixture.decoder.decodeCount == 2)
    }

    private func decoded(_ decode: DecodeOptions, _ size: PixelSize) -> DecodedSize {
        let key = CacheKey(source: "a", rendition: decode.identifier)
        return DecodedSize(key: key, decode: decode, size: size, full: full)
    }

    @Test func theSmallestSufficientSizeIsUsed() {
        var table = DecodedSizeTable()
        let half = PixelSize(width: 200, height: 100)
        table.note(decoded(DecodeOptions(), full))
        table.note(decoded(DecodeOptions(size: .fit(half)), half))
        let wanted = DecodeOptions(size: .fit(PixelSize(width: 100, height: 100)))
        #expect(table.sizes(of: "a").first { $0.canBecome(wanted) }?.size == half)
        #expect(table.sizes(of: "b").isEmpty)
    }

    @Test func anImageThatDiffersInMoreThanItsSizeIsNotUsed() {
        let wanted = DecodeOptions(size: .fit(PixelSize(width: 100, height: 100)))
        let square = PixelSize(width: 200, height: 200)
        #expect(!decoded(DecodeOptions(size: .shrink(square)), square).canBecome(wanted))
        #expect(!decoded(DecodeOptions(frames: .first), full).canBecome(wanted))
        #expect(!decoded(DecodeOptions(), full).canBecome(DecodeOptions()))
    }

    /// The target size would be computed from the whole image, which has another aspect ratio.
    @Test func aCroppedImageIsNotUsed() {
        let crop = PixelRect(x: 0, y: 0, size: PixelSize(width: 200, height: 200))
        let wanted = DecodeOptions(crop: crop, size: .fit(PixelSize(width: 100, height: 100)))
        #expect(!decoded(DecodeOptions(crop: crop), crop.size).canBecome(wanted))
    }

    @Test func anImageOfTheRequestedSizeIsUsedAndASmallerOneIsNot() {
        let half = PixelSize(width: 200, height: 100)
        let wanted = DecodeOptions(size: .fit(half))
        #expect(decoded(DecodeOptions(size: .fit(half)), half).canBecome(wanted))
        for size in [PixelSize(width: 199, height: 100), PixelSize(width: 200, height: 99)] {
            #expect(!decoded(DecodeOptions(size: .fit(half)), size).canBecome(wanted))
        }
    }

    @Test func aSizeIsRecordedOnce() {
        var table = DecodedSizeTable()
        for _ in 0..<2 { table.note(decoded(DecodeOptions(), full)) }
        #expect(table.sizes(of: "a").count == 1)
    }

    @Test func theTableIsBounded() {
        var table = DecodedSizeTable(capacity: 3, sizesEach: 2)
        for number in 0..<10 {
            for side in [10, 20, 30] {
                let size = PixelSize(width: side, height: side)
                let key = CacheKey(source: "\(number)", rendition: "\(side)")
                table.note(DecodedSize(key: key, decode: DecodeOptions(size: .fit(size)), size: size, full: full))
            }
        }
        #expect((0..<10).map { table.sizes(of: "\($0)").count } == [0, 0, 0, 0, 0, 0, 0, 2, 2, 2])
    }

    @Test(arguments: [(4096, 1), (4097, 0)])
    func aSourceWithALongIdentityIsNotNoted(_ length: Int, _ count: Int) {
        var table = DecodedSizeTable()
        let source = String(repeating: "x", count: length)
        table.note(DecodedSize(key: CacheKey(source: source), decode: DecodeOptions(), size: full, full: full))
        #expect(table.sizes(of: source).count == count)
    }

    // MARK: Alternative sources

    @Test func alternativesAreTriedInOrder() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", .failure(TintypeError(.badStatus, stage: .load, "HTTP 404", status: 404)))
        fixture.answer("b", .failure(TintypeError(.unreachable, stage: .load, "test")))
        fixture.answer("c")
        let request = fixture.request().orElse(fixture.request("b").source, fixture.request("c").source)
        _ = try await fixture.pipeline.image(for: request)
        #expect(["a", "b", "c"].map { fixture.loader.count(fixture.identity($0)) } == [1, 1, 1])
        #expect(fixture.memory.contains(fixture.request("c").key) && !fixture.memory.contains(request.key))
    }

    @Test func anAlternativeHasTheCacheKeyOfItsSource() async throws {
        let fixture = PipelineFixture { $0.interceptors = [CacheKeyFilter { $0.lastPathComponent }] }
        let urls = try ["a", "b"].map { try #require(URL(string: "https://example.org/\($0)?token=1")) }
        fixture.loader.setAnswer(
            .failure(TintypeError(.unreachable, stage: .load, "test")), for: urls[0].absoluteString)
        fixture.loader.setAnswer(.data(PipelineFixture.png), for: urls[1].absoluteString)
        _ = try await fixture.pipeline.image(for: ImageRequest(url: urls[0]).orElse(.url(urls[1])))
        #expect(fixture.pipeline.cachedImage(for: ImageRequest(url: urls[1])) != nil)
        #expect(fixture.disk.keys == [CacheKey(source: "b")])
    }

    @Test func alternativesAfterTheFirstSuccessAreNotLoaded() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a")
        fixture.answer("b")
        _ = try await fixture.pipeline.image(for: fixture.request().orElse(fixture.request("b").source))
        #expect(fixture.loader.count(fixture.identity("b")) == 0)
    }

    @Test func ifNoSourceLoadsTheFirstErrorIsThrown() async {
        let fixture = PipelineFixture()
        fixture.answer("a", .failure(TintypeError(.badStatus, stage: .load, "test")))
        fixture.answer("b", .failure(TintypeError(.unreachable, stage: .load, "test")))
        let error = await expectError(.badStatus) {
            try await fixture.pipeline.image(for: fixture.request().orElse(fixture.request("b").source))
        }
        #expect(error?.subject == fixture.identity("a"))
    }

    @Test func afterCancellationNoAlternativeIsTried() async {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        fixture.answer("b")
        let task = fixture.pipeline.start(fixture.request().orElse(fixture.request("b").source))
        await gate.waitForArrivals(1)
        task.cancel()
        await expectError(.cancelled) { try await task.response }
        while !fixture.pipeline.activity.isIdle { await Task.yield() }
        #expect(fixture.loader.count(fixture.identity("b")) == 0)
    }

    @Test func alternativesShareJobsWithLoadsOfOneSource() async throws {
        let fixture = PipelineFixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let both = fixture.pipeline.start(fixture.request().orElse(fixture.request("b").source))
        let one = fixture.pipeline.start(fixture.request())
        await gate.waitForArrivals(1)
        gate.open()
        _ = try await (both.response, one.response)
        #expect(fixture.loader.count(fixture.identity()) == 1)
    }
}
