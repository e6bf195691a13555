import Foundation

@testable import TintypeCore
@testable import TintypeJPEG
@testable import TintypePNG

/// Decodes valid images with a colour profile of arbitrary bytes: RGB, grey, CMYK, and 16 bits with the full range.
struct ProfileRun: Sendable {
    // Not `Data`: the leak check does not see where it keeps its bytes.
    private let jpegs: [[UInt8]]
    private let deep: [UInt8]

    /// Reads the images from the fixtures of the checkout that this was built from.
    init() throws {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Tests/TintypeCodecTests/Fixtures")
        func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: fixtures.appending(path: name))) }
        jpegs = try ["odd-33x7.jpg", "grey.jpg", "cmyk.jpg"].map(bytes)
        deep = try bytes("rgb-16.png")
    }

    func run(_ profile: Data) {
        for image in jpegs { decode(JPEGDecoder(), ProfileCarrier.jpeg(Data(image), profile), .standard) }
        decode(PNGDecoder(), ProfileCarrier.png(Data(deep), profile), .high)
    }

    /// Decodes an image, which is valid: an unusable profile counts as none.
    private func decode(_ decoder: any ImageDecoder, _ file: Data, _ range: DecodeOptions.DynamicRange) {
        let context = DecodeContext(options: DecodeOptions(size: .fit(PixelSize(width: 8, height: 8)), range: range))
        do throws(TintypeError) {
            _ = try decoder.decode(file, context: context)
        } catch {
            preconditionFailure("a valid image with a replaced profile fails: \(error)")
        }
    }
}

/// Valid images with a given colour profile, whatever its bytes are.
enum ProfileCarrier {
    /// Returns a JPEG with the profile in as many APP2 segments as it needs (ICC.1:2022, B.4).
    static func jpeg(_ image: Data, _ profile: Data) -> Data {
        let longest = 65_519
        let starts = Array(stride(from: 0, to: max(profile.count, 1), by: longest))
        var file = image.prefix(2)
        for (index, start) in starts.enumerated() {
            let body = profile[start..<min(start + longest, profile.count)]
            file += [0xFF, 0xE2] + big16(body.count + 16) + Array("ICC_PROFILE\0".utf8)
            file += [UInt8(index + 1), UInt8(starts.count)] + body
        }
        return file + image.dropFirst(2)
    }

    /// Returns a PNG with an iCCP chunk after its header, stored without compression.
    static func png(_ image: Data, _ profile: Data) -> Data {
        let headerEnd = 33
        let body = Data("fuzz\0\0".utf8) + stored(profile)
        let chunk = big32(body.count) + Array("iCCP".utf8) + body + [0, 0, 0, 0]
        return PNGRepair.repaired(image.prefix(headerEnd) + chunk + image.dropFirst(headerEnd))
    }

    /// Returns a zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4).
    private static func stored(_ bytes: Data) -> Data {
        let longest = 65_535
        let starts = Array(stride(from: 0, to: max(bytes.count, 1), by: longest))
        var stream = Data([0x78, 0x01])
        for start in starts {
            let block = bytes[start..<min(start + longest, bytes.count)]
            let length = UInt16(block.count)
            stream += [start == starts.last ? 1 : 0] + [length, ~length].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            stream += block
        }
        return stream + big32(adler(bytes))
    }

    private static func adler(_ bytes: Data) -> Int {
        let sums = bytes.reduce((1, 0)) { sums, byte in
            let first = (sums.0 + Int(byte)) % 65_521
            return (first, (sums.1 + first) % 65_521)
        }
        return sums.1 << 16 | sums.0
    }

    private static func big16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }

    private static func big32(_ value: Int) -> [UInt8] { big16(value >> 16) + big16(value & 0xFFFF) }
}
