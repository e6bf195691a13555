import CTintypeJP2
import Foundation
import TintypeCore

/// What the boxes of a JP2 state of its channels (ITU-T T.800, annex I). OpenJPEG knows it only once the samples are
/// decoded.
///
/// Damaged boxes count as absent. A codestream has no boxes.
struct JPEG2000Boxes {
    /// The enumerated colour space of the first colour specification that has one.
    private(set) var colors = tintype_jp2_colors.unspecified
    /// Whether there is an ICC profile.
    private(set) var hasProfile = false
    /// The number of channels that a palette makes; `nil` without a palette.
    private(set) var paletteColumns: Int?
    /// The kind of alpha of each channel that the channel definitions name: 0 for a colour.
    private(set) var alpha: [Int: UInt16] = [:]

    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        guard bytes.count >= 12, bytes[4] == UInt8(ascii: "j"), bytes[5] == UInt8(ascii: "P") else { return }
        for (kind, body) in boxes(in: 0..<bytes.count) where kind == "jp2h" {
            for (kind, body) in boxes(in: body) { read(kind, body) }
        }
    }

    /// Returns the kinds and the contents of boxes, up to the first that is damaged or reaches beyond its container.
    private func boxes(in range: Range<Int>) -> [(kind: String, body: Range<Int>)] {
        var (offset, found) = (range.lowerBound, [(kind: String, body: Range<Int>)]())
        while offset + 8 <= range.upperBound {
            let kind = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            let length = number(4, at: offset)
            // 0 reaches to the end; 1 is followed by a length of 8 bytes, which only a codestream has.
            guard length >= 8, length <= range.upperBound - offset else { break }
            found.append((kind, offset + 8..<offset + length))
            offset += length
        }
        return found
    }

    private mutating func read(_ kind: String, _ body: Range<Int>) {
        switch kind {
        case "colr" where body.count >= 7 && bytes[body.lowerBound] == 1 && colors == .unspecified && !hasProfile:
            colors =
                switch number(4, at: body.lowerBound + 3) {
                case 12: .cmyk
                case 16: .rgb
                case 17: .grey
                case 18, 24: .ycc
                default: .unspecified
                }
        case "colr" where body.count > 3 && bytes[body.lowerBound] == 2: hasProfile = colors == .unspecified
        case "pclr" where body.count >= 3: paletteColumns = Int(bytes[body.lowerBound + 2])
        case "cdef" where body.count >= 2:
            let count = min(number(2, at: body.lowerBound), (body.count - 2) / 6)
            for index in 0..<count {
                let start = body.lowerBound + 2 + 6 * index
                let type = number(2, at: start + 2)
                alpha[number(2, at: start)] = type == 1 || type == 2 ? UInt16(type) : 0
            }
        default: break
        }
    }

    /// Returns a big-endian number, which must lie inside the bytes.
    private func number(_ size: Int, at offset: Int) -> Int {
        (0..<size).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
    }
}
