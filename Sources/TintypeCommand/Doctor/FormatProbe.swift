import Foundation
import Tintype

/// A test of the codecs of one format: a small image is encoded and decoded.
struct FormatProbe: Encodable, Sendable {
    let format: String
    let isDecoded: Bool
    let isEncoded: Bool
    let isAnimated: Bool
    /// The library and its version, if it states one.
    let library: String?
    /// Why the test failed, or `nil`.
    let failure: String?

    /// Tests every format. Blocks.
    static func all(_ coders: ImageCoderRegistry) -> [FormatProbe] {
        Set(coders.decodableFormats + coders.encodableFormats).sorted { $0.rawValue < $1.rawValue }.map {
            FormatProbe($0, coders)
        }
    }

    private init(_ format: ImageFormat, _ coders: ImageCoderRegistry) {
        self.format = format.rawValue
        isDecoded = coders.decodableFormats.contains(format)
        isEncoded = coders.encodableFormats.contains(format)
        isAnimated = coders.animatedFormats.contains(format)
        library = LibraryVersion.library(for: format).flatMap { library in
            library.version.map { "\(library.name) \($0)" }
        }
        do throws(TintypeError) {
            try Self.test(format, coders)
            failure = nil
        } catch {
            failure = error.message
        }
    }

    private static func test(_ format: ImageFormat, _ coders: ImageCoderRegistry) throws(TintypeError) {
        guard let bytes = try sample(format, coders) else { return }
        let decoded = try coders.decoder(for: bytes).decode(bytes, context: DecodeContext())
        guard decoded.info.format == format, decoded.size == size else {
            throw TintypeError(.undecodable, stage: .decode, "got a \(decoded.info.format) image of \(decoded.size)")
        }
    }

    private static let size = PixelSize(width: 16, height: 16)

    /// Returns an image of a format, or `nil` if there is neither an encoder nor a text form.
    private static func sample(_ format: ImageFormat, _ coders: ImageCoderRegistry) throws(TintypeError) -> Data? {
        if format == .svg {
            return Data("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\"><rect/></svg>".utf8)
        }
        guard coders.encodableFormats.contains(format) else { return nil }
        var writer = try PixelWriter(size: size)
        writer.clear()
        let pixels = writer.finish()
        return try coders.encoder(for: format).encode(pixels, as: format, options: EncodeOptions())
    }

    /// The line of the human-readable output.
    var line: StyledText {
        let abilities = [isDecoded ? "reads" : "", isEncoded ? "writes" : "", isAnimated ? "animates" : ""]
        let text = abilities.filter { !$0.isEmpty }.joined(separator: ", ")
        let name = format + String(repeating: " ", count: max(1, 6 - format.count))
        let space = String(repeating: " ", count: max(1, 25 - text.count))
        guard failure == nil else {
            return StyledText("  \(name)") + StyledText("fails:", .failure) + StyledText(" \(failure ?? "")")
        }
        return StyledText("  \(name)\(text)") + StyledText(library.map { space + $0 } ?? "", .secondary)
    }
}
