import Foundation

/// Corrects the checksums of a PNG's chunks, so that damaged bodies get past the first check.
enum PNGRepair {
    private static let signatureLength = 8

    static func repaired(_ bytes: Data) -> Data {
        var data = Data(bytes)
        var offset = signatureLength
        while offset + 12 <= data.count {
            let length = data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = offset + 8 + length
            guard end + 4 <= data.count else { break }
            let checksum = checksum(data[offset + 4..<end])
            for index in 0..<4 { data[end + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * index)) }
            offset = end + 4
        }
        return data
    }

    /// Returns the CRC-32 of PNG (third edition, annex D).
    private static func checksum(_ bytes: Data) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes { crc = table[Int((crc ^ UInt32(byte)) & 255)] ^ (crc >> 8) }
        return ~crc
    }

    private static let table = (0..<256).map { index in
        var crc = UInt32(index)
        for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        return crc
    }
}
