import TintypeCore

/// Skips the order in which the sections of a frame are stored, a permutation that is compressed (ISO/IEC 18181-1, C.3.2).
/// The lengths of the sections follow it.
enum JXLSectionOrder {
    /// The contexts of the numbers in a permutation.
    private static let contextCount = 8

    /// Reads an order and drops it.
    ///
    /// Only the groups of each pass may change places. If a section came before one that it needs, libjxl would continue
    /// with the next frame in the middle of this one.
    ///
    /// - Parameters:
    ///   - sectionCount: The number of all sections.
    ///   - groupCount: The number of groups. Each pass has a section for each of them; these sections are the last ones.
    ///   - passCount: The number of passes.
    /// - Throws: ``TintypeError/Code/limitExceeded`` for an order that is damaged or too complex; ``TintypeError/Code/undecodable`` where the
    ///   bytes end.
    static func skip(
        _ bits: inout JXLBitReader, sectionCount: Int, groupCount: Int, passCount: Int
    ) throws(TintypeError) {
        var numbers = try JXLNumberReader(&bits, contextCount: contextCount)
        let count = try numbers.next(&bits, context: context(sectionCount))
        guard count <= sectionCount else { throw .unreadableNumbers }
        let firstGroup = sectionCount - groupCount * passCount
        var last = 0
        for index in 0..<count {
            last = try numbers.next(&bits, context: context(last))
            let choices = index < firstGroup ? 1 : groupCount - (index - firstGroup) % groupCount
            guard last < choices else { throw .unreadableNumbers }
        }
        guard numbers.isIntact else { throw .unreadableNumbers }
    }

    /// Returns the context of a number: the bit length of the number before it, at most that of the last context.
    private static func context(_ last: Int) -> Int {
        min(Int.bitWidth - last.leadingZeroBitCount, contextCount - 1)
    }
}
