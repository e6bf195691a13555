import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The decisions, input and results of loaders of the program.
@Suite(.timeLimited) struct LoaderSeamTests {
    private struct Provider: RequestExtraKey { static let defaultValue = "first" }

    /// Accepts requests for its provider, and judges failures.
    private struct ProviderLoader: ImageLoader {
        let name: String
        var acceptsAll = false
        var lasting: TintypeError.Code?
        let inner = FakeLoader()

        func canLoad(_ source: ImageSource) -> Bool { true }
        func canLoad(_ request: ImageRequest) -> Bool { acceptsAll || request.extras[Provider.self] == name }

        func isLasting(_ error: TintypeError, of source: ImageSource) -> Bool { error.code == lasting }

        @concurrent
        func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
            try await inner.load(source, context: context)
        }
    }

    private func pipeline(_ loaders: [ProviderLoader], _ change: (inout PipelineConfiguration) -> Void = { _ in })
        -> PipelineFixture
    {
        for loader in loaders { loader.inner.setAnswer(.data(PipelineFixture.png), for: "closure:a") }
        return PipelineFixture {
            $0.loaders = loaders
            $0.cache = ImageCache(memory: nil)
            change(&$0)
        }
    }

    @Test func theLoadersOfAPipelineAreAskedLastToFirst() async throws {
        let loaders = ["first", "second", "third"].map { ProviderLoader(name: $0, acceptsAll: $0 != "third") }
        let fixture = pipeline(loaders)
        _ = try await fixture.pipeline.image(for: fixture.request())
        #expect(loaders.map { $0.inner.count("closure:a") } == [0, 1, 0])
    }

    @Test(arguments: [["first", "second"], ["second", "first"]])
    func aLoaderSeesTheRequest(_ names: [String]) async throws {
        let loaders = names.map { ProviderLoader(name: $0) }
        // Also in a chain within the chain.
        let fixture = pipeline(loaders) { $0.loaders = [ImageLoaderChain(loaders)] }
        for name in names {
            _ = try await fixture.pipeline.image(for: fixture.request().with { $0.extras[Provider.self] = name })
        }
        #expect(loaders.map { $0.inner.count("closure:a") } == [1, 1])
        let other = fixture.request().with { $0.extras[Provider.self] = "nobody" }
        await expectError(.invalidSource) { try await fixture.pipeline.image(for: other) }
        #expect(!ImageLoaderChain(loaders).canLoad(other) && ImageLoaderChain(loaders).canLoad(other.source))
    }

    @Test func aLoaderJudgesWhichFailuresAreRemembered() async {
        let loader = ProviderLoader(name: "first", lasting: .badStatus)
        let fixture = pipeline([loader])
        loader.inner.setAnswer(.failure(TintypeError(.badStatus, stage: .load, "test", status: 410)), for: "closure:a")
        await expectError(.badStatus) { try await fixture.pipeline.image(for: fixture.request()) }
        await expectError(.failedBefore) { try await fixture.pipeline.image(for: fixture.request()) }
        loader.inner.setAnswer(.data(Data("<html>".utf8)), for: "closure:b")
        for _ in 0..<2 {
            await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request("b")) }
        }
        #expect(loader.inner.count("closure:a") == 1 && loader.inner.count("closure:b") == 2)
    }

    @Test func theProgramsRuleOverridesTheJudgementOfALoader() async {
        let loader = ProviderLoader(name: "first", lasting: .badStatus)
        let fixture = pipeline([loader]) { $0.failureMemory.shouldRemember = { $1.code == .notAnImage } }
        loader.inner.setAnswer(.failure(TintypeError(.badStatus, stage: .load, "test")), for: "closure:a")
        for _ in 0..<2 { await expectError(.badStatus) { try await fixture.pipeline.image(for: fixture.request()) } }
        loader.inner.setAnswer(.data(Data("<html>".utf8)), for: "closure:b")
        await expectError(.notAnImage) { try await fixture.pipeline.image(for: fixture.request("b")) }
        await expectError(.failedBefore) { try await fixture.pipeline.image(for: fixture.request("b")) }
    }

    // MARK: Decoded images

    private func image(_ size: PixelSize = PixelSize(width: 8, height: 4), isAnimated: Bool = false) throws -> Image {
        let pixels = try PixelBuffer.filled(Pixel(red: 9, green: 8, blue: 7), size: size)
        let animation = isAnimated ? try AnimatedImage([pixels, pixels].map { TimedImage($0, duration: 0.1) }) : nil
        let info = ImageInfo(format: .png, size: size, frameCount: isAnimated ? 2 : 1)
        return Image(pixels: pixels, info: info, scale: 2, animation: animation)
    }

    @Test func aLoaderMayDeliverADecodedImage() async throws {
        let fixture = PipelineFixture()
        let image = try image()
        fixture.answer("a", .image(image))
        let response = try await fixture.pipeline.response(for: fixture.request())
        #expect(PixelDifference(between: response.image.pixels, and: image.pixels)?.maximum == 0)
        #expect(response.image.scale == 2 && response.data == nil)
        #expect(response.image.received == fixture.clock.date && response.origin == .network)
        #expect(fixture.decoder.decodeCount == 0 && fixture.pipeline.cachedImage(for: fixture.request()) != nil)
        try await fixture.pipeline.flush()
        #expect(fixture.disk.keys.isEmpty)
    }

    @Test func aDeliveredImageIsReducedAndTransformedAsRequested() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", .image(try image()))
        let counter = CountingTransformer(identifier: "t")
        var request = fixture.request().decoded(.fit(PixelSize(width: 2, height: 2))).transformed(by: counter)
        request.rendition.decode.crop = PixelRect(x: 0, y: 0, size: PixelSize(width: 4, height: 4))
        #expect(try await fixture.pipeline.image(for: request).size == PixelSize(width: 2, height: 2))
        #expect(counter.count.now == 1)
    }

    @Test func aDeliveredImageHasTheRequestedFrames() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", .image(try image(isAnimated: true)))
        fixture.answer("still", .image(try image()))
        let animated = try await fixture.pipeline.image(for: fixture.request())
        let still = try await fixture.pipeline.image(for: fixture.request().frames(.first))
        #expect(animated.isAnimated && !still.isAnimated)
        await expectError(.notAnimated) {
            try await fixture.pipeline.image(for: fixture.request("still").frames(.animatedOnly))
        }
    }

    @Test func aLoaderThatDeliversBytesTooHasThemStored() async throws {
        struct Both: ImageLoader {
            let image: Image
            func canLoad(_ source: ImageSource) -> Bool { true }

            @concurrent
            func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
                LoadedBytes(decoded: image, data: PipelineFixture.png)
            }
        }
        let loader = Both(image: try image())
        let fixture = PipelineFixture { $0.loaders = [loader] }
        let response = try await fixture.pipeline.response(for: fixture.request())
        #expect(response.data == PipelineFixture.png && fixture.decoder.decodeCount == 0)
        try await fixture.pipeline.flush()
        #expect(fixture.disk.stored(fixture.request().key)?.data == PipelineFixture.png)
    }
}
