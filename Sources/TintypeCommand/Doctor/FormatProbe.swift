import Foundation
import Tintype

/// A test of the codecs of one format: a small image is encoded, if the format can be written, and decoded.
struct FormatProbe: Encodable, Sendable {
    let format: String
    let isDecoded: Bool
    let isEncoded: Bool
    let isAnimated: Bool
    /// Whether there was an image to test the format with.
    let isTested: Bool
    /// The library and its version, if it states one.
    let library: String?
    /// The library that is not installed, and its packages; `nil` if none is missing. Tintype works without it.
    let missing: String?
    /// Why the test failed, or `nil`.
    let failure: String?

    /// Tests every format. Blocks.
    static func all(_ coders: ImageCoderRegistry) -> [FormatProbe] {
        Set(coders.decodableFormats + coders.encodableFormats).sorted { $0.rawValue < $1.rawValue }.map {
            FormatProbe($0, coders)
        }
    }

    init(_ format: ImageFormat, _ coders: ImageCoderRegistry) {
        self.format = format.rawValue
        isDecoded = coders.decodableFormats.contains(format)
        isEncoded = coders.encodableFormats.contains(format)
        isAnimated = coders.animatedFormats.contains(format)
        do throws(TintypeError) {
            let sample = try FormatSample(format, coders)
            try sample?.verify(coders)
            (isTested, missing, failure) = (sample != nil, nil, nil)
        } catch {
            let isMissing = error.code == .noCoder && !ImageCoderRegistry.standard.decodableFormats.contains(format)
            isTested = !isMissing
            (missing, failure) = isMissing ? (error.message, nil) : (nil, error.message)
        }
        // After the test, because some libraries are loaded only when their format is first used.
        library = LibraryVersion.library(for: format).flatMap { library in
            library.version.map { "\(library.name) \($0)" }
        }
    }

    /// The line of the human-readable output.
    var line: StyledText {
        let abilities = [
            isDecoded ? "reads" : "", isEncoded ? "writes" : "", isAnimated ? "animates" : "",
            isTested ? "" : "not tested",
        ]
        let text = abilities.filter { !$0.isEmpty }.joined(separator: ", ")
        let name = format.padded(6)
        if let missing { return StyledText("  \(name)") + StyledText(missing, .secondary) }
        guard failure == nil else {
            return StyledText("  \(name)") + StyledText("fails:", .failure) + StyledText(" \(failure ?? "")")
        }
        return StyledText("  \(name)" + (library == nil ? text : text.padded(25)))
            + StyledText(library ?? "", .secondary)
    }
}

/// An image of one colour in one format.
struct FormatSample: Sendable {
    let format: ImageFormat
    let bytes: Data
    let size: PixelSize

    /// The colour, as red, green and blue.
    private static let color: [UInt8] = [0x30, 0x90, 0xC0]
    /// The maximum difference per channel, 0–255, that a lossy format may cause.
    private static let tolerance = 8

    /// Encodes an image; for a format that can only be read, uses an embedded file.
    ///
    /// - Returns: `nil` for a format that can neither be written nor has an image here.
    /// - Throws: The error of the encoder.
    init?(_ format: ImageFormat, _ coders: ImageCoderRegistry) throws(TintypeError) {
        self.format = format
        size = format == .ico ? PixelSize(width: 1, height: 1) : PixelSize(width: 16, height: 16)
        if coders.encodableFormats.contains(format) {
            let options = EncodeOptions(quality: 0.9)
            bytes = try coders.encoder(for: format).encode(Self.pixels(size), as: format, options: options)
        } else if let constant = Self.constants[format] {
            bytes = constant
        } else {
            return nil
        }
    }

    private static func pixels(_ size: PixelSize) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        writer.withRows { rows in
            for index in rows.indices { rows[index] = index % 4 == 3 ? 255 : color[index % 4] }
        }
        return writer.finish()
    }

    /// Decodes the image, and compares its format, size and colour.
    ///
    /// - Throws: The error of the decoder; `TintypeError.Code.undecodable` if it is another image.
    func verify(_ coders: ImageCoderRegistry) throws(TintypeError) {
        let decoded = try coders.decoder(for: bytes).decode(bytes, context: DecodeContext())
        guard decoded.info.format == format, decoded.size == size else {
            throw TintypeError(.undecodable, stage: .decode, "got a \(decoded.info.format) image of \(decoded.size)")
        }
        let difference = decoded.pixels.withUnsafeBytes { bytes in
            (0..<size.height).map { row in
                (0..<size.width * 4).map { index in
                    let expected = index % 4 == 3 ? 255 : Self.color[index % 4]
                    return abs(Int(bytes[row * decoded.pixels.bytesPerRow + index]) - Int(expected))
                }.max() ?? 0
            }.max() ?? 0
        }
        guard difference <= Self.tolerance else {
            throw TintypeError(
                .undecodable, stage: .decode, "the colour of the decoded image differs by \(difference) of 255")
        }
    }
}
