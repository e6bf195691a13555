/// The priority of a load, compared with other loads.
///
/// Coalesced work runs at the highest priority of its waiters.
public enum ImagePriority: Int8, Comparable, CaseIterable, Hashable, Sendable {
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

    /// Returns whether the first priority is lower than the second.
    public static func < (left: ImagePriority, right: ImagePriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
