/// The aggregates around the value that is decoded next.
struct RESPStack: Sendable {
    enum Kind: Sendable {
        case array, map, set, push
        /// What a server says about the next value. It is skipped.
        case attribute
    }

    private struct Frame: Sendable {
        let kind: Kind
        /// The number of values that are missing.
        var missingCount: Int
        var values: [RESPValue] = []

        /// The value of a complete frame; `nil` for an attribute.
        var value: RESPValue? {
            switch kind {
            case .array: .array(values)
            case .set: .set(values)
            case .push: .push(values)
            case .attribute: nil
            case .map:
                .map(stride(from: 0, to: values.count - 1, by: 2).map { .init(values[$0], values[$0 + 1]) })
            }
        }
    }

    private var frames: [Frame] = []
    /// The number of values that the aggregates of the reply have announced, with those of attributes.
    private(set) var announcedCount = 0

    var isEmpty: Bool { frames.isEmpty }
    var depth: Int { frames.count }

    /// Begins an aggregate of `count` values, or `count` pairs.
    ///
    /// - Returns: The value if it is complete, because it is empty.
    mutating func begin(_ kind: Kind, _ count: Int) -> RESPValue? {
        let valueCount = kind == .map || kind == .attribute ? 2 * count : count
        // Empty ones count too, or a reply could consist of any number of attributes.
        announcedCount += max(valueCount, 1)
        let frame = Frame(kind: kind, missingCount: valueCount)
        guard valueCount > 0 else { return frame.value }
        frames.append(frame)
        return nil
    }

    /// Adds a value, which may complete those around it.
    ///
    /// - Returns: The reply if it is complete.
    mutating func add(_ value: RESPValue) -> RESPValue? {
        var value = value
        while var frame = frames.popLast() {
            frame.values.append(value)
            frame.missingCount -= 1
            guard frame.missingCount == 0 else {
                frames.append(frame)
                return nil
            }
            guard let whole = frame.value else { return nil }
            value = whole
        }
        announcedCount = 0
        return value
    }
}
