import Testing
import TintypeHTTP

@testable import TintypeServer

@Suite struct ByteRangeTests {
    /// The examples of RFC 9110, 14.1.2, for a representation of 10,000 bytes, and the errors of 14.2.
    @Test(
        arguments: [
            ("bytes=0-499", .part(0..<500)), ("bytes=500-999", .part(500..<1000)), ("bytes=-500", .part(9500..<10_000)),
            ("bytes=9500-", .part(9500..<10_000)), ("bytes=0-0", .part(0..<1)), ("bytes=-1", .part(9999..<10_000)),
            ("bytes=0-0,-1", .whole), ("bytes=500-600,601-999", .whole), ("bytes= 0-1", .part(0..<2)),
            ("Bytes=0-1", .part(0..<2)), ("bytes=0-20000", .part(0..<10_000)), ("bytes=-20000", .part(0..<10_000)),
            ("bytes=9999-9999", .part(9999..<10_000)), ("bytes=10000-", .unsatisfiable),
            ("bytes=10000-10001", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=5-4", .whole),
            ("bytes=-", .whole), ("bytes=", .whole), ("bytes", .whole), ("bytes=a-b", .whole), ("bytes=1-2-3", .whole),
            ("items=0-1", .whole), ("bytes=+1-2", .whole), ("", .whole),
            ("bytes=0-99999999999999999999999", .part(0..<10_000)), ("bytes=99999999999999999999999-", .unsatisfiable),
            ("bytes=1 -2", .whole),
        ] as [(String, ByteRange)])
    func aRangeIsThatOfTheSpecification(_ value: String, _ range: ByteRange) {
        #expect(ByteRange(["Range": value], length: 10_000) == range)
    }

    @Test func anEmptyBodyHasNoRange() {
        #expect(ByteRange(["Range": "bytes=0-"], length: 0) == .unsatisfiable)
        #expect(ByteRange(["Range": "bytes=-5"], length: 0) == .unsatisfiable)
        #expect(ByteRange([:], length: 0) == .whole)
    }

    @Test func everyShortRangeIsWithinTheBody() {
        for length in 0..<5 {
            for first in 0..<7 {
                for last in 0..<7 {
                    let range = ByteRange(["Range": "bytes=\(first)-\(last)"], length: length)
                    if case .part(let part) = range {
                        #expect(part.lowerBound == first && part.upperBound == min(last + 1, length))
                    } else {
                        #expect(range == (first > last ? .whole : .unsatisfiable) && (first > last || first >= length))
                    }
                }
            }
        }
    }
}
