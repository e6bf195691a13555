import Foundation
import Testing
import TintypeCore
import TintypeEXR
import TintypeJPEG2000
import TintypePNM
import TintypeTGA
import TintypeTesting

/// A file made by `scripts/fixtures/make-format-fixtures.py`, with what another program reads in it.
struct FormatFixture: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    /// The program that read the expected pixels.
    let reader: String
    /// The largest difference of a channel.
    let near: Int
    let bits: Int
    let hasAlpha: Bool
    let width: Int?
    let height: Int?

    var testDescription: String { name }

    static let all: [FormatFixture] = {
        do {
            return try JSONDecoder().decode([FormatFixture].self, from: data("formats.json"))
        } catch {
            preconditionFailure("the manifest of the fixtures cannot be read: \(error)")
        }
    }()

    /// The fixtures whose library is installed.
    static let readable = all.filter { $0.format.map(Libraries.isPresent) ?? false }

    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Fixtures/\(name)"))
    }

    var data: Data { get throws { try Self.data(name) } }

    var format: ImageFormat? { Libraries.coders.format(fileExtension: URL(filePath: name).pathExtension) }

    var size: PixelSize? { width.flatMap { width in height.map { PixelSize(width: width, height: $0) } } }

    /// The expected image, premultiplied.
    var expected: PixelBuffer? {
        get throws {
            guard let size else { return nil }
            let bytes = [UInt8](try Self.data("\(name).rgba"))
            return try .drawn(size) { x, y in
                let offset = (y * size.width + x) * 4
                let alpha = Int(bytes[offset + 3])
                func channel(_ index: Int) -> UInt8 { UInt8((Int(bytes[offset + index]) * alpha * 2 + 255) / 510) }
                return Pixel(red: channel(0), green: channel(1), blue: channel(2), alpha: UInt8(alpha))
            }
        }
    }

    /// Decodes the fixture in this process, named as its file is.
    func decode(_ options: DecodeOptions = DecodeOptions()) throws -> Image {
        let data = try data
        return try Libraries.coders.decoder(for: data, name: name).decodeChecked(
            data, context: DecodeContext(options: options))
    }
}

/// The libraries that these tests need. A machine of CI must have them.
enum Libraries {
    static let coders = ImageCoderRegistry(
        decoders: [TGADecoder(), EXRDecoder(), JPEG2000Decoder(), PNMDecoder()])
    static let hasOpenJPEG = (try? JPEG2000Library.standard.get()) != nil
    static let hasOpenEXR = (try? EXRLibrary.standard.get()) != nil
    static let areRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    static func isPresent(for format: ImageFormat) -> Bool {
        switch format {
        case .jpeg2000: hasOpenJPEG
        case .exr: hasOpenEXR
        default: true
        }
    }
}
