import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeTGA

/// A TGA has no signature: which bytes and names are one.
@Suite struct TGARecognitionTests {
    /// An image of 2×1 pixels, with chosen fields.
    private static func tga(_ change: (inout [UInt8]) -> Void = { _ in }, footer: Bool = false) -> Data {
        var bytes: [UInt8] = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 24, 0x20, 1, 2, 3, 4, 5, 6]
        change(&bytes)
        return Data(bytes) + (footer ? Data(count: 8) + Data("TRUEVISION-XFILE.\0".utf8) : Data())
    }

    private static let coders = ImageCoderRegistry(decoders: [ICODecoder(), PNGDecoder(), TGADecoder()])

    private func isTGA(_ data: Data, _ name: String? = nil, _ hint: ImageFormat? = nil) -> Bool {
        var options = DecodeOptions()
        options.formatHint = hint
        return (try? Self.coders.decoder(for: data, options: options, name: name)) is TGADecoder
    }

    @Test func theFooterOrTheNameIsNeeded() {
        #expect(isTGA(Self.tga(footer: true)) && !isTGA(Self.tga()))
        for name in ["/a/b.tga", "https://a.test/b.TGA?c=d.png#e", "x.targa", "y.vda"] {
            #expect(isTGA(Self.tga(), name))
        }
        for name in ["/a.tga/b", "b.png", "tga", "https://a.test/?b.tga"] { #expect(!isTGA(Self.tga(), name)) }
        #expect(isTGA(Self.tga(), nil, .tga) && isTGA(Self.tga(), "b.png", .tga))
    }

    /// A name or a footer does not make an image of other bytes.
    @Test func everyFieldOfTheHeaderIsChecked() throws {
        let changes: [(Int, UInt8)] = [
            (1, 2), (2, 0), (2, 4), (2, 12), (2, 32), (12, 0), (14, 0), (16, 8), (16, 23), (16, 64), (17, 0x60),
            (17, 0xA0),
            (17, 0x2F),
        ]
        for (index, value) in changes {
            let data = Self.tga({ $0[index] = value }, footer: true)
            #expect(!isTGA(data, "a.tga"), "\(index): \(value)")
        }
        #expect(!isTGA(Data("<!doctype html><html>".utf8), "a.tga") && !isTGA(Data(count: 40), "a.tga"))
        #expect(!isTGA(Self.tga().prefix(17), "a.tga"))
        // Images with other signatures stay what they are.
        #expect(!isTGA(try FormatFixture.data("exiftool.png"), "a.tga"))
    }

    /// The fields of a palette that is not there may have any value: with these, the file begins like a cursor.
    @Test func aTGAIsNeverAnIcon() throws {
        let likeCursor = Self.tga({ ($0[4], $0[5]) = (1, 1) }, footer: true)
        #expect(FormatSniffer.format(of: likeCursor) == .ico)
        #expect(isTGA(likeCursor))
        let image = try TGADecoder().decode(likeCursor, context: DecodeContext())
        #expect(image.size == PixelSize(width: 2, height: 1) && image.pixels[0, 0].red == 3)
        // A real icon is not a TGA, whatever its name.
        let icon = Data([0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 32, 0, 48, 0, 0, 0, 22, 0, 0, 0]) + Data(count: 48)
        #expect(!isTGA(icon, "a.tga"))
    }

    @Test func aHintForAnotherFormatReadsTheBytesAsThat() throws {
        var options = DecodeOptions()
        (options.formatHint, options.hintUse) = (.png, .always)
        #expect(try Self.coders.decoder(for: Self.tga(footer: true), options: options) is PNGDecoder)
    }

    @Test func aPipelineTakesTheNameFromTheSource() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-tga-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "sprite.tga")
        try Self.tga().write(to: file)
        var configuration = PipelineConfiguration.standard(memory: nil, disk: nil)
        configuration.coders = .standard.adding(decoders: [TGADecoder()]).sandboxed()
        let pipeline = ImagePipeline(configuration)
        #expect(try await pipeline.image(for: ImageRequest(url: file)).info.format == .tga)
        let other = folder.appending(path: "sprite.bin")
        try Self.tga().write(to: other)
        await expectError(.notAnImage) { try await pipeline.image(for: ImageRequest(url: other)) }
        var request = ImageRequest(url: other)
        request.rendition.decode.formatHint = .tga
        request.policy.failureMemory = .ignored
        #expect(try await pipeline.image(for: request).info.format == .tga)
    }

    @Test func aPixelOutsideThePaletteIsDamage() {
        // One entry of 24 bits, and the index 1.
        let bytes: [UInt8] = [0, 1, 1, 0, 0, 1, 0, 24, 0, 0, 0, 0, 1, 0, 1, 0, 8, 0x20, 1, 2, 3, 1]
        let error = expectError(.undecodable) {
            try TGADecoder().decode(Data(bytes), context: DecodeContext())
        }
        #expect(error?.message.contains("palette") == true)
    }

    @Test func theRowsOfATruncatedImageAreSalvaged() throws {
        let fixture = try #require(FormatFixture.all.first { $0.name == "rgb-rle-top.tga" })
        let (data, whole) = (try fixture.data, try fixture.decode())
        var options = DecodeOptions()
        options.allowsPartial = true
        let half = data.prefix(data.count / 2)
        let part = try TGADecoder().decodeChecked(half, context: DecodeContext(options: options))
        #expect(part.isPartial && part.pixels[0, 0] == whole.pixels[0, 0])
        #expect(part.pixels[22, 16] == Pixel(red: 0, green: 0, blue: 0, alpha: 0))
    }
}
