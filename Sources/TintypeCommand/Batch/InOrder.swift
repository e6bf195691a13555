/// A part of a list, with its number.
struct Chunk<Item: Sendable>: Sendable {
    let number: Int
    let items: [Item]
}

extension Array where Element: Sendable {
    /// Returns parts of `count` elements; the last one may have fewer.
    func chunks(ofCount count: Int) -> [Chunk<Element>] {
        stride(from: 0, to: self.count, by: count).enumerated().map { number, start in
            Chunk(number: number, items: Array(self[start..<Swift.min(start + count, self.count)]))
        }
    }
}

/// Restores the order of results that arrive in any order.
struct InOrder<Value> {
    private var waiting: [Int: Value] = [:]
    private var next = 0

    /// Adds a result, and returns those that are due now.
    ///
    /// - Parameter number: The position of the result, from 0.
    mutating func add(_ value: Value, number: Int) -> [Value] {
        waiting[number] = value
        var due: [Value] = []
        while let value = waiting.removeValue(forKey: next) {
            due.append(value)
            next += 1
        }
        return due
    }

    /// Returns the results that wait for one that will not arrive, in their order.
    mutating func drain() -> [Value] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
}
