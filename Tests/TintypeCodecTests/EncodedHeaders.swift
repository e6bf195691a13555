import Foundation

/// The header of a PNG: IHDR, and the sizes of the chunks before the pixels (PNG third edition, 11.2).
struct PNGHeaderFields {
    let bitDepth: Int
    /// 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGBA.
    let colorType: Int
    /// The lengths of the first chunk of each type.
    private(set) var lengths: [String: Int] = [:]
    /// The second byte of the zlib stream, whose two high bits tell the level (RFC 1950, 2.2).
    private(set) var zlibFlags = 0

    init(_ png: Data) {
        let bytes = [UInt8](png)
        (bitDepth, colorType) = (Int(bytes[24]), Int(bytes[25]))
        var offset = 8
        while offset + 12 <= bytes.count {
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            if type == "IDAT" && lengths[type] == nil { zlibFlags = Int(bytes[offset + 9]) }
            if lengths[type] == nil { lengths[type] = length }
            offset += 12 + length
        }
    }

    var zlibLevel: Int { zlibFlags >> 6 }
    var paletteCount: Int { lengths["PLTE", default: 0] / 3 }
}

/// The frame header of a JPEG (ITU-T T.81, B.2.2).
struct JPEGFrameFields {
    /// Whether the frame is progressive (SOF2) and not baseline (SOF0).
    let isProgressive: Bool
    /// The sampling factors of each component, such as `"2x1"`.
    let sampling: [String]

    init?(_ jpeg: Data) {
        let bytes = [UInt8](jpeg)
        var offset = 2
        while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
            let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
            guard bytes[offset + 1] == 0xC0 || bytes[offset + 1] == 0xC2 else {
                offset += 2 + length
                continue
            }
            isProgressive = bytes[offset + 1] == 0xC2
            sampling = (0..<Int(bytes[offset + 9])).map { index in
                let factors = bytes[offset + 11 + 3 * index]
                return "\(factors >> 4)x\(factors & 15)"
            }
            return
        }
        return nil
    }
}

/// The tags of the first directory of a little-endian TIFF (TIFF 6.0, section 2) that have one value, or of several
/// their first.
struct TIFFTags {
    private var values: [Int: Int] = [:]

    init(_ tiff: Data) {
        let bytes = [UInt8](tiff)
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let directory = number(4, 4)
        for entry in 0..<number(directory, 2) {
            let start = directory + 2 + 12 * entry
            let (isShort, count) = (number(start + 2, 2) == 3, number(start + 4, 4))
            let isInline = count * (isShort ? 2 : 4) <= 4
            values[number(start, 2)] = number(isInline ? start + 8 : number(start + 8, 4), isShort ? 2 : 4)
        }
    }

    var bits: Int? { values[258] }
    /// 1 is grey, 2 RGB.
    var photometric: Int? { values[262] }
    var samples: Int? { values[277] }
}

extension Data {
    /// The bytes after the first occurrence of a name, such as the type of a box.
    func bytes(after name: String, count: Int) -> [UInt8]? {
        range(of: Data(name.utf8)).map { [UInt8](self[$0.upperBound...].prefix(count)) }
    }

    /// The sampling that the configuration of an AV1 image states (AV1 Codec ISO Media File Format Binding, 2.3.3).
    var av1Sampling: String? {
        bytes(after: "av1C", count: 4).map { box in
            switch (box[2] >> 4 & 1, box[2] >> 3 & 1, box[2] >> 2 & 1) {
            case (1, _, _): "400"
            case (_, 1, 1): "420"
            case (_, 1, 0): "422"
            default: "444"
            }
        }
    }

    /// The sampling that the configuration of an HEVC image states: 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4
    /// (ISO/IEC 14496-15, 8.3.2.1).
    var hevcSampling: Int? { bytes(after: "hvcC", count: 17).map { Int($0[16] & 3) } }
}
