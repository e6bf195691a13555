/// In which order the rows of an image are stored (GIF89a, appendix E).
struct GIFRowOrder: Sendable {
    let height: Int
    /// The row that is displayed at a place, for each place in the order of storing; `nil` where both are the same.
    private let interlaced: [Int]?

    /// Where each pass begins, and how far its rows are apart.
    private static let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
    private static let widest = 8

    init(height: Int, isInterlaced: Bool) {
        self.height = height
        interlaced =
            isInterlaced ? Self.passes.flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) } : nil
    }

    /// The row that is displayed, of the one that is stored at a place.
    subscript(_ place: Int) -> Int { interlaced?[place] ?? place }

    /// For each row that is displayed the one to show when so many are there: itself, or of an interlaced image the nearest
    /// above that stands for it; `nil` where there is none.
    func sources(_ count: Int) -> [Int?] {
        var isThere = [Bool](repeating: false, count: height)
        for place in 0..<min(count, height) { isThere[self[place]] = true }
        var last: Int?
        return isThere.indices.map { y in
            if isThere[y] { last = y }
            guard let last, last == y || interlaced != nil && y - last < Self.widest else { return nil }
            return last
        }
    }
}
