/// Colour transforms that no one uses at the moment, and which colours need none; of all those used last.
struct ColorTransformShelf: Sendable {
    /// What is known of some colours.
    enum Answer: Sendable {
        /// They are shown as they are.
        case needless
        /// How they become sRGB; whoever has it brings it back.
        case transform(ColorTransform)
    }

    private struct Entry: Sendable {
        let key: ColorTransformKey
        let answer: Answer
    }

    private let count: Int
    private let cost: Int
    /// From the one used longest ago to the one used last. So few that looking through them is nothing beside making one.
    private var entries: [Entry] = []
    private(set) var totalCost = 0

    /// - Parameters:
    ///   - count: how many are kept.
    ///   - cost: of all together, in bytes: see ``ColorTransformKey/cost``.
    init(count: Int = 16, cost: Int = 32 << 20) {
        self.count = count
        self.cost = cost
    }

    /// What is known of these colours. A transform is the caller's alone from now on.
    mutating func take(_ key: ColorTransformKey) -> Answer? {
        guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        if case .needless = entry.answer { entries.append(entry) } else { totalCost -= key.cost }
        return entry.answer
    }

    /// Keeps what was made, or brought back.
    ///
    /// - Returns: what goes for it: itself where it is too large.
    mutating func put(_ key: ColorTransformKey, _ answer: Answer) -> [Answer] {
        guard key.cost <= cost else { return [answer] }
        entries.append(Entry(key: key, answer: answer))
        totalCost += key.cost
        var gone: [Answer] = []
        while entries.count > count || totalCost > cost {
            let entry = entries.removeFirst()
            totalCost -= entry.key.cost
            gone.append(entry.answer)
        }
        return gone
    }
}
