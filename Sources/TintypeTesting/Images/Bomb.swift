package import Foundation
package import TintypeCore

/// Makes small files that declare huge contents, for tests of decoder limits.
package enum Bomb {
    /// Returns a PNG with one byte of pixels.
    ///
    /// - Parameters:
    ///   - size: The size that the header declares, in pixels.
    ///   - chunks: Additional chunks before the pixels, with four-letter names.
    package static func png(_ size: PixelSize, chunks: [(name: String, body: Data)] = []) -> Data {
        let sides = bigEndian(UInt32(size.width)) + bigEndian(UInt32(size.height))
        var data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        data += chunk("IHDR", sides + Data([8, 2, 0, 0, 0]))
        for (name, body) in chunks { data += chunk(name, body) }
        return data + chunk("IDAT", Data([0x78, 0x9C, 0x63, 0, 0, 0, 1, 0, 1])) + chunk("IEND", Data())
    }

    /// Returns a GIF whose frames have one pixel each.
    ///
    /// - Parameters:
    ///   - size: The size of the canvas, in pixels; at most 65,535 in each direction.
    ///   - frames: The number of frames.
    package static func gif(_ size: PixelSize, frames: Int) -> Data {
        let sides = littleEndian(UInt16(size.width)) + littleEndian(UInt16(size.height))
        var data = Data("GIF89a".utf8) + sides + Data([0x80, 0, 0]) + Data([0, 0, 0, 255, 255, 255])
        let frame = Data([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
        for _ in 0..<frames { data += frame }
        return data + Data([0x3B])
    }

    /// Returns a progressive JPEG of 16 × 16 pixels whose scans have one byte each.
    ///
    /// - Parameters:
    ///   - scans: The number of scans.
    ///   - segments: Additional segments before the frame; see ``segment(_:body:)``.
    package static func jpeg(scans: Int = 1, segments: [Data] = []) -> Data {
        var data = Data([0xFF, 0xD8])
        for segment in segments { data += segment }
        data += segment(0xDB, body: Data([0]) + Data(repeating: 1, count: 64))
        data += segment(0xC2, body: Data([8, 0, 16, 0, 16, 1, 1, 0x11, 0]))
        data += segment(0xC4, body: Data([0, 1] + [UInt8](repeating: 0, count: 15) + [0]))
        let scan = segment(0xDA, body: Data([1, 1, 0, 0, 0, 0])) + Data([0])
        for _ in 0..<scans { data += scan }
        return data + Data([0xFF, 0xD9])
    }

    /// Returns a JPEG segment.
    ///
    /// - Parameters:
    ///   - marker: The second byte of the marker.
    ///   - body: The contents, at most 65,533 bytes.
    package static func segment(_ marker: UInt8, body: Data) -> Data {
        Data([0xFF, marker]) + bigEndian(UInt16(body.count + 2)) + body
    }

    /// Returns an extended WebP with one lossless pixel.
    ///
    /// - Parameter chunks: Additional chunks before the pixel, with four-letter names.
    package static func webP(_ chunks: [(name: String, body: Data)]) -> Data {
        riff([("VP8X", Data([0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0]))] + chunks + [("VP8L", pixel)])
    }

    /// Returns an animated WebP. Each frame declares the size of the canvas and contains one pixel.
    ///
    /// - Parameters:
    ///   - size: The size of the canvas, in pixels; at most 16,777,216 in each direction.
    ///   - frames: The number of frames.
    package static func webP(_ size: PixelSize, frames: Int) -> Data {
        let sides = Data(threeBytes(size.width - 1) + threeBytes(size.height - 1))
        let frame = Data(count: 6) + sides + Data([10, 0, 0, 0]) + riffChunk("VP8L", pixel)
        let head = [("VP8X", Data([2, 0, 0, 0]) + sides), ("ANIM", Data(count: 6))]
        return riff(head + (0..<frames).map { _ in ("ANMF", frame) })
    }

    /// Returns a BMP without pixels.
    ///
    /// - Parameter size: The size that the header declares, in pixels.
    package static func bmp(_ size: PixelSize) -> Data {
        let header: [UInt32] = [40, UInt32(size.width), UInt32(size.height), 24 << 16 | 1, 0, 0, 0, 0, 0, 0]
        let words = [60, 0, 54] + header
        return words.reduce(Data("BM".utf8)) { $0 + littleEndian($1) }
    }

    /// Returns an SVG with nested entities, each of which expands to ten of the previous level ("billion laughs").
    ///
    /// - Parameter depth: The number of levels, at least 1.
    package static func laughs(depth: Int = 9) -> Data {
        let entities = (1...depth).map { level in
            "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
        }
        let declared = "<!DOCTYPE svg [<!ENTITY l0 \"lol\">\(entities.joined())]>"
        let text = "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>&l\(depth);</text></svg>"
        return Data("<?xml version=\"1.0\"?>\(declared)\(text)".utf8)
    }
}

extension Bomb {
    private static let pixel = Data([0x2F, 0, 0, 0, 0, 0x88, 0x88, 0x08])

    private static func riff(_ chunks: [(name: String, body: Data)]) -> Data {
        riffChunk("RIFF", chunks.reduce(Data("WEBP".utf8)) { $0 + riffChunk($1.name, $1.body) })
    }

    private static func riffChunk(_ name: String, _ body: Data) -> Data {
        Data(name.utf8) + littleEndian(UInt32(body.count)) + body + Data(count: body.count & 1)
    }

    package static func chunk(_ name: String, _ body: Data) -> Data {
        let checked = Data(name.utf8) + body
        return bigEndian(UInt32(body.count)) + checked + bigEndian(ZlibStored.crc32(checked))
    }

    private static func threeBytes(_ number: Int) -> [UInt8] {
        [UInt8(number & 255), UInt8(number >> 8 & 255), UInt8(number >> 16 & 255)]
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }
}
