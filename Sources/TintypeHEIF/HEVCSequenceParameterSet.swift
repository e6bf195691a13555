import TintypeCore

/// The coded size in an HEVC sequence parameter set (ITU-T H.265, 7.3.2.2).
struct HEVCSequenceParameterSet {
    /// The size of the coded pictures in pixels, before cropping.
    let size: PixelSize
    /// The sampling of chroma: 0 for none, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    let chromaFormat: Int
    /// The number of bits between the header of the unit and `conformance_window_flag`, without the bytes that prevent
    /// start codes.
    let windowPosition: Int

    /// The NAL unit type (7.4.2.2).
    private static let unitType = 33
    /// The size fields lie within this many bytes, whatever the number of layers.
    private static let maxBytes = 256

    /// Parses a NAL unit.
    ///
    /// - Returns: `nil` for a unit of another type, and for a truncated one, which no decoder accepts.
    init?(_ unit: UnsafeRawBufferPointer) {
        guard let first = unit.first, Int(first >> 1) & 63 == Self.unitType else { return nil }
        var bits = HEVCBitReader(unit.dropFirst(2).prefix(Self.maxBytes))
        // sps_video_parameter_set_id, sps_max_sub_layers_minus1, sps_temporal_id_nesting_flag
        bits.skip(4)
        guard let layers = bits.readBits(3) else { return nil }
        bits.skip(1)
        Self.skipProfiles(&bits, layers)
        // sps_seq_parameter_set_id, chroma_format_idc
        guard bits.readExpGolomb() != nil, let chroma = bits.readExpGolomb() else { return nil }
        // separate_colour_plane_flag
        if chroma == 3 { bits.skip(1) }
        guard let width = bits.readExpGolomb(), let height = bits.readExpGolomb() else { return nil }
        size = PixelSize(width: width, height: height)
        (chromaFormat, windowPosition) = (chroma, bits.position)
    }

    /// Skips `profile_tier_level` (7.3.3).
    private static func skipProfiles(_ bits: inout HEVCBitReader, _ layers: Int) {
        bits.skip(88 + 8)
        var flags: [(hasProfile: Bool, hasLevel: Bool)] = []
        for _ in 0..<layers { flags.append((bits.readBits(1) == 1, bits.readBits(1) == 1)) }
        if layers > 0 { bits.skip(2 * (8 - layers)) }
        for layer in flags { bits.skip((layer.hasProfile ? 88 : 0) + (layer.hasLevel ? 8 : 0)) }
    }
}

/// Reads the bits of a NAL unit, the highest bit of each byte first.
struct HEVCBitReader {
    let bytes: [UInt8]
    /// The number of bits that were read or skipped.
    private(set) var position = 0

    /// - Parameter bytes: The stored bytes. A 3 after two zeros is removed: it only prevents start codes (ITU-T H.265,
    ///   7.4.2).
    init(_ bytes: some Sequence<UInt8>) {
        var (plain, zeros) = ([UInt8](), 0)
        for byte in bytes {
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            plain.append(byte)
        }
        self.bytes = plain
    }

    mutating func skip(_ count: Int) { position += count }

    /// Returns the next `count` bits as a number; `nil` if fewer bits are left.
    mutating func readBits(_ count: Int) -> Int? {
        guard position + count <= bytes.count * 8 else { return nil }
        var number = 0
        for _ in 0..<count {
            number = number << 1 | Int(bytes[position / 8] >> (7 - position % 8) & 1)
            position += 1
        }
        return number
    }

    /// Returns the next unsigned Exp-Golomb code (9.2), of at most 32 bits; `nil` if it is longer or truncated.
    mutating func readExpGolomb() -> Int? {
        var zeros = 0
        while zeros <= 32 {
            guard let bit = readBits(1) else { return nil }
            guard bit == 0 else { return readBits(zeros).map { 1 << zeros - 1 + $0 } }
            zeros += 1
        }
        return nil
    }
}
