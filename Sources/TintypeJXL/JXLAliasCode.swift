import TintypeCore

/// A code of asymmetric numeral systems (ISO/IEC 18181-1, C.2). A number, the state, holds several symbols. Its lowest 12
/// bits choose the next one, with the probability of the symbol.
struct JXLAliasCode {
    /// The probability of each symbol, in 4096ths.
    private var counts: [Int]
    private var slots: [Slot] = []
    private let slotSize: Int

    /// One of several ranges of states, all of the same size: the states below `cutoff` stand for the symbol with the index
    /// of the slot, the others for `other`.
    private struct Slot {
        var (cutoff, other, offset) = (0, 0, 0)
    }

    private static let stateCount = 4096

    init(_ bits: inout JXLBitReader, symbolBits: Int) throws(TintypeError) {
        counts = try JXLDistribution.read(&bits)
        guard counts.count <= 1 << symbolBits else { throw .unreadableNumbers }
        counts += repeatElement(0, count: 1 << symbolBits - counts.count)
        slotSize = Self.stateCount >> symbolBits
        if let only = counts.firstIndex(of: Self.stateCount) {
            slots = counts.indices.map { Slot(cutoff: 0, other: only, offset: slotSize * $0) }
        } else {
            try fillSlots()
        }
    }

    /// Moves states from symbols that have more than a slot to slots that are not full.
    private mutating func fillSlots() throws(TintypeError) {
        slots = counts.indices.map { Slot(cutoff: counts[$0], other: $0, offset: 0) }
        var overfull = counts.indices.filter { counts[$0] > slotSize }
        var underfull = counts.indices.filter { counts[$0] < slotSize }
        while let from = overfull.popLast() {
            guard let to = underfull.popLast() else { throw .unreadableNumbers }
            slots[from].cutoff -= slotSize - slots[to].cutoff
            (slots[to].other, slots[to].offset) = (from, slots[from].cutoff)
            if slots[from].cutoff < slotSize { underfull.append(from) }
            if slots[from].cutoff > slotSize { overfull.append(from) }
        }
        for index in slots.indices {
            if slots[index].cutoff == slotSize {
                slots[index] = Slot(cutoff: 0, other: index, offset: 0)
            } else {
                slots[index].offset -= slots[index].cutoff
            }
        }
    }

    func symbol(_ bits: inout JXLBitReader, _ state: inout Int) throws(TintypeError) -> Int {
        let low = state % Self.stateCount
        let (index, position) = (low / slotSize, low % slotSize)
        let slot = slots[index]
        let isOther = position >= slot.cutoff
        let symbol = isOther ? slot.other : index
        state = counts[symbol] * (state / Self.stateCount) + position + (isOther ? slot.offset : 0)
        if state < 1 << 16 { state = state << 16 | (try bits.read(16)) }
        return symbol
    }
}

/// Reads the probabilities of symbols, in 4096ths.
private enum JXLDistribution {
    private static let total = 4096

    static func read(_ bits: inout JXLBitReader) throws(TintypeError) -> [Int] {
        if try bits.readFlag() { return try fewSymbols(&bits) }
        if try bits.readFlag() { return flat(try smallNumber(&bits) + 1) }
        return try manySymbols(&bits)
    }

    /// Reads a number up to 255.
    private static func smallNumber(_ bits: inout JXLBitReader) throws(TintypeError) -> Int {
        guard try bits.readFlag() else { return 0 }
        let length = try bits.read(3)
        return 1 << length + (try bits.read(length))
    }

    /// Reads one or two symbols.
    private static func fewSymbols(_ bits: inout JXLBitReader) throws(TintypeError) -> [Int] {
        let isPair = try bits.readFlag()
        let first = try smallNumber(&bits)
        let second = isPair ? try smallNumber(&bits) : first
        var counts = [Int](repeating: 0, count: max(first, second) + 1)
        counts[first] = total
        guard isPair else { return counts }
        guard first != second else { throw .unreadableNumbers }
        counts[first] = try bits.read(12)
        counts[second] = total - counts[first]
        return counts
    }

    private static func flat(_ symbolCount: Int) -> [Int] {
        (0..<symbolCount).map { total / symbolCount + ($0 < total % symbolCount ? 1 : 0) }
    }

    /// Reads the logarithm of each probability, and then its further bits. The first of the largest probabilities is
    /// not stored: it is the total minus all others.
    private static func manySymbols(_ bits: inout JXLBitReader) throws(TintypeError) -> [Int] {
        let precision = try precision(&bits)
        let logarithms = try logarithms(&bits)
        guard let largest = logarithms.compactMap(\.self).max(), let rest = logarithms.firstIndex(of: largest) else {
            throw .unreadableNumbers
        }
        var counts: [Int] = []
        for (index, logarithm) in logarithms.enumerated() {
            if index == rest {
                counts.append(0)
            } else if let logarithm {
                counts.append(try count(logarithm, precision: precision, &bits))
            } else {
                counts.append(counts.last ?? 0)
            }
        }
        counts[rest] = total - counts.reduce(0, +)
        guard counts[rest] > 0 else { throw .unreadableNumbers }
        return counts
    }

    private static func precision(_ bits: inout JXLBitReader) throws(TintypeError) -> Int {
        var length = 0
        while length < 3, try bits.readFlag() { length += 1 }
        let precision = (1 << length | (try bits.read(length))) - 1
        guard precision <= 13 else { throw .unreadableNumbers }
        return precision
    }

    /// Reads the logarithm of each probability, plus one; `nil` repeats the probability of the symbol before.
    private static func logarithms(_ bits: inout JXLBitReader) throws(TintypeError) -> [Int?] {
        let length = try smallNumber(&bits) + 3
        var all: [Int?] = []
        while all.count < length {
            let logarithm = try logarithm(&bits)
            if logarithm == repetition {
                let count = try smallNumber(&bits) + 4
                all += repeatElement(nil, count: min(count, length - all.count))
            } else {
                all.append(logarithm)
            }
        }
        return all
    }

    /// The codes of the logarithms, with the first bit that is read as the lowest one.
    private static let codes = [
        (5, 0b10001), (4, 0b1011), (4, 0b1111), (4, 0b0011), (4, 0b1001), (4, 0b0111), (3, 0b100), (3, 0b010),
        (3, 0b101),
        (3, 0b110), (3, 0b000), (6, 0b100001), (7, 0b0000001), (7, 0b1000001),
    ]
    private static let repetition = 13

    private static func logarithm(_ bits: inout JXLBitReader) throws(TintypeError) -> Int {
        var code = 0
        for length in 1...7 {
            code |= try bits.read(1) << (length - 1)
            if let logarithm = codes.firstIndex(where: { $0 == (length, code) }) { return logarithm }
        }
        throw .unreadableNumbers
    }

    private static func count(
        _ logarithm: Int, precision: Int, _ bits: inout JXLBitReader
    ) throws(TintypeError) -> Int {
        guard logarithm > 1 else { return logarithm }
        let exponent = logarithm - 1
        let length = max(0, min(exponent, precision - (12 - exponent) >> 1))
        return 1 << exponent + (try bits.read(length)) << (exponent - length)
    }
}
