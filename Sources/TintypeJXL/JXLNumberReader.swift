import TintypeCore

/// Reads compressed numbers (ISO/IEC 18181-1, C.2). The context of a number chooses the code of its symbol.
struct JXLNumberReader {
    /// The index of the code of each context. The context of distances is the last one.
    private var map = [0]
    private var codes: [(layout: NumberLayout, code: Code)] = []
    private var repetitions: Repetitions?
    /// The state of alias codes.
    private var state = lastState

    private enum Code {
        case prefix(JXLPrefixCode)
        case alias(JXLAliasCode)
    }

    private static let longestPrefix = 15
    /// The largest number of symbols of a prefix code. libjxl writes orders with less than 600. A long code takes few bits,
    /// but a millisecond to build.
    private static let mostSymbols = 1024
    private static let mostCodes = 256
    /// The largest length and distance of a repetition. libjxl reads larger lengths modulo 2³², and shortens distances.
    private static let mostRepeated = 1 << 20
    /// The state after all numbers.
    private static let lastState = 0x13_0000

    init(
        _ bits: inout JXLBitReader, contextCount: Int, allowsRepetitions: Bool = true
    ) throws(TintypeError) {
        repetitions = try Repetitions(&bits)
        guard allowsRepetitions || repetitions == nil else { throw .unreadableNumbers }
        let count = contextCount + (repetitions == nil ? 0 : 1)
        if count > 1 { map = try Self.contextMap(&bits, count) }
        try readCodes(&bits)
    }

    /// Whether no damage was found, after all numbers.
    var isIntact: Bool { state == Self.lastState }

    /// Reads which code each context uses (C.2.2).
    private static func contextMap(_ bits: inout JXLBitReader, _ count: Int) throws(TintypeError) -> [Int] {
        var map: [Int] = []
        if try bits.readFlag() {
            let length = try bits.read(2)
            for _ in 0..<count { map.append(try bits.read(length)) }
            return map
        }
        let movesToFront = try bits.readFlag()
        // The limit for two contexts ends the recursion.
        var numbers = try JXLNumberReader(&bits, contextCount: 1, allowsRepetitions: count > 2)
        var recent = Array(0..<mostCodes)
        for _ in 0..<count {
            let index = try numbers.next(&bits, context: 0)
            guard index < mostCodes else { throw .unreadableNumbers }
            map.append(movesToFront ? recent[index] : index)
            recent.insert(recent.remove(at: index), at: 0)
        }
        guard numbers.isIntact else { throw .unreadableNumbers }
        return map
    }

    private mutating func readCodes(_ bits: inout JXLBitReader) throws(TintypeError) {
        let isPrefix = try bits.readFlag()
        let symbolBits = isPrefix ? Self.longestPrefix : 5 + (try bits.read(2))
        var (layouts, sizes) = ([NumberLayout](), [Int]())
        let used = Set(map)
        // Codes without use would only take time.
        guard used.max() == used.count - 1 else { throw .unreadableNumbers }
        for _ in used { layouts.append(try NumberLayout(&bits, symbolBits: symbolBits)) }
        if isPrefix {
            for _ in layouts { sizes.append(try Self.alphabetSize(&bits)) }
            for (layout, size) in zip(layouts, sizes) {
                codes.append((layout, .prefix(try JXLPrefixCode(&bits, symbolCount: size))))
            }
        } else {
            for layout in layouts {
                codes.append((layout, .alias(try JXLAliasCode(&bits, symbolBits: symbolBits))))
            }
            state = try bits.read(32)
        }
    }

    private static func alphabetSize(_ bits: inout JXLBitReader) throws(TintypeError) -> Int {
        guard try bits.readFlag() else { return 1 }
        let length = try bits.read(4)
        let size = 1 + (1 << length) + (try bits.read(length))
        guard size <= mostSymbols else { throw .unreadableNumbers }
        return size
    }

    mutating func next(_ bits: inout JXLBitReader, context: Int) throws(TintypeError) -> Int {
        if let number = repetitions?.next() { return number }
        let index = map[context]
        let symbol = try symbol(&bits, index)
        if let count = try repetitions?.count(for: symbol, &bits) {
            let distance = try number(for: try self.symbol(&bits, map[map.count - 1]), &bits, map[map.count - 1])
            guard count <= Self.mostRepeated, distance < Self.mostRepeated else { throw .unreadableNumbers }
            repetitions?.begin(count, distance: distance + 1)
            return repetitions?.next() ?? 0
        }
        let number = try number(for: symbol, &bits, index)
        repetitions?.append(number)
        return number
    }

    private mutating func symbol(_ bits: inout JXLBitReader, _ index: Int) throws(TintypeError) -> Int {
        switch codes[index].code {
        case .prefix(let code): try code.symbol(&bits)
        case .alias(let code): try code.symbol(&bits, &state)
        }
    }

    private func number(for symbol: Int, _ bits: inout JXLBitReader, _ index: Int) throws(TintypeError) -> Int {
        try codes[index].layout.number(for: symbol, &bits)
    }

    /// How a number is divided between a symbol and further bits (C.2.3).
    private struct NumberLayout {
        private let splitExponent: Int
        private var (high, low) = (0, 0)

        init(_ bits: inout JXLBitReader, symbolBits: Int) throws(TintypeError) {
            splitExponent = try bits.read(Self.length(symbolBits))
            guard splitExponent != symbolBits else { return }
            high = try bits.read(Self.length(splitExponent))
            guard high <= splitExponent else { throw .unreadableNumbers }
            low = try bits.read(Self.length(splitExponent - high))
            guard high + low <= splitExponent else { throw .unreadableNumbers }
        }

        /// The number of bits that hold every number from 0 to `most`.
        private static func length(_ most: Int) -> Int { Int.bitWidth - most.leadingZeroBitCount }

        func number(for symbol: Int, _ bits: inout JXLBitReader) throws(TintypeError) -> Int {
            let split = 1 << splitExponent
            guard symbol >= split else { return symbol }
            let count = splitExponent - high - low + (symbol - split) >> (high + low)
            guard count < 30 else { throw .unreadableNumbers }
            let top = 1 << high | (symbol >> low) & (1 << high - 1)
            return (top << count | (try bits.read(count))) << low | symbol & (1 << low - 1)
        }
    }

    /// Copies of earlier numbers. Large symbols begin them.
    private struct Repetitions {
        private let firstSymbol: Int
        private let fewest: Int
        private let layout: NumberLayout
        private var numbers: [Int] = []
        private var (position, left) = (0, 0)

        init?(_ bits: inout JXLBitReader) throws(TintypeError) {
            guard try bits.readFlag() else { return nil }
            firstSymbol = try bits.number([(0, 224), (0, 512), (0, 4096), (15, 8)])
            fewest = try bits.number([(0, 3), (0, 4), (2, 5), (8, 9)])
            layout = try NumberLayout(&bits, symbolBits: 8)
        }

        /// Returns how many numbers are repeated; `nil` for the symbol of a number.
        func count(for symbol: Int, _ bits: inout JXLBitReader) throws(TintypeError) -> Int? {
            guard symbol >= firstSymbol else { return nil }
            return fewest + (try layout.number(for: symbol - firstSymbol, &bits))
        }

        mutating func begin(_ count: Int, distance: Int) {
            (position, left) = (max(numbers.count - distance, 0), count)
        }

        mutating func next() -> Int? {
            guard left > 0 else { return nil }
            // Before the first number there are zeros.
            let number = position < numbers.count ? numbers[position] : 0
            position += 1
            left -= 1
            append(number)
            return number
        }

        /// Keeps the numbers that can still be repeated, and as many again at most.
        mutating func append(_ number: Int) {
            numbers.append(number)
            guard numbers.count > 2 * mostRepeated else { return }
            numbers.removeFirst(mostRepeated)
            position -= mostRepeated
        }
    }
}

extension TintypeError {
    /// The error for numbers that libjxl may read in another way. Damage is refused as well, because libjxl might read on
    /// where Tintype stops.
    static let unreadableNumbers = exceeded(
        .library,
        "a frame of the JPEG XL has an order of sections, or patches, in a code that is damaged or too complex")
}
