import Foundation
import QOIExample
import TestSupport
import Testing
import Tintype

/// A format outside of Tintype, which plugs in: `Examples/QOI`.
@Suite(.timeLimited) struct QOIExampleTests {
    private static let size = PixelSize(width: 5, height: 2)

    private static func header(_ width: UInt32, _ height: UInt32, channels: UInt8 = 4) -> Data {
        var data = Data("qoif".utf8)
        for side in [width, height] { data += withUnsafeBytes(of: side.bigEndian) { Data($0) } }
        return data + Data([channels, 0])
    }

    /// Every kind of chunk: a colour, a small and a larger difference, a colour seen before, alpha, and a run of five.
    private static let chunks: [UInt8] = [
        0xFE, 200, 100, 50, 0b0111_1001, 0x80 | 42, 0x9A, 0x00 | index(200, 100, 50), 0xFF, 10, 20, 30, 128, 0xC0 | 4,
    ]
    private static let image = header(5, 2) + Data(chunks) + Data([0, 0, 0, 0, 0, 0, 0, 1])

    private static func index(_ red: Int, _ green: Int, _ blue: Int) -> UInt8 {
        UInt8((red * 3 + green * 5 + blue * 7 + 255 * 11) % 64)
    }

    private static let expected: [Pixel] = [
        Pixel(red: 200, green: 100, blue: 50), Pixel(red: 201, green: 100, blue: 49),
        Pixel(red: 212, green: 110, blue: 61), Pixel(red: 200, green: 100, blue: 50),
    ]

    private func pipeline() -> ImagePipeline {
        var configuration = PipelineConfiguration.standard(memory: nil, disk: nil)
        configuration.coders = configuration.coders.adding(decoders: [QOIDecoder()])
        return ImagePipeline(configuration)
    }

    @Test func aPipelineLoadsAFormatThatTintypeDoesNotKnow() async throws {
        let image = try await pipeline().image(for: ImageRequest(source: .bytes(Self.image, id: "qoi")))
        #expect(image.size == Self.size && image.info.format == .qoi && image.info.hasAlpha)
        for x in 0..<4 { #expect(image.pixels[x, 0] == Self.expected[x]) }
        let half = Pixel(red: 5, green: 10, blue: 15, alpha: 128)
        #expect(image.pixels[4, 0] == half && image.pixels[0, 1] == half && image.pixels[4, 1] == half)
    }

    @Test func withoutItsDecoderItIsNoImage() async {
        await expectError(.notAnImage) {
            try await ImagePipeline(.standard(memory: nil, disk: nil)).image(
                for: ImageRequest(source: .bytes(Self.image, id: "qoi")))
        }
    }

    @Test func itIsScaledCroppedAndTransformedLikeOthers() async throws {
        let source = ImageSource.bytes(Self.image, id: "qoi")
        var request = ImageRequest(source: source).transformed(by: FlipTransformer(horizontal: true))
        request.rendition.decode.crop = PixelRect(x: 0, y: 0, size: PixelSize(width: 4, height: 1))
        let image = try await pipeline().image(for: request)
        #expect(image.size == PixelSize(width: 4, height: 1) && image.pixels[3, 0] == Self.expected[0])
        request = ImageRequest(source: source)
        request.rendition.decode.size = .fit(PixelSize(width: 2, height: 2))
        #expect(try await pipeline().image(for: request).size == PixelSize(width: 2, height: 1))
    }

    @Test func everyTruncationIsAnError() {
        for count in 0..<Self.header(5, 2).count + Self.chunks.count {
            let data = Self.image.prefix(count)
            expectError(.undecodable) { try QOIDecoder().decode(data, context: DecodeContext()) }
        }
    }

    @Test func theSizeIsCheckedBeforeAnythingIsAllocated() {
        for (width, height) in [(.max, .max), (60_000, 60_000), (0, 5)] as [(UInt32, UInt32)] {
            let data = Self.header(width, height) + Data(Self.chunks)
            let error = #expect(throws: TintypeError.self) { try QOIDecoder().decode(data, context: DecodeContext()) }
            #expect(error?.code == (width == 0 ? .undecodable : .limitExceeded))
        }
    }

    @Test func theFileExtensionAndMediaTypeAreKnown() {
        let coders = ImageCoderRegistry.standard.adding(decoders: [QOIDecoder()])
        #expect(coders.format(fileExtension: "QOI")?.mediaType == "image/qoi")
    }
}
