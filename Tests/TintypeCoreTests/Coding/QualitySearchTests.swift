import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct QualitySearchTests {
    /// Runs a search in which `bytes` returns the size at a quality; returns the best quality and the number of tries.
    private func search(from quality: Int, limit: Int, _ bytes: (Int) -> Int) -> (best: Int?, tries: Int) {
        var search = QualitySearch(from: quality, limit: limit)
        var tries = 0
        while let next = search.next {
            tries += 1
            _ = search.record(byteCount: bytes(next))
        }
        return (search.best, tries)
    }

    @Test func everyLimitFindsTheHighestQualityWithinIt() {
        for quality in 0...100 {
            for limit in stride(from: 0, through: 1100, by: 7) {
                let result = search(from: quality, limit: limit) { 100 + 10 * $0 }
                let expected = (0...quality).last { 100 + 10 * $0 <= limit }
                #expect(result.best == expected && result.tries <= 9, "\(quality), \(limit)")
            }
        }
    }

    @Test func aRequestedQualityThatIsSmallEnoughIsTheOnlyTry() {
        #expect(search(from: 80, limit: 1000) { _ in 10 } == (80, 1))
    }

    @Test func aFormatWithoutQualityIsTriedTwice() {
        #expect(search(from: 100, limit: 10) { _ in 11 } == (nil, 2))
    }

    @Test func theSearchEndsIfSizesAreNotMonotonic() {
        var random = SeededRandom.printed("sizesThatAreNotMonotonic")
        for _ in 0..<200 {
            let result = search(from: 100, limit: 50) { _ in Int.random(in: 0...100, using: &random) }
            #expect(result.tries <= 9)
        }
    }
}
