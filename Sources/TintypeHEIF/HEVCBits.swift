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
