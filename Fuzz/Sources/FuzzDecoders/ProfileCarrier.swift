import Foundation

/// Pictures that say that their colours are those of a profile, whatever its bytes are.
enum ProfileCarrier {
    /// JPEG: APP2, in as many segments as it takes (ICC.1:2022, B.4).
    static func jpeg(_ picture: Data, _ profile: Data) -> Data {
        let longest = 65_519
        let starts = Array(stride(from: 0, to: max(profile.count, 1), by: longest))
        var file = picture.prefix(2)
        for (index, start) in starts.enumerated() {
            let body = profile[start..<min(start + longest, profile.count)]
            file += [0xFF, 0xE2] + big16(body.count + 16) + Array("ICC_PROFILE\0".utf8)
            file += [UInt8(index + 1), UInt8(starts.count)] + body
        }
        return file + picture.dropFirst(2)
    }

    /// PNG: iCCP after the header, stored without compression.
    static func png(_ picture: Data, _ profile: Data) -> Data {
        let headerEnd = 33
        let body = Data("fuzz\0\0".utf8) + stored(profile)
        let chunk = big32(body.count) + Array("iCCP".utf8) + body + [0, 0, 0, 0]
        return PNGRepair.repaired(picture.prefix(headerEnd) + chunk + picture.dropFirst(headerEnd))
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4).
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
