import TintypeCore

/// Unpacks a run-length bitmap of 4 or 8 bits per pixel (RLE4, RLE8).
struct BMPRunLengths {
    private let packed: UnsafeRawBufferPointer
    private let size: PixelSize
    private let isNibbles: Bool
    private var offset = 0
    /// The offset from which the next check for cancellation is due.
    private var checkOffset = checkInterval
    private var (x, y) = (0, 0)

    /// The number of packed bytes between checks for cancellation: runs beyond the end of a row need not reach another.
    private static let checkInterval = 64 << 10

    init(_ packed: UnsafeRawBufferPointer, _ size: PixelSize, isNibbles: Bool) {
        self.packed = packed
        self.size = size
        self.isNibbles = isNibbles
    }

    /// Returns one palette index per pixel in storage order, and the number of rows reached before the bytes end.
    ///
    /// Skipped pixels have index 0. A missing end marker alone loses no pixel.
    ///
    /// - Throws: `TintypeError.Code.cancelled`.
    mutating func indices(_ context: DecodeContext) throws(TintypeError) -> (indices: [UInt8], rows: Int) {
        var indices = [UInt8](repeating: 0, count: size.area)
        while y < size.height {
            guard offset <= packed.count - 2 else {
                return (indices, x >= size.width ? y + 1 : y)
            }
            try checkCancelled(context)
            let (count, value) = (Int(packed[offset]), packed[offset + 1])
            offset += 2
            if count > 0 {
                write(count, &indices) { [isNibbles] index in isNibbles ? Self.nibble(index, value) : value }
                continue
            }
            switch try perform(Int(value), &indices, context) {
            case .next: break
            case .end: return (indices, size.height)
            case .truncated: return (indices, min(y, size.height))
            }
        }
        return (indices, size.height)
    }

    private mutating func checkCancelled(_ context: DecodeContext) throws(TintypeError) {
        guard offset >= checkOffset else { return }
        checkOffset = offset + Self.checkInterval
        try context.checkCancelled()
    }

    /// The result of an escape code.
    private enum Outcome {
        case next
        case end
        /// The bytes end within the escape code.
        case truncated
    }

    /// Executes an escape code: end of line, end of bitmap, move, or literal indices.
    private mutating func perform(
        _ code: Int, _ indices: inout [UInt8], _ context: DecodeContext
    ) throws(TintypeError) -> Outcome {
        switch code {
        case 0:
            (x, y) = (0, y + 1)
            if y % 16 == 0 { try context.checkCancelled() }
        case 1: return .end
        case 2:
            guard offset <= packed.count - 2 else { return .truncated }
            (x, y) = (x + Int(packed[offset]), y + Int(packed[offset + 1]))
            offset += 2
        default: return copy(code, &indices)
        }
        return .next
    }

    /// Copies literal indices, which are padded to a multiple of two bytes.
    private mutating func copy(_ count: Int, _ indices: inout [UInt8]) -> Outcome {
        let length = isNibbles ? (count + 1) / 2 : count
        guard length <= packed.count - offset else { return .truncated }
        write(count, &indices) { [packed, offset, isNibbles] index in
            isNibbles ? Self.nibble(index, packed[offset + index / 2]) : packed[offset + index]
        }
        offset += length + length & 1
        return .next
    }

    private static func nibble(_ index: Int, _ byte: UInt8) -> UInt8 { index & 1 == 0 ? byte >> 4 : byte & 15 }

    /// Writes indices and moves right. Pixels beyond the end of the row are dropped.
    private mutating func write(_ count: Int, _ indices: inout [UInt8], _ value: (Int) -> UInt8) {
        let start = y * size.width + x
        for index in 0..<max(0, min(count, size.width - x)) { indices[start + index] = value(index) }
        x += count
    }
}
