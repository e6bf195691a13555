/// How soon a load is wanted, compared with others.
///
/// Work that several wait for has the highest priority among them.
public enum ImagePriority: Int8, Comparable, CaseIterable, Hashable, Sendable {
    case veryLow
    case low
    case normal
    case high
    case veryHigh

    public static func < (left: ImagePriority, right: ImagePriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
