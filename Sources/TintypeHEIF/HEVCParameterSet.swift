import TintypeCore

/// What a sequence parameter set says of the pictures that are decoded with it (ITU-T H.265, 7.3.2.2): a decoder claims
/// memory for these, whatever the file around them says.
struct HEVCParameterSet {
    /// Of the pictures as coded, before they are cut.
    let size: PixelSize

    /// The type of the unit (7.4.2.2).
    private static let unitType = 33
    /// The sizes stand within as many bytes, however many layers there are.
    private static let mostBytes = 256

    /// Those of very large ones are not told exactly.
    var pixels: Int { min(size.width, 1 << 24) * min(size.height, 1 << 24) }

    /// - Parameter unit: a NAL unit.
    /// - Returns: `nil` for a unit of another type, and for one that ends too early, of which no decoder makes anything.
    init?(_ unit: UnsafeRawBufferPointer) {
        guard let first = unit.first, Int(first >> 1) & 63 == Self.unitType else { return nil }
        var bits = HEVCBits(unit.dropFirst(2).prefix(Self.mostBytes))
        // The number of the video parameter set; then how many layers there are below the highest, and whether they nest.
        bits.skip(4)
        guard let layers = bits.number(3) else { return nil }
        bits.skip(1)
        Self.skipProfiles(&bits, layers)
        guard bits.code() != nil, let chroma = bits.code() else { return nil }
        // Whether its planes are coded apart.
        if chroma == 3 { bits.skip(1) }
        guard let width = bits.code(), let height = bits.code() else { return nil }
        size = PixelSize(width: width, height: height)
    }

    /// `profile_tier_level` (7.3.3).
    private static func skipProfiles(_ bits: inout HEVCBits, _ layers: Int) {
        bits.skip(88 + 8)
        var isThere: [(profile: Bool, level: Bool)] = []
        for _ in 0..<layers { isThere.append((bits.number(1) == 1, bits.number(1) == 1)) }
        if layers > 0 { bits.skip(2 * (8 - layers)) }
        for layer in isThere { bits.skip((layer.profile ? 88 : 0) + (layer.level ? 8 : 0)) }
    }
}

/// Reads the bits of a NAL unit, from the highest of each byte on.
struct HEVCBits {
    private let bytes: [UInt8]
    private var place = 0

    /// - Parameter bytes: as stored: a 3 after two zeros is no part of what was meant (ITU-T H.265, 7.4.2).
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

    mutating func skip(_ count: Int) { place += count }

    /// A number of so many bits; `nil` when they are not all there.
    mutating func number(_ count: Int) -> Int? {
        guard place + count <= bytes.count * 8 else { return nil }
        var number = 0
        for _ in 0..<count {
            number = number << 1 | Int(bytes[place / 8] >> (7 - place % 8) & 1)
            place += 1
        }
        return number
    }

    /// A number as Exp-Golomb codes have it (9.2), of 32 bits at most.
    mutating func code() -> Int? {
        var zeros = 0
        while zeros <= 32 {
            guard let bit = number(1) else { return nil }
            guard bit == 0 else { return number(zeros).map { 1 << zeros - 1 + $0 } }
            zeros += 1
        }
        return nil
    }
}
