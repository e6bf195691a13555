import TintypeCore

/// A parameter set, as a NAL unit whose fields can be changed (ITU-T H.265, 7.3.1 and 7.3.2).
struct HEVCUnit {
    /// The type of the unit (7.4.2.2).
    let type: UInt8
    /// The unit without the bytes that prevent start codes.
    private var plain: [UInt8]

    private static let videoParameterSet: UInt8 = 32
    private static let sequenceParameterSet: UInt8 = 33
    private static let headLength = 2

    init(_ stored: [UInt8]) {
        plain = HEVCBitReader(stored).bytes
        type = (plain.first ?? 0) >> 1 & 63
    }

    /// The unit as it is stored: a 3 follows two zeros where a start code could begin (7.4.2).
    var stored: [UInt8] {
        var (stored, zeros) = ([UInt8](), 0)
        for byte in plain {
            if zeros >= 2 && byte <= 3 {
                stored.append(3)
                zeros = 0
            }
            stored.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return stored
    }

    // MARK: Profile

    /// Changes the profile of a video or sequence parameter set to one that allows several images.
    mutating func allowSeveralImages() throws(TintypeError) {
        let offset: Int
        switch type {
        case Self.videoParameterSet: offset = Self.headLength + 4
        case Self.sequenceParameterSet: offset = Self.headLength + 1
        default: return
        }
        guard plain.count > offset + 7 else { throw .unexpectedStill("the profile of a parameter set is truncated") }
        Self.allowSeveralImages(in: &plain, at: offset)
    }

    /// Changes a profile (`profile_tier_level`: 7.3.3) to one that allows several images: Main instead of Main Still
    /// Picture, and no `general_one_picture_only_constraint_flag`, which the range extensions have (A.3.5).
    static func allowSeveralImages(in bytes: inout [UInt8], at offset: Int) {
        if bytes[offset] & 31 == 3 {
            bytes[offset] = bytes[offset] & 0xE0 | 1
            // Streams of Main are also streams of Main 10 (A.3.2).
            bytes[offset + 1] |= 0x60
        }
        bytes[offset + 1] &= ~0x10
        bytes[offset + 6] &= ~0x10
    }

    // MARK: Size

    /// Lets decoders crop images at the right and at the bottom, if this is a sequence parameter set
    /// (`conformance_window_flag`: 7.4.3.2.1).
    ///
    /// - Parameter pixels: The numbers of columns and rows that are removed.
    /// - Throws: `TintypeError.Code.encodeFailed` if they are not whole samples of chroma.
    mutating func crop(by pixels: PixelSize) throws(TintypeError) {
        guard type == Self.sequenceParameterSet, pixels != PixelSize(width: 0, height: 0) else { return }
        guard let set = stored.withUnsafeBytes({ HEVCSequenceParameterSet($0) }) else {
            throw .unexpectedStill("the size in a parameter set is truncated")
        }
        let (across, down) = ([1, 2].contains(set.chromaFormat) ? 2 : 1, set.chromaFormat == 1 ? 2 : 1)
        guard pixels.width >= 0, pixels.height >= 0, pixels.width % across == 0, pixels.height % down == 0 else {
            throw .unexpectedStill("\(pixels) pixels more than shown are not whole samples of chroma")
        }
        var reader = HEVCBitReader(stored)
        let (flag, end) = (8 * Self.headLength + set.windowPosition, HEVCBits.end(of: plain))
        reader.skip(flag)
        guard var window = reader.readWindow(), reader.position <= end else {
            throw .unexpectedStill("the window in a parameter set is truncated")
        }
        window[1] += pixels.width / across
        window[3] += pixels.height / down
        var bits = HEVCBits(plain, 0..<flag)
        bits.append(1, count: 1)
        for edge in window { bits.appendExpGolomb(edge) }
        bits.append(plain, reader.position..<end)
        plain = bits.bytes
    }
}

extension HEVCBitReader {
    /// Reads the conformance window: what is removed at the left, right, top and bottom; `nil` if it is truncated.
    fileprivate mutating func readWindow() -> [Int]? {
        guard let flag = readBits(1) else { return nil }
        guard flag == 1 else { return [0, 0, 0, 0] }
        var edges: [Int] = []
        for _ in 0..<4 {
            guard let edge = readExpGolomb() else { return nil }
            edges.append(edge)
        }
        return edges
    }
}

/// Bits of a NAL unit, the highest bit of each byte first.
private struct HEVCBits {
    private var bits: [Bool] = []

    /// Creates a copy of some bits of a unit.
    init(_ unit: [UInt8], _ range: Range<Int>) {
        append(unit, range)
    }

    /// Returns the number of bits of a unit with its stop bit, the last one that is set (7.3.2.11).
    static func end(of unit: [UInt8]) -> Int {
        let count = (unit.lastIndex { $0 != 0 } ?? -1) + 1
        return count == 0 ? 0 : 8 * count - unit[count - 1].trailingZeroBitCount
    }

    mutating func append(_ unit: [UInt8], _ range: Range<Int>) {
        for index in range { bits.append(unit[index / 8] >> (7 - index % 8) & 1 == 1) }
    }

    mutating func append(_ number: Int, count: Int) {
        for shift in (0..<count).reversed() { bits.append(number >> shift & 1 == 1) }
    }

    /// Appends an unsigned Exp-Golomb code (9.2).
    mutating func appendExpGolomb(_ number: Int) {
        let count = Int.bitWidth - (number + 1).leadingZeroBitCount
        append(0, count: count - 1)
        append(number + 1, count: count)
    }

    /// The bits in whole bytes, filled with zeros.
    var bytes: [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 << 1 | (start + $1 < bits.count && bits[start + $1] ? 1 : 0) }
        }
    }
}
