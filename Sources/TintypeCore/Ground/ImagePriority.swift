/// The priority of a load, compared with other loads.
///
/// Coalesced work runs at the highest priority of its waiters.
public enum ImagePriority: Comparable, CaseIterable, Hashable, Sendable {
    /// Work that no caller waits for, such as prefetching or storing a rendition.
    case veryLow
    /// Work that can wait, such as a refresh in the background.
    case low
    /// The default of requests.
    case normal
    /// Work that is more urgent than most.
    case high
    /// Work that goes before all other work.
    case veryHigh

    /// The number of lower priorities.
    package var rank: Int {
        switch self {
        case .veryLow: 0
        case .low: 1
        case .normal: 2
        case .high: 3
        case .veryHigh: 4
        }
    }
}
