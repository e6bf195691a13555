import TintypeCore

/// A prefix code, stored as in Brotli (RFC 7932, 3.4 and 3.5).
struct JXLPrefixCode {
    /// The symbols in the order of their codes.
    private var symbols: [Int]
    /// The number of codes of each length in bits.
    private var counts = [Int](repeating: 0, count: 16)

    private static let lengthOrder = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    init(_ bits: inout JXLBitReader, symbolCount: Int) throws(TintypeError) {
        guard symbolCount > 1 else {
            self.init(lengths: [1])
            return
        }
        let skipped = try bits.read(2)
        self.init(
            lengths: try skipped == 1
                ? Self.simpleLengths(&bits, symbolCount) : Self.lengths(&bits, symbolCount, skipped: skipped))
    }

    /// - Parameter lengths: The length of the code of each symbol in bits; 0 for none.
    private init(lengths: [Int]) {
        symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
        for symbol in symbols { counts[lengths[symbol]] += 1 }
    }

    func symbol(_ bits: inout JXLBitReader) throws(TintypeError) -> Int {
        // The only symbol takes no bits.
        guard symbols.count > 1 else { return symbols.first ?? 0 }
        var (code, first, index) = (0, 0, 0)
        for count in counts.dropFirst() {
            code |= try bits.read(1)
            if code - first < count { return symbols[index + code - first] }
            index += count
            (code, first) = (code << 1, (first + count) << 1)
        }
        throw .unreadableNumbers
    }

    /// Reads the code of up to four symbols.
    private static func simpleLengths(_ bits: inout JXLBitReader, _ symbolCount: Int) throws(TintypeError) -> [Int] {
        let length = Int.bitWidth - (symbolCount - 1).leadingZeroBitCount
        let count = try bits.read(2) + 1
        var lengths = [Int](repeating: 0, count: symbolCount)
        var symbols: [Int] = []
        for _ in 0..<count {
            let symbol = try bits.read(length)
            guard symbol < symbolCount, !symbols.contains(symbol) else { throw .unreadableNumbers }
            symbols.append(symbol)
        }
        let isUneven = count == 4 ? try bits.readFlag() : false
        let all = isUneven ? [1, 2, 3, 3] : [[1], [1, 1], [1, 2, 2], [2, 2, 2, 2]][count - 1]
        for (symbol, length) in zip(symbols, all) { lengths[symbol] = length }
        return lengths
    }

    /// Reads the lengths of codes, which are stored with a prefix code themselves.
    private static func lengths(
        _ bits: inout JXLBitReader, _ symbolCount: Int, skipped: Int
    ) throws(TintypeError) -> [Int] {
        let code = JXLPrefixCode(lengths: try lengthsOfLengths(&bits, skipped: skipped))
        var (lengths, left) = ([Int](), 1 << 15)
        var (previous, repeated, repetitions) = (8, 0, 0)
        while lengths.count < symbolCount, left > 0 {
            let symbol = try code.symbol(&bits)
            guard symbol >= 16 else {
                lengths.append(symbol)
                repetitions = 0
                if symbol > 0 { (previous, left) = (symbol, left - 1 << (15 - symbol)) }
                continue
            }
            let length = symbol == 16 ? previous : 0
            if length != repeated { (repeated, repetitions) = (length, 0) }
            let before = repetitions
            if repetitions > 0 { repetitions = (repetitions - 2) << (symbol - 14) }
            repetitions += try bits.read(symbol - 14) + 3
            guard repetitions - before <= symbolCount - lengths.count else { throw .unreadableNumbers }
            lengths += repeatElement(length, count: repetitions - before)
            if length > 0 { left -= (repetitions - before) << (15 - length) }
        }
        guard left == 0 else { throw .unreadableNumbers }
        return lengths
    }

    private static func lengthsOfLengths(_ bits: inout JXLBitReader, skipped: Int) throws(TintypeError) -> [Int] {
        var (lengths, left) = ([Int](repeating: 0, count: 18), 32)
        for symbol in lengthOrder.dropFirst(skipped) where left > 0 {
            let length = try lengthOfLength(&bits)
            lengths[symbol] = length
            if length > 0 { left -= 32 >> length }
        }
        guard left == 0 || lengths.count(where: { $0 > 0 }) == 1 else { throw .unreadableNumbers }
        return lengths
    }

    /// Reads a length from 0 to 5.
    private static func lengthOfLength(_ bits: inout JXLBitReader) throws(TintypeError) -> Int {
        switch try bits.read(2) {
        case 0: return 0
        case 1: return 4
        case 2: return 3
        default: break
        }
        guard try bits.readFlag() else { return 2 }
        return try bits.readFlag() ? 5 : 1
    }
}
