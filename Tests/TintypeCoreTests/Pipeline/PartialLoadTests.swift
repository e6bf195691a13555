import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

/// Loads of damaged images by requests that accept partial ones.
@Suite(.timeLimited) struct PartialLoadTests {
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
        await expectError(.undecodable) { try await fixture.pipeline.image(for: fixture.request()) }
    }

    @Test func aPartialImageIsStoredOnlyInMemory() async throws {
        let fixture = fixture()
        let image = try await fixture.pipeline.image(for: request(fixture))
        #expect(image.isPartial)
        #expect(fixture.pipeline.cachedImage(for: request(fixture))?.isPartial == true)
        #expect(fixture.pipeline.cachedImage(for: fixture.request()) == nil)
        #expect(fixture.disk.keys.isEmpty)
    }

    @Test func aTransformedPartialImageIsPartial() async throws {
        let fixture = fixture()
        var request = request(fixture)
        request.rendition.transforms = [FlipTransformer(horizontal: true)]
        let image = try await fixture.pipeline.image(for: request)
        #expect(image.isPartial && fixture.disk.keys.isEmpty)
    }

    @Test func anImageThatCannotBeSalvagedIsAnError() async {
        let fixture = fixture(Salvager(salvages: false))
        await expectError(.undecodable) { try await fixture.pipeline.image(for: request(fixture)) }
    }

    // MARK: Broken transfers

    private static let cut = TintypeError(.truncatedBody, stage: .load, "the body ended early")

    private func brokenTransfer(_ error: TintypeError = cut, _ decoder: Salvager = Salvager()) -> PipelineFixture {
        let fixture = fixture(decoder)
        fixture.answer("a", .brokenTransfer(PipelineFixture.png, error))
        return fixture
    }

    @Test(arguments: [TintypeError.Code.truncatedBody, .timedOut, .transport, .unreachable])
    func aPartOfABrokenTransferIsStoredNowhere(_ code: TintypeError.Code) async throws {
        let fixture = brokenTransfer(TintypeError(code, stage: .load, "broke off"))
        let response = try await fixture.pipeline.response(for: request(fixture))
        #expect(response.image.isPartial && response.transferFailure?.code == code && response.data == nil)
        #expect(fixture.pipeline.cachedImage(for: request(fixture)) == nil && fixture.disk.keys.isEmpty)
    }

    @Test func theNextLoadAfterABrokenTransferMakesANewRequest() async throws {
        let fixture = brokenTransfer()
        _ = try await fixture.pipeline.image(for: request(fixture))
        _ = try await fixture.pipeline.image(for: request(fixture))
        #expect(fixture.loader.count(fixture.identity()) == 2)
    }

    /// Incomplete bytes are partial even if they decode.
    @Test func aCompleteImageOfABrokenTransferIsPartial() async throws {
        let fixture = PipelineFixture()
        fixture.answer("a", .brokenTransfer(PipelineFixture.png, Self.cut))
        let image = try await fixture.pipeline.image(for: request(fixture))
        #expect(image.isPartial && fixture.disk.keys.isEmpty)
        #expect(fixture.pipeline.cachedImage(for: request(fixture)) == nil)
    }

    @Test func aTransformedPartOfABrokenTransferIsStoredNowhere() async throws {
        let fixture = brokenTransfer()
        var request = request(fixture)
        request.rendition.transforms = [FlipTransformer(horizontal: true)]
        request.policy.delivery.completion = .whenStored
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.image.isPartial && response.transferFailure != nil && fixture.disk.keys.isEmpty)
        #expect(fixture.pipeline.cachedImage(for: request) == nil)
    }

    @Test func aBrokenTransferFailsRequestsForCompleteImages() async {
        let fixture = brokenTransfer()
        await expectError(.truncatedBody) { try await fixture.pipeline.image(for: fixture.request()) }
    }

    @Test func partialAndCompleteRequestsShareATransferAndDifferInTheResult() async throws {
        let fixture = fixture()
        let gate = Gate()
        fixture.answer("a", .gated(gate, .brokenTransfer(PipelineFixture.png, Self.cut)))
        let (pipeline, partialRequest, completeRequest) = (fixture.pipeline, request(fixture), fixture.request())
        let part = Task { try await pipeline.image(for: partialRequest) }
        let whole = Task { try await pipeline.image(for: completeRequest) }
        await gate.waitForArrivals(1)
        gate.open()
        #expect(try await part.value.isPartial)
        let result = await whole.result
        expectError(.truncatedBody) { try result.get() }
    }

    @Test func aBrokenTransferWithoutAnythingToShowThrowsItsError() async {
        let fixture = brokenTransfer(Self.cut, Salvager(salvages: false))
        await expectError(.truncatedBody) { try await fixture.pipeline.image(for: request(fixture)) }
        fixture.answer("b", .brokenTransfer(Data(), Self.cut))
        var empty = fixture.request("b")
        empty.rendition.decode.allowsPartial = true
        await expectError(.truncatedBody) { [empty] in try await fixture.pipeline.image(for: empty) }
        fixture.answer("c", .brokenTransfer(Data("not an image".utf8), Self.cut))
        var text = fixture.request("c")
        text.rendition.decode.allowsPartial = true
        await expectError(.truncatedBody) { [text] in try await fixture.pipeline.image(for: text) }
    }

    /// An error status is not an interrupted transfer.
    @Test(arguments: [TintypeError.Code.badStatus, .limitExceeded])
    func anErrorOfTheOriginGivesNoPartialImage(_ code: TintypeError.Code) async {
        let fixture = brokenTransfer(TintypeError(code, stage: .load, "no"))
        await expectError(code) { try await fixture.pipeline.image(for: request(fixture)) }
    }

    @Test(arguments: [LoadPolicy.Freshness.revalidate, .http]) func aCachedImageIsPreferredToAPartOfANewerOne(
        _ freshness: LoadPolicy.Freshness
    ) async throws {
        let fixture = PipelineFixture()
        fixture.storeOnDisk()
        fixture.loader.judge(.stale(usableOnError: true))
        fixture.answer("a", .brokenTransfer(PipelineFixture.png.prefix(60), Self.cut))
        var request = request(fixture)
        request.policy.freshness = freshness
        let response = try await fixture.pipeline.response(for: request)
        #expect(!response.image.isPartial && response.origin == .disk)
        #expect(response.revalidationFailure?.code == .truncatedBody && response.transferFailure == nil)
    }

    @Test(arguments: [LoadPolicy.Freshness.revalidate, .reload, .http])
    func aBrokenTransferWithNothingCachedGivesAPartialImage(_ freshness: LoadPolicy.Freshness) async throws {
        let fixture = brokenTransfer()
        var request = request(fixture)
        request.policy.freshness = freshness
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.image.isPartial && response.transferFailure?.code == .truncatedBody)
    }
}
