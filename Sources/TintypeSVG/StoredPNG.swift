import CZlib
import Foundation
import TintypeCore

/// Writes a PNG that librsvg reads at once, so that speed counts more than size (PNG third edition).
enum StoredPNG {
    /// Returns a PNG of straight RGBA; `nil` if memory runs out.
    static func bytes(of pixels: PixelBuffer) -> Data? {
        let size = pixels.size
        var rows = Data(capacity: size.height * (4 * size.width + 1))
        pixels.withUnsafeBytes { bytes in
            for y in 0..<size.height {
                rows.append(0)
                let start = y * pixels.bytesPerRow
                rows.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<start + 4 * size.width]))
            }
        }
        guard let compressed = deflated(rows) else { return nil }
        let header = bigEndian(size.width) + bigEndian(size.height) + Data([8, 6, 0, 0, 0])
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + chunk("IHDR", header)
            + chunk("IDAT", compressed) + chunk("IEND", Data())
    }

    private static func deflated(_ data: Data) -> Data? {
        var count = compressBound(UInt(data.count))
        var result = Data(count: Int(count))
        let status = result.withUnsafeMutableBytes { target in
            data.withUnsafeBytes { source in
                compress2(
                    target.bindMemory(to: UInt8.self).baseAddress, &count,
                    source.bindMemory(to: UInt8.self).baseAddress, UInt(source.count), Z_BEST_SPEED)
            }
        }
        return status == Z_OK ? result.prefix(Int(count)) : nil
    }

    private static func chunk(_ name: String, _ body: Data) -> Data {
        let typed = Data(name.utf8) + body
        let checksum = typed.withUnsafeBytes { crc32_z(0, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
        return bigEndian(body.count) + typed + bigEndian(Int(checksum))
    }

    private static func bigEndian(_ number: Int) -> Data {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Data($0) }
    }
}
