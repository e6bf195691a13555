/// A list of values in order of arrival, under ascending keys.
///
/// Appending is O(1); finding, changing and removing are O(log n) amortised. Keys are not hashed, because thousands of
/// subscribers may wait for one job. A removed value leaves an empty entry, and empty entries are swept when they are
/// the majority.
struct ArrivalList<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    /// The oldest value, if it was added to an empty list. Most jobs have one subscriber, which then costs no
    /// allocation.
    private var first: (key: Key, value: Value)?
    /// The values after ``first``.
    private var entries: [(key: Key, value: Value?)] = []
    private(set) var count = 0

    /// Calls `body` for each value in order of arrival, without making a list of them.
    func forEach(_ body: (Value) -> Void) {
        if let first { body(first.value) }
        for entry in entries { if let value = entry.value { body(value) } }
    }

    /// - Parameter key: Greater than every key before it.
    mutating func append(_ value: Value, as key: Key) {
        if count == 0 {
            entries = []
            first = (key, value)
        } else {
            entries.append((key, value))
        }
        count += 1
    }

    /// Replaces a value and returns the old one. Returns `nil`, and adds nothing, if the key is not there.
    mutating func update(_ key: Key, to value: Value) -> Value? {
        if let old = first, old.key == key {
            first = (key, value)
            return old.value
        }
        guard let index = index(of: key), let old = entries[index].value else { return nil }
        entries[index].value = value
        return old
    }

    mutating func remove(_ key: Key) -> Value? {
        if let old = first, old.key == key {
            first = nil
            count -= 1
            return old.value
        }
        guard let index = index(of: key), let old = entries[index].value else { return nil }
        entries[index].value = nil
        count -= 1
        if entries.count > 2 * count + 8 { entries.removeAll { $0.value == nil } }
        return old
    }

    /// Finds a key by binary search.
    private func index(of key: Key) -> Int? {
        var range = entries.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if entries[middle].key == key { return middle }
            range = entries[middle].key < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}

/// The number of subscribers at each priority. Finds the highest one in O(number of priorities).
struct PriorityTally: Sendable {
    private var counts = InlineCounts()

    /// The highest priority of any subscriber, or `nil` if there is none.
    var highest: ImagePriority? {
        ImagePriority.allCases.last { counts[$0] > 0 }
    }

    mutating func add(_ priority: ImagePriority) {
        counts[priority] += 1
    }

    mutating func remove(_ priority: ImagePriority) {
        counts[priority] -= 1
    }

    /// One number for each priority, without a heap allocation for each job.
    private struct InlineCounts: Sendable {
        private var values = SIMD8<Int32>.zero

        subscript(_ priority: ImagePriority) -> Int32 {
            get { values[priority.rank] }
            set { values[priority.rank] = newValue }
        }
    }
}
