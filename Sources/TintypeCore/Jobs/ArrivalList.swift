/// Values in the order in which they came, found by keys that only grow.
///
/// Adding costs O(1), finding, changing and removing O(log n), amortised, and no key is hashed: thousands may wait for
/// one job. What is removed leaves its place behind, which is swept out when such places are the majority.
struct ArrivalList<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    private var places: [(key: Key, value: Value?)] = []
    private(set) var count = 0

    /// What is there, in the order in which it came.
    var keys: [Key] { places.compactMap { $0.value == nil ? nil : $0.key } }
    var values: [Value] { places.compactMap(\.value) }

    /// In that order, without a list of them.
    func forEach(_ body: (Value) -> Void) {
        for place in places { if let value = place.value { body(value) } }
    }

    /// - Parameter key: greater than every one before.
    mutating func append(_ value: Value, as key: Key) {
        places.append((key, value))
        count += 1
    }

    /// Replaces a value that is there and returns the old one; adds nothing.
    mutating func update(_ key: Key, to value: Value) -> Value? {
        guard let index = index(of: key), let old = places[index].value else { return nil }
        places[index].value = value
        return old
    }

    mutating func remove(_ key: Key) -> Value? {
        guard let index = index(of: key), let old = places[index].value else { return nil }
        places[index].value = nil
        count -= 1
        if places.count > 2 * count + 8 { places.removeAll { $0.value == nil } }
        return old
    }

    private func index(of key: Key) -> Int? {
        var range = places.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if places[middle].key == key { return middle }
            range = places[middle].key < key ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
