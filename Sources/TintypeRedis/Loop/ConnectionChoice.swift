import TintypeCore

/// Decides which connection of a pool carries a command.
enum ConnectionChoice: Equatable, Sendable {
    /// The state of one place in a pool.
    enum Slot: Equatable, Sendable {
        case vacant
        /// A connection that opens, and the number of calls that wait on it.
        case opening(Int)
        /// An open connection, and the number of calls that wait on it.
        case open(Int)
    }

    /// Use a connection.
    case use(Int)
    /// Use a connection, and open another one for later calls.
    case useAndOpen(Int, opening: Int)
    /// Open a connection and use it.
    case open(Int)
    /// Fail: the server did not answer lately.
    case none

    /// Chooses a connection.
    ///
    /// The first place is kept for small commands, unless it is the only one, or no other can be used.
    ///
    /// - Parameter mayOpen: Whether a connection may be opened now.
    init(_ kind: RedisCall.Kind, among slots: [Slot], mayOpen: Bool) {
        let places = slots.indices
        let own = kind == .control ? places.prefix(1) : places.dropFirst(places.count > 1 ? 1 : 0)
        self = Self.choice(among: slots, own, mayOpen)
        if self == .none { self = Self.choice(among: slots, places, mayOpen) }
    }

    private static func choice(among slots: [Slot], _ places: Range<Int>, _ mayOpen: Bool) -> ConnectionChoice {
        let vacant = mayOpen ? places.first { slots[$0] == .vacant } : nil
        let open = places.compactMap { place in slots[place].openCount.map { (place: place, count: $0) } }
        if let best = open.min(by: { $0.count < $1.count }) {
            guard best.count > 0, let vacant else { return .use(best.place) }
            return .useAndOpen(best.place, opening: vacant)
        }
        let opening = places.compactMap { place in slots[place].openingCount.map { (place: place, count: $0) } }
        if let best = opening.min(by: { $0.count < $1.count }) { return .use(best.place) }
        return vacant.map { .open($0) } ?? .none
    }
}

extension ConnectionChoice.Slot {
    fileprivate var openCount: Int? { if case .open(let count) = self { count } else { nil } }
    fileprivate var openingCount: Int? { if case .opening(let count) = self { count } else { nil } }
}
