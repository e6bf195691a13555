import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Decoders of formats that Tintype does not know.
@Suite struct RecognizingDecoderTests {
    private static let format = ImageFormat(rawValue: "paper", mediaType: "application/paper", fileExtensions: ["ppr"])
    private static let tiff = Data([0x49, 0x49, 0x2A, 0x00]) + Data("PAPER".utf8) + Data(count: 100)

    /// Decodes white images from bytes that contain a word.
    private struct PaperDecoder: RecognizingImageDecoder {
        var formats: Set<ImageFormat> { [RecognizingDecoderTests.format] }
        var word = "PAPER"
        var headLength = FormatSniffer.length
        /// The prefixes that were examined.
        let heads = Shared<[Data]>([])

        func recognizes(_ head: Data) -> Bool {
            heads.withLock { $0.append(head) }
            return head.range(of: Data(word.utf8)) != nil
        }

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
            ImageInfo(format: RecognizingDecoderTests.format, size: PixelSize(width: 2, height: 1))
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            let size = PixelSize(width: 2, height: 1)
            let white = Pixel(red: 255, green: 255, blue: 255, alpha: 255)
            return Image(
                pixels: try .drawn(size) { _, _ in white },
                info: ImageInfo(format: RecognizingDecoderTests.format, size: size))
        }
    }

    @Test func anUnknownFormatReachesItsDecoder() throws {
        let coders = ImageCoderRegistry(decoders: [GatedDecoder(), PaperDecoder()])
        let image = try coders.decoder(for: Data("PAPER".utf8)).decode(Data("PAPER".utf8), context: DecodeContext())
        #expect(image.info.format == Self.format)
    }

    @Test func aDecoderRecognizesImagesThatBeginLikeThoseOfAnotherFormat() throws {
        let coders = ImageCoderRegistry(decoders: [PaperDecoder(), GatedDecoder(formats: [.tiff])])
        #expect(try coders.decoder(for: Self.tiff) is PaperDecoder)
        #expect(try coders.decoder(for: Self.tiff.prefix(4) + Data(count: 100)) is GatedDecoder)
    }

    @Test func theDecoderThatWasAddedLastIsAskedFirst() throws {
        let (first, last) = (PaperDecoder(), PaperDecoder(word: "PAP"))
        let coders = ImageCoderRegistry(decoders: [first]).adding(decoders: [last])
        let decoder = try #require(coders.decoder(for: Self.tiff) as? PaperDecoder)
        #expect(decoder.word == "PAP" && first.heads.now.isEmpty)
    }

    @Test(arguments: [(64, 64), (100, 100), (1_000_000, 4096), (-1, 0)])
    func aDecoderExaminesABoundedPrefix(_ asked: Int, _ expected: Int) throws {
        let decoder = PaperDecoder(word: "no", headLength: asked)
        // A slice, whose indices do not begin at 0.
        let bytes = (Data([0]) + Self.tiff + Data(count: 10_000)).dropFirst()
        _ = try ImageCoderRegistry(decoders: [GatedDecoder(formats: [.tiff]), decoder]).decoder(for: bytes)
        #expect(decoder.heads.now.map(\.count) == [expected])
        #expect(decoder.heads.now.allSatisfy { $0.startIndex == 0 })
    }

    // MARK: Hints

    /// A decoder of a format without a signature.
    private static let coders = ImageCoderRegistry(decoders: [PaperDecoder(word: "no signature"), GatedDecoder()])

    @Test func aHintNamesTheFormatOfUnrecognizedBytes() throws {
        var options = DecodeOptions()
        options.formatHint = Self.coders.format(fileExtension: "ppr")
        #expect(try Self.coders.decoder(for: Data("anything".utf8), options: options) is PaperDecoder)
        expectError(.notAnImage) {
            try Self.coders.decoder(for: Data("anything".utf8), options: DecodeOptions())
        }
    }

    @Test func recognizedBytesAreDecodedWhateverTheHintSays() throws {
        var options = DecodeOptions()
        options.formatHint = Self.format
        #expect(try Self.coders.decoder(for: PipelineFixture.png, options: options) is GatedDecoder)
    }

    @Test func aHintThatAlwaysCountsReplacesTheBytes() throws {
        var options = DecodeOptions()
        (options.formatHint, options.hintUse) = (Self.format, .always)
        #expect(try Self.coders.decoder(for: PipelineFixture.png, options: options) is PaperDecoder)
        #expect(options.identifier == "as(5:paper)")
        // Without a decoder for the format, the bytes count.
        options.formatHint = ImageFormat(rawValue: "stone")
        #expect(try Self.coders.decoder(for: PipelineFixture.png, options: options) is GatedDecoder)
        // A decoder of the request takes precedence over all.
        options.decoder = NamedDecoder(id: "own", decoder: PaperDecoder(word: "own"))
        #expect((try Self.coders.decoder(for: PipelineFixture.png, options: options) as? PaperDecoder)?.word == "own")
    }

    // MARK: Marks

    /// Decodes images with a word at their end, or a name.
    private struct MarkedDecoder: RecognizingImageDecoder {
        var formats: Set<ImageFormat> { [RecognizingDecoderTests.format] }

        func recognizes(_ head: Data) -> Bool { false }

        func recognizes(_ head: Data, _ marks: RecognitionMarks) -> Bool {
            marks.end.suffix(3) == Data("END".utf8) && marks.end.count <= RecognitionMarks.endLength
                || marks.names(RecognizingDecoderTests.format)
        }

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
            ImageInfo(format: RecognizingDecoderTests.format, size: PixelSize(width: 2, height: 1))
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            try PaperDecoder().decode(bytes, context: context)
        }
    }

    private static let marked = ImageCoderRegistry(decoders: [GatedDecoder(), MarkedDecoder()])

    @Test func aNameHelpsADecoderThatAsksForIt() throws {
        let bytes = Data("anything".utf8)
        for name in ["a.ppr", "https://a.test/b/a.PPR?size=3#top", "/a.b/c.ppr"] {
            #expect(try Self.marked.decoder(for: bytes, name: name) is MarkedDecoder, "\(name)")
            #expect(try Self.marked.info(of: bytes, name: name)?.format == Self.format)
        }
        for name in ["ppr", "a.ppr/b", "a.png?b=c.ppr", "a.", "a.pprpprppr", ""] {
            expectError(.notAnImage) { try Self.marked.decoder(for: bytes, name: name) }
        }
        // Other decoders do not see names.
        expectError(.notAnImage) { try Self.coders.decoder(for: bytes, name: "a.ppr") }
    }

    @Test func theEndOfAnImageIsExamined() throws {
        let bytes = Data(count: 1000) + Data("END".utf8)
        #expect(try Self.marked.decoder(for: bytes) is MarkedDecoder)
        #expect(try Self.marked.decoder(for: (Data([0]) + bytes).dropFirst()) is MarkedDecoder)
        expectError(.notAnImage) { try Self.marked.decoder(for: bytes.dropLast()) }
    }

    @Test func aPipelineUsesTheNameOfASource() async throws {
        var configuration = PipelineConfiguration()
        configuration.coders = Self.marked
        let url = try #require(URL(string: "data:application/octet-stream,anything"))
        let pipeline = ImagePipeline(configuration)
        let named = ImageRequest(source: .bytes(Data("anything".utf8), id: "memory/a.ppr"))
        #expect(try await pipeline.image(for: named).info.format == Self.format)
        // A data URL has no name.
        await expectError(.notAnImage) { try await pipeline.image(for: ImageRequest(url: url)) }
    }

    @Test func aHintForAnUnknownFormatChangesNothing() {
        var options = DecodeOptions()
        options.formatHint = ImageFormat(rawValue: "stone")
        expectError(.notAnImage) {
            try Self.coders.decoder(for: Data("anything".utf8), options: options)
        }
    }

    @Test func aHintIsPartOfTheKey() {
        var options = DecodeOptions()
        options.formatHint = Self.format
        #expect(options.identifier == "hint(5:paper)" && DecodeOptions().identifier.isEmpty)
    }

    @Test func theHeaderIsReadOnceAllDecodersCanTell() throws {
        let coders = ImageCoderRegistry(decoders: [PaperDecoder(headLength: 1000), GatedDecoder()])
        #expect(try coders.info(of: Data(count: 999), isComplete: false) == nil)
        #expect(try coders.info(of: Data("PAPER".utf8) + Data(count: 995), isComplete: false)?.format == Self.format)
    }

    @Test func theRegistryKnowsTheFileExtensionsOfItsFormats() {
        let coders = ImageCoderRegistry(decoders: [PaperDecoder()])
        #expect(coders.format(fileExtension: "PPR") == Self.format && coders.format(fileExtension: "jpg") == .jpeg)
        #expect(
            coders.format(fileExtension: "doc") == nil
                && coders.decodableFormats.map(\.mediaType) == ["application/paper"])
    }
}
