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

        func decode(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
            throw TintypeError(.undecodable, stage: .decode, "damaged")
        }

        func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
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
}
