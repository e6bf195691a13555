import Foundation

/// Adds a rare element to a colour profile: a chain of floating-point transforms from the device to the connection
/// space (ICC.1:2022, 10.16).
enum ChainedProfile {
    /// - Parameter count: The number of chained elements, which are all the same matrix of zeros at one offset.
    static func adding(links count: Int, to profile: Data) -> Data? {
        let (header, entry) = (128, 12)
        guard profile.count >= header + 4 else { return nil }
        let tagCount = number(profile, at: header)
        let tableEnd = header + 4 + tagCount * entry
        guard profile.count >= tableEnd else { return nil }
        let chain = chain(count)
        var made = profile.prefix(header) + big(tagCount + 1)
        for offset in stride(from: header + 4, to: tableEnd, by: entry) {
            made += profile[offset..<offset + 4] + big(number(profile, at: offset + 4) + entry)
            made += profile[offset + 8..<offset + 12]
        }
        made += Data("D2B0".utf8) + big(profile.count + entry) + big(chain.count)
        made += profile[tableEnd...] + chain
        made.replaceSubrange(0..<4, with: big(made.count))
        return made
    }

    private static func chain(_ count: Int) -> Data {
        let matrix = Data("matf".utf8) + big(0) + [0, 3, 0, 3] + Data(count: 12 * 4)
        let offset = 16 + count * 8
        let positions = Data([Data](repeating: big(offset) + big(matrix.count), count: count).joined())
        return Data("mpet".utf8) + big(0) + [0, 3, 0, 3] + big(count) + positions + matrix
    }

    private static func number(_ data: Data, at offset: Int) -> Int {
        data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func big(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).bigEndian) { Data($0) } }
}
