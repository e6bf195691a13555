import Testing

@testable import TintypeCore

/// Ranges that are computed from pixels which another process changes between two reads.
@Suite struct ChangingPixelsTests {
    @Test func aSpanIsFromTheFirstToTheLast() {
        #expect((0..<10).span { $0 == 3 || $0 == 7 } == 3..<8)
        #expect((0..<10).span { $0 == 9 } == 9..<10)
        #expect((0..<10).span { _ in false } == nil)
        #expect((0..<0).span { _ in true } == nil)
    }

    /// A pixel is found from the left, and has gone, or has moved to the left, when it is looked for from the right.
    @Test(arguments: [nil, 2]) func aPixelThatGoesIsStillASpan(_ second: Int?) {
        var isFound = false
        let span = (0..<10).span { index in
            if isFound { return index == second }
            isFound = index == 5
            return isFound
        }
        #expect(span == 5..<6)
    }
}
