import TintypeCore

/// Unpacks the run lengths of a bitmap of 4 or 8 bits.
struct BMPRunLengths {
    private let packed: UnsafeRawBufferPointer
    private let size: PixelSize
    private let isNibbles: Bool
    private var place = 0
    private var (x, y) = (0, 0)

    init(_ packed: UnsafeRawBufferPointer, _ size: PixelSize, isNibbles: Bool) {
        self.packed = packed
        self.size = size
        self.isNibbles = isNibbles
    }

    /// An index for each pixel, in the order of storing, 0 for those that are passed over; and how many rows were reached
    /// before the bytes ended. A missing end marker alone costs no pixel.
    ///
    /// - Throws: ``TintypeError/Code/cancelled``.
    mutating func indices(_ context: DecodeContext) throws(TintypeError) -> (indices: [UInt8], rows: Int) {
        var indices = [UInt8](repeating: 0, count: size.area)
        while y < size.height {
            guard place <= packed.count - 2 else {
                return (indices, x >= size.width ? y + 1 : y)
            }
            let (count, value) = (Int(packed[place]), packed[place + 1])
            place += 2
            if count > 0 {
                for index in 0..<count { put(isNibbles ? nibble(index, value) : value, &indices) }
                continue
            }
            switch try obey(Int(value), &indices, context) {
            case .next: break
            case .end: return (indices, size.height)
            case .cut: return (indices, min(y, size.height))
            }
        }
        return (indices, size.height)
    }

    /// What comes after an escape.
    private enum Outcome {
        case next
        case end
        /// The bytes have ended within it.
        case cut
    }

    /// Carries out an escape.
    private mutating func obey(
        _ code: Int, _ indices: inout [UInt8], _ context: DecodeContext
    ) throws(TintypeError) -> Outcome {
        switch code {
        case 0:
            (x, y) = (0, y + 1)
            if y % 16 == 0 { try context.checkCancelled() }
        case 1: return .end
        case 2:
            guard place <= packed.count - 2 else { return .cut }
            (x, y) = (x + Int(packed[place]), y + Int(packed[place + 1]))
            place += 2
        default: return copy(code, &indices)
        }
        return .next
    }

    /// Indices one by one, padded to two bytes.
    private mutating func copy(_ count: Int, _ indices: inout [UInt8]) -> Outcome {
        let length = isNibbles ? (count + 1) / 2 : count
        guard length <= packed.count - place else { return .cut }
        for index in 0..<count {
            put(isNibbles ? nibble(index, packed[place + index / 2]) : packed[place + index], &indices)
        }
        place += length + length & 1
        return .next
    }

    private func nibble(_ index: Int, _ byte: UInt8) -> UInt8 { index & 1 == 0 ? byte >> 4 : byte & 15 }

    /// What goes beyond the end of a row is left out.
    private mutating func put(_ index: UInt8, _ indices: inout [UInt8]) {
        if x < size.width { indices[y * size.width + x] = index }
        x += 1
    }
}
