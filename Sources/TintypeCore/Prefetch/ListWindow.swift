/// Decides which rows of a list are prefetched: those that follow the visible ones in the direction of scrolling.
struct ListWindow: Sendable {
    /// The changes after a list was scrolled.
    struct Change: Equatable, Sendable {
        /// The rows whose images are loaded from now on, nearest first.
        var begun: [Int] = []
        /// The rows whose images are no longer needed.
        var ended: [Int] = []
    }

    /// The number of rows ahead of the visible ones.
    let ahead: Int
    private var visible = 0..<0
    private var isForward = true
    private var prefetched: Set<Int> = []

    /// Creates a window of an empty list.
    init(ahead: Int) {
        self.ahead = max(0, ahead)
    }

    /// Moves the window. A list that has not moved keeps its direction, and a new one goes forward.
    ///
    /// Rows that were prefetched and are visible now stay until they leave the screen: their views wait for the same
    /// loads.
    mutating func show(_ rows: Range<Int>, of count: Int) -> Change {
        let shown = rows.clamped(to: 0..<max(0, count))
        if shown != visible { isForward = shown.lowerBound >= visible.lowerBound }
        visible = shown
        let next = rowsAhead(count)
        let ended = prefetched.filter { !shown.contains($0) && !next.contains($0) }
        let begun = (isForward ? Array(next) : next.reversed()).filter { !prefetched.contains($0) }
        prefetched.subtract(ended)
        prefetched.formUnion(begun)
        return Change(begun: begun, ended: ended.sorted())
    }

    /// Whether a row is prefetched.
    func contains(_ row: Int) -> Bool { prefetched.contains(row) }

    /// Forgets all rows, because they have other images now.
    mutating func reset() -> [Int] {
        defer { self = Self(ahead: ahead) }
        return prefetched.sorted()
    }

    private func rowsAhead(_ count: Int) -> Range<Int> {
        guard !visible.isEmpty else { return 0..<0 }
        return isForward
            ? visible.upperBound..<visible.upperBound + min(ahead, count - visible.upperBound)
            : max(0, visible.lowerBound - ahead)..<visible.lowerBound
    }
}
