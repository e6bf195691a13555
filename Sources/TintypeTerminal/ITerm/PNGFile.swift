import CZlib
import Foundation
import TintypeCore

/// Writes pixels as a PNG file, quickly, for terminals that accept files but no pixels (PNG, third edition).
enum PNGFile {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Returns a file with 8 bits per channel, and with alpha only if the image needs it.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    static func encode(_ pixels: PixelBuffer) throws(TintypeError) -> [UInt8] {
        let raw = try KittyPixels(pixels)
        let channels = raw.format == .rgb ? 3 : 4
        let header =
            bigEndian(pixels.size.width) + bigEndian(pixels.size.height) + [8, raw.format == .rgb ? 2 : 6, 0, 0, 0]
        let data = try Zlib.compress(filtered(raw.bytes, rowLength: pixels.size.width * channels), level: 1)
        return signature + chunk("IHDR", header) + chunk("IDAT", data) + chunk("IEND", [])
    }

    /// Returns the rows, each after the number of the filter that subtracts the row above (2, "up").
    private static func filtered(_ bytes: [UInt8], rowLength: Int) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity(bytes.count + bytes.count / max(1, rowLength))
        for start in stride(from: 0, to: bytes.count, by: rowLength) {
            rows.append(2)
            for index in start..<start + rowLength {
                rows.append(bytes[index] &- (start == 0 ? 0 : bytes[index - rowLength]))
            }
        }
        return rows
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        let checksum = crc32(crc32(0, nil, 0), body, uInt(body.count))
        return bigEndian(data.count) + body + bigEndian(Int(checksum))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
