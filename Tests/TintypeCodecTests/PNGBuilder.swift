import CZlib
import Foundation

/// Builds small PNGs with given chunks.
enum PNGBuilder {
    /// Returns an image of one pixel of 8-bit RGB.
    static func image(with chunks: (String, Data)...) throws -> Data {
        try image(with: chunks)
    }

    static func image(with chunks: [(String, Data)]) throws -> Data {
        try image(depth: 8, isInterlaced: false, row: [0, 10, 20, 30], chunks)
    }

    /// Returns an image of one pixel of 16-bit RGB, which is stored in one pass of an interlaced image.
    static func wideInterlacedImage() throws -> Data {
        try image(depth: 16, isInterlaced: true, row: [0, 10, 0, 20, 0, 30, 0], [])
    }

    private static func image(
        depth: UInt8, isInterlaced: Bool, row: [UInt8], _ chunks: [(String, Data)]
    ) throws -> Data {
        var png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        png += chunk("IHDR", Data([0, 0, 0, 1, 0, 0, 0, 1, depth, 2, 0, 0, isInterlaced ? 1 : 0]))
        for (name, body) in chunks { png += chunk(name, body) }
        return png + chunk("IDAT", try deflated(Data(row))) + chunk("IEND", Data())
    }

    static func chunk(_ name: String, _ body: Data) -> Data {
        let typed = Data(name.utf8) + body
        let checksum = typed.withUnsafeBytes { crc32_z(0, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
        return bigEndian(UInt32(body.count)) + typed + bigEndian(UInt32(checksum))
    }

    static func deflatedZeros(_ count: Int) throws -> Data { try deflated(Data(count: count)) }

    static func deflated(_ data: Data) throws -> Data {
        var count = compressBound(UInt(data.count))
        var out = Data(count: Int(count))
        let status = out.withUnsafeMutableBytes { target in
            data.withUnsafeBytes { source in
                compress(
                    target.bindMemory(to: UInt8.self).baseAddress, &count,
                    source.bindMemory(to: UInt8.self).baseAddress, UInt(source.count))
            }
        }
        guard status == Z_OK else { throw CocoaError(.coderInvalidValue) }
        return out.prefix(Int(count))
    }

    static func bigEndian(_ number: UInt32) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
}
