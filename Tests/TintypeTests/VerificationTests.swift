import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// `LoadPolicy.verification`: what must decode before an image is delivered and its bytes are stored.
@Suite(.timeLimited) struct VerificationTests {
    private let source = ImageSource.bytes(Data(), id: "icon")

    /// Returns an icon of two PNGs, of which only the larger one is damaged.
    private static func damagedIcon() throws -> Data {
        try IconFile.withADamagedImage { side in
            let pixels = try PixelBuffer.drawn(PixelSize(width: side, height: side)) { x, y in
                Pixel(red: UInt8(x), green: UInt8(y), blue: UInt8(x ^ y))
            }
            return try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        }
    }

    private func pipeline(_ answer: FakeLoader.Answer) -> ImagePipeline {
        let loader = FakeLoader()
        loader.setAnswer(answer, for: source.identity)
        var configuration = PipelineConfiguration.tested(memory: nil, disk: nil)
        (configuration.loaders, configuration.cache) = ([loader], PipelineConfiguration().cache)
        return ImagePipeline(configuration)
    }

    private func request(_ verification: LoadPolicy.Verification, allowsPartial: Bool = false) -> ImageRequest {
        var request = ImageRequest(source: source)
        request.rendition.decode.size = .fit(PixelSize(width: 32, height: 32))
        request.rendition.decode.allowsPartial = allowsPartial
        request.policy.verification = verification
        // A failure of one request must not decide on the next.
        request.policy.failureMemory = .ignored
        return request
    }

    @Test func everyImageOfAnIconIsVerifiedOnRequest() async throws {
        let pipeline = pipeline(.data(try Self.damagedIcon()))
        await expectError(.undecodable) { try await pipeline.image(for: request(.allFrames)) }
        let part = try await pipeline.image(for: request(.allFrames, allowsPartial: true))
        #expect(part.isPartial && part.size == PixelSize(width: 32, height: 32))
    }

    @Test func theFailureOfAStrictRequestIsNotThatOfOthers() async throws {
        let pipeline = pipeline(.data(try Self.damagedIcon()))
        var requests = [request(.allFrames), request(.firstFrame)]
        for index in requests.indices { requests[index].policy.failureMemory = LoadPolicy().failureMemory }
        let strict = requests[0]
        await expectError(.undecodable) { try await pipeline.image(for: strict) }
        await expectError(.failedBefore) { try await pipeline.image(for: strict) }
        let image = try await pipeline.image(for: requests[1])
        #expect(image.size == PixelSize(width: 32, height: 32))
    }

    @Test func otherwiseTheImageThatIsDeliveredIsEnough() async throws {
        let image = try await pipeline(.data(try Self.damagedIcon())).image(for: request(.firstFrame))
        #expect(!image.isPartial && image.size == PixelSize(width: 32, height: 32))
    }

    /// A JPEG is verified without decoding; other formats are decoded.
    @Test func aRequestWithoutPixelsVerifiesAllTheSame() async throws {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 96, height: 96)) { x, y in
            Pixel(red: UInt8(x), green: UInt8(y), blue: UInt8(x ^ y))
        }
        let (jpeg, png): (any ImageEncoder, any ImageEncoder) = (JPEGEncoder(), PNGEncoder())
        for (encoder, format) in [(jpeg, ImageFormat.jpeg), (png, .png)] {
            let data = try encoder.encode(pixels, as: format, options: EncodeOptions())
            let request = request(.allFrames).with { $0.rendition.decode.size = .noPixels }
            let image = try await pipeline(.data(data)).image(for: request)
            #expect(image.size == PixelSize(width: 1, height: 1) && image.info.size == pixels.size)
            await expectError(.undecodable) {
                try await pipeline(.data(data.prefix(data.count / 2))).image(for: request)
            }
        }
    }

    /// Requests that differ in it share the transfer, but not the decode.
    @Test func aVerifiedLoadDoesNotShareTheResultOfAnother() async throws {
        let gate = Gate()
        let pipeline = pipeline(.gated(gate, .data(try Self.damagedIcon())))
        let tasks = [LoadPolicy.Verification.firstFrame, .allFrames].map { pipeline.start(request($0)) }
        await gate.waitForArrivals(1)
        gate.open()
        let image = try await tasks[0].response.image
        #expect(image.size == PixelSize(width: 32, height: 32))
        await expectError(.undecodable) { try await tasks[1].response }
    }
}
