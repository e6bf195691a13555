/// How much of the memory for frames each animation gets.
struct FrameShares: Sendable {
    /// Bytes for all together.
    var limit: Int
    private var needs: [ObjectIdentifier: Int] = [:]
    private var pressure: (limit: Int, end: Duration)?

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    var count: Int { needs.count }

    /// - Parameter need: bytes that an animation would take; `nil` when it takes none any more.
    mutating func set(_ need: Int?, for id: ObjectIdentifier) {
        needs[id] = need
    }

    /// What each gets: all that it needs if that is no more than an equal share, and else an equal share of what those
    /// with small needs leave.
    func shares() -> [ObjectIdentifier: Int] {
        var shares: [ObjectIdentifier: Int] = [:]
        var left = pressure?.limit ?? limit
        for (index, entry) in needs.sorted(by: { $0.value < $1.value }).enumerated() {
            let share = min(entry.value, left / (needs.count - index))
            shares[entry.key] = share
            left -= share
        }
        return shares
    }

    /// Memory is short: for a minute there is half of what there was, or nothing.
    mutating func shrink(for pressure: MemoryPressure, at now: Duration) {
        let before = self.pressure?.limit ?? limit
        self.pressure = (min(limit, pressure.remainder(of: before)), now + Self.lasting)
    }

    /// - Returns: whether there is more again.
    mutating func recover(at now: Duration) -> Bool {
        guard let pressure, now >= pressure.end else { return false }
        self.pressure = nil
        return true
    }

    private static let lasting = Duration.seconds(60)
}
