import TintypeCore

/// Skips the order in which the sections of a frame are stored, a permutation that is compressed (ISO/IEC 18181-1, C.3.2).
/// The lengths of the sections follow it.
///
/// Encoders store the orders of few sections, such as those of low-frequency frames, with prefix codes (C.2.4). Other
/// orders are refused: those with more than about a hundred sections, and with repetitions.
struct JXLSectionOrder {
    /// The contexts of the numbers in a permutation.
    private static let contextCount = 8

    /// Reads an order and drops it.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for an order that is not supported; ``TintypeError/Code/undecodable``.
    static func skip(_ bits: inout JXLBitReader, sectionCount: Int) throws(TintypeError) {
        let codes = try JXLPrefixCodes(&bits, contextCount: contextCount)
        let count = try codes.number(&bits, context: context(sectionCount))
        guard count <= sectionCount else { throw .unreadableOrder }
        var last = 0
        for index in 0..<count {
            last = try codes.number(&bits, context: context(last))
            guard last < sectionCount - index else { throw .unreadableOrder }
        }
    }

    /// Returns the context of a number that follows another one: the bits of the other.
    private static func context(_ last: Int) -> Int {
        min(Int.bitWidth - last.leadingZeroBitCount, contextCount - 1)
    }
}

/// The prefix codes of numbers, with a code for each context (C.2).
private struct JXLPrefixCodes {
    /// The index of the code of each context.
    private var map: [Int] = [0]
    private var codes: [(layout: NumberLayout, prefix: JXLPrefixCode)] = []

    private static let longestCode = 15
    private static let mostCodes = 256

    init(_ bits: inout JXLBitReader, contextCount: Int) throws(TintypeError) {
        let hasRepetitions = try bits.readFlag()
        guard !hasRepetitions else { throw .unreadableOrder }
        if contextCount > 1 { map = try Self.contextMap(&bits, contextCount) }
        let isPrefix = try bits.readFlag()
        guard isPrefix else { throw .unreadableOrder }
        let count = (map.max() ?? 0) + 1
        var (layouts, sizes) = ([NumberLayout](), [Int]())
        for _ in 0..<count { layouts.append(try NumberLayout(&bits)) }
        for _ in 0..<count { sizes.append(try Self.alphabetSize(&bits)) }
        for (layout, size) in zip(layouts, sizes) {
            codes.append((layout, try JXLPrefixCode(&bits, symbolCount: size)))
        }
    }

    /// Reads which code each context uses (C.2.2).
    private static func contextMap(_ bits: inout JXLBitReader, _ count: Int) throws(TintypeError) -> [Int] {
        var map: [Int] = []
        if try bits.readFlag() {
            let length = try bits.read(2)
            for _ in 0..<count { map.append(try bits.read(length)) }
            return map
        }
        let movesToFront = try bits.readFlag()
        let codes = try JXLPrefixCodes(&bits, contextCount: 1)
        var recent = Array(0..<mostCodes)
        for _ in 0..<count {
            let index = try codes.number(&bits, context: 0)
            guard index < mostCodes else { throw .unreadableOrder }
            map.append(movesToFront ? recent[index] : index)
            recent.insert(recent.remove(at: index), at: 0)
        }
        return map
    }

    private static func alphabetSize(_ bits: inout JXLBitReader) throws(TintypeError) -> Int {
        guard try bits.readFlag() else { return 1 }
        let length = try bits.read(4)
        let size = 1 + (1 << length) + (try bits.read(length))
        guard size <= 1 << longestCode else { throw .unreadableOrder }
        return size
    }

    func number(_ bits: inout JXLBitReader, context: Int) throws(TintypeError) -> Int {
        let (layout, prefix) = codes[map[context]]
        let symbol = try prefix.symbol(&bits)
        return try layout.number(for: symbol, &bits)
    }

    /// How a number is divided between a symbol and further bits (C.2.3).
    private struct NumberLayout {
        private let splitExponent: Int
        private var (high, low) = (0, 0)

        init(_ bits: inout JXLBitReader) throws(TintypeError) {
            splitExponent = try bits.read(4)
            guard splitExponent != longestCode else { return }
            high = try bits.read(Self.length(splitExponent))
            guard high <= splitExponent else { throw .unreadableOrder }
            low = try bits.read(Self.length(splitExponent - high))
            guard high + low <= splitExponent else { throw .unreadableOrder }
        }

        /// The number of bits of the largest of the numbers up to one.
        private static func length(_ most: Int) -> Int { Int.bitWidth - most.leadingZeroBitCount }

        func number(for symbol: Int, _ bits: inout JXLBitReader) throws(TintypeError) -> Int {
            let split = 1 << splitExponent
            guard symbol >= split else { return symbol }
            let count = splitExponent - high - low + (symbol - split) >> (high + low)
            guard count < 30 else { throw .unreadableOrder }
            let top = 1 << high | (symbol >> low) & (1 << high - 1)
            return (top << count | (try bits.read(count))) << low | symbol & (1 << low - 1)
        }
    }
}

/// A prefix code, stored as in Brotli (RFC 7932, 3.4 and 3.5).
private struct JXLPrefixCode {
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
        throw .unreadableOrder
    }

    /// Reads the code of up to four symbols.
    private static func simpleLengths(_ bits: inout JXLBitReader, _ symbolCount: Int) throws(TintypeError) -> [Int] {
        let length = Int.bitWidth - (symbolCount - 1).leadingZeroBitCount
        let count = try bits.read(2) + 1
        var lengths = [Int](repeating: 0, count: symbolCount)
        var symbols: [Int] = []
        for _ in 0..<count {
            let symbol = try bits.read(length)
            guard symbol < symbolCount, !symbols.contains(symbol) else { throw .unreadableOrder }
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
            guard repetitions - before <= symbolCount - lengths.count else { throw .unreadableOrder }
            lengths += repeatElement(length, count: repetitions - before)
            if length > 0 { left -= (repetitions - before) << (15 - length) }
        }
        guard left == 0 else { throw .unreadableOrder }
        return lengths
    }

    private static func lengthsOfLengths(_ bits: inout JXLBitReader, skipped: Int) throws(TintypeError) -> [Int] {
        var (lengths, left) = ([Int](repeating: 0, count: 18), 32)
        for symbol in lengthOrder.dropFirst(skipped) where left > 0 {
            let length = try lengthOfLength(&bits)
            lengths[symbol] = length
            if length > 0 { left -= 32 >> length }
        }
        guard left == 0 || lengths.count(where: { $0 > 0 }) == 1 else { throw .unreadableOrder }
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

extension TintypeError {
    fileprivate static let unreadableOrder = exceeded(
        .library, "a frame of the JPEG XL stores its sections in an order that is damaged or too complex to check")
}
