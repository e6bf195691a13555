import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTGA
import TintypeTesting

@testable import TintypeCommand

@Suite(.timeLimited) struct DoctorTests {
    @Test func everyFormatIsTestedAndTheCacheIsFound() async throws {
        let run = try await CommandRun.tintype("doctor", "--json")
        #expect(run.status == 0, "\(run.error)")
        let record = try #require(try run.records.first)
        let formats = try #require(record["formats"] as? [[String: any Sendable]])
        let names = Set(formats.compactMap { $0["format"] as? String })
        let coders = ImageCoderRegistry.command
        #expect(names == Set((coders.decodableFormats + coders.encodableFormats).map(\.rawValue)))
        #expect(formats.allSatisfy { $0["failure"] == nil }, "\(formats)")
        let untested = formats.filter { $0["isTested"] as? Bool != true && $0["missing"] == nil }
        // There is no image of a camera that is small enough.
        #expect(untested.compactMap { $0["format"] as? String } == ["raw"])
        let svg = try #require(formats.first { $0["format"] as? String == "svg" })
        #expect((svg["library"] as? String)?.hasPrefix("librsvg 2.") == true)
        let png = try #require(formats.first { $0["format"] as? String == "png" })
        #expect((png["library"] as? String)?.hasPrefix("libpng 1.") == true)
        #expect((record["libraries"] as? [String])?.contains { $0.hasPrefix("sqlite 3.") } == true)
        let transport = try #require(record["transport"] as? [String: any Sendable])
        #expect((transport["library"] as? String)?.contains(".") == true)
        #expect(transport["usesHTTP2"] as? Bool == CurlTransport.usesHTTP2)
        let text = try await CommandRun.tintype("doctor")
        #expect(text.status == 0 && text.output.contains("reads, writes, animates"))
        #expect(text.output.contains(CurlTransport.usesHTTP2 ? "HTTP/1.1 and HTTP/2" : "HTTP/2 needs libcurl 8.1.0"))
        #expect(text.output.contains("none, so no progress is shown"))
    }

    /// A decoder that returns another colour passes no test.
    @Test func aWrongColourIsAFailure() throws {
        let black = try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0), size: PixelSize(width: 16, height: 16))
        let coders = ImageCoderRegistry(decoders: [FixedDecoder(pixels: black)], encoders: [PNGEncoder()])
        let probe = FormatProbe(.png, coders)
        #expect(probe.isTested && probe.failure?.contains("colour") == true)
        let absent = FormatProbe(.tga, ImageCoderRegistry(decoders: [AbsentDecoder()]))
        #expect(!absent.isTested && absent.failure == nil && absent.missing == "install libabsent")
        #expect(absent.line.text.hasSuffix("install libabsent"))
        let none = FormatProbe(.gif, ImageCoderRegistry(decoders: [GIFDecoder()]))
        #expect(!none.isTested && none.failure == nil && none.line.text.contains("not tested"))
    }

    private struct FixedDecoder: ImageDecoder {
        let pixels: PixelBuffer
        var formats: Set<ImageFormat> { [.png] }

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
            ImageInfo(format: .png, size: pixels.size)
        }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            Image(pixels: pixels, info: ImageInfo(format: .png, size: pixels.size))
        }
    }

    /// A decoder whose library is not installed.
    private struct AbsentDecoder: RecognizingImageDecoder {
        var formats: Set<ImageFormat> { [.tga] }

        func recognizes(_ head: Data) -> Bool { true }

        func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { nil }

        func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
            throw TintypeError(.noCoder, stage: .decode, "install libabsent")
        }
    }

    @Test(arguments: [("LIBTIFF, Version 4.5.0\nCopyright", "4.5.0"), ("1.6.39", "1.6.39"), ("none", "none")])
    func theVersionIsTheFirstNumber(_ text: String, _ version: String) {
        #expect(LibraryVersion.numbers(in: text) == version)
    }
}
