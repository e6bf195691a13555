import Foundation
import Testing
import TintypeCore
import TintypeTesting

/// Loads of pictures that are damaged, where a request wants what there is of them.
@Suite(.timeLimit(.minutes(15))) struct PartialLoadTests {
    private struct Salvager: SalvagingImageDecoder {
        let formats: Set<ImageFormat> = [.png]
        var salvages = true
        private let size = PixelSize(width: 2, height: 1)

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
            ImageInfo(format: .png, size: size)
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            throw TintypeError(.undecodable, stage: .decode, "damaged")
        }

        func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
            guard salvages else { return nil }
            return Image(pixels: try PixelWriter(size: size).finish(), info: ImageInfo(format: .png, size: size))
        }
    }

    private func fixture(_ decoder: Salvager = Salvager()) -> PipelineFixture {
        let fixture = PipelineFixture { $0.coders = ImageCoderRegistry(decoders: [decoder], encoders: [FakeEncoder()]) }
        fixture.answer()
        return fixture
    }

    private func request(_ fixture: PipelineFixture) -> ImageRequest {
        var request = fixture.request()
        request.rendition.decode.allowsPartial = true
        return request
    }

    @Test func damageIsAnErrorByDefault() async {
        let fixture = fixture()
        await expect(.undecodable) { try await fixture.pipeline.image(for: fixture.request()) }
    }

    @Test func whatThereIsIsMarkedPartialAndKeptInMemoryAlone() async throws {
        let fixture = fixture()
        let image = try await fixture.pipeline.image(for: request(fixture))
        #expect(image.isPartial)
        #expect(fixture.pipeline.cachedImage(for: request(fixture))?.isPartial == true)
        #expect(fixture.pipeline.cachedImage(for: fixture.request()) == nil)
        #expect(fixture.disk.keys.isEmpty)
    }

    @Test func aTransformedPartIsPartialToo() async throws {
        let fixture = fixture()
        var request = request(fixture)
        request.rendition.transforms = [FlipTransformer(horizontal: true)]
        let image = try await fixture.pipeline.image(for: request)
        #expect(image.isPartial && fixture.disk.keys.isEmpty)
    }

    @Test func whereNothingCanBeShownTheDamageIsTheError() async {
        let fixture = fixture(Salvager(salvages: false))
        await expect(.undecodable) { try await fixture.pipeline.image(for: request(fixture)) }
    }

    // MARK: Transfers that break off

    private static let cut = TintypeError(.truncatedBody, stage: .load, "the body ended early")

    private func brokenOff(_ error: TintypeError = cut, _ decoder: Salvager = Salvager()) -> PipelineFixture {
        let fixture = fixture(decoder)
        fixture.answer("a", .brokenOff(PipelineFixture.png, error))
        return fixture
    }

    @Test(arguments: [TintypeError.Code.truncatedBody, .timedOut, .transport, .unreachable])
    func whatArrivedBeforeATransferBrokeOffIsShownAndKeptNowhere(_ code: TintypeError.Code) async throws {
        let fixture = brokenOff(TintypeError(code, stage: .load, "broke off"))
        let response = try await fixture.pipeline.response(for: request(fixture))
        #expect(response.image.isPartial && response.transferFailure?.code == code && response.data == nil)
        #expect(fixture.pipeline.cachedImage(for: request(fixture)) == nil && fixture.disk.keys.isEmpty)
    }

    @Test func theNextLoadOfABrokenTransferAsksAgain() async throws {
        let fixture = brokenOff()
        _ = try await fixture.pipeline.image(for: request(fixture))
        _ = try await fixture.pipeline.image(for: request(fixture))
        #expect(fixture.loader.count(fixture.identity()) == 2)
    }

    /// Bytes that are not all there are not trusted, even if a picture comes of them.
    @Test func aPictureWithNothingMissingIsPartialWhereItsTransferBrokeOff() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", .brokenOff(PipelineFixture.png, Self.cut))
        let image = try await fixture.pipeline.image(for: request(fixture))
        #expect(image.isPartial && fixture.disk.keys.isEmpty)
        #expect(fixture.pipeline.cachedImage(for: request(fixture)) == nil)
    }

    @Test func aTransformedPartOfABrokenTransferIsKeptNowhere() async throws {
        let fixture = brokenOff()
        var request = request(fixture)
        request.rendition.transforms = [FlipTransformer(horizontal: true)]
        request.policy.completion = .whenStored
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.image.isPartial && response.transferFailure != nil && fixture.disk.keys.isEmpty)
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
    }

    @Test func aBrokenTransferIsAnErrorForWhoWantsAllOfIt() async {
        let fixture = brokenOff()
        await expect(.truncatedBody) { try await fixture.pipeline.image(for: fixture.request()) }
    }

    @Test func requestsForAPartAndForTheWholeShareATransferAndNotItsEnd() async throws {
        let fixture = fixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .brokenOff(PipelineFixture.png, Self.cut)))
        let (pipeline, ofPart, ofWhole) = (fixture.pipeline, request(fixture), fixture.request())
        let part = Task { try await pipeline.image(for: ofPart) }
        let whole = Task { try await pipeline.image(for: ofWhole) }
        await gate.waitForArrivals(1)
        gate.open()
        #expect(try await part.value.isPartial)
        let result = await whole.result
        #expect(throws: TintypeError.self) { try result.get() }
    }

    @Test func aTransferThatLeavesNothingToShowFailsAsItDid() async {
        let fixture = brokenOff(Self.cut, Salvager(salvages: false))
        await expect(.truncatedBody) { try await fixture.pipeline.image(for: request(fixture)) }
        fixture.answer("b", .brokenOff(Data(), Self.cut))
        var empty = fixture.request("b")
        empty.rendition.decode.allowsPartial = true
        await expect(.truncatedBody) { [empty] in try await fixture.pipeline.image(for: empty) }
        fixture.answer("c", .brokenOff(Data("no picture".utf8), Self.cut))
        var text = fixture.request("c")
        text.rendition.decode.allowsPartial = true
        await expect(.truncatedBody) { [text] in try await fixture.pipeline.image(for: text) }
    }

    /// What the origin says of a picture is no accident on the way.
    @Test(arguments: [TintypeError.Code.badStatus, .limitExceeded, .cancelled])
    func whatIsNoAccidentLeavesNoPart(_ code: TintypeError.Code) async {
        let fixture = brokenOff(TintypeError(code, stage: .load, "no"))
        await expect(code) { try await fixture.pipeline.image(for: request(fixture)) }
    }

    @Test(arguments: [LoadPolicy.Freshness.revalidate, .http]) func whatIsCachedIsBetterThanAPartOfWhatIsNewer(
        _ freshness: LoadPolicy.Freshness
    ) async throws {
        let fixture = PipelineFixture()
        fixture.keepOnDisk()
        fixture.loader.judge(.stale(usableOnError: true))
        fixture.answer("a", .brokenOff(PipelineFixture.png.prefix(60), Self.cut))
        var request = request(fixture)
        request.policy.freshness = freshness
        let response = try await fixture.pipeline.response(for: request)
        #expect(!response.image.isPartial && response.origin == .disk)
        #expect(response.refreshFailure?.code == .truncatedBody && response.transferFailure == nil)
    }

    @Test(arguments: [LoadPolicy.Freshness.revalidate, .reload, .http])
    func aRefreshThatBreaksOffWithNothingCachedIsAPart(_ freshness: LoadPolicy.Freshness) async throws {
        let fixture = brokenOff()
        var request = request(fixture)
        request.policy.freshness = freshness
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.image.isPartial && response.transferFailure?.code == .truncatedBody)
    }
}
