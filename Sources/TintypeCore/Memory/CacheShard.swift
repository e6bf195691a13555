/// Values by key within a budget of cost and count, evicted by SIEVE (Zhang et al., NSDI '24): a queue in the order of
/// arrival, a mark that a hit sets, and a hand that walks from old to new, clears marks and evicts the first it finds
/// without one.
///
/// It knows no lock, threads or time. A hit writes one mark and moves nothing. All operations cost O(1), amortised.
struct CacheShard<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node: Sendable {
        let key: Key
        let cost: Int
        /// Towards the newer end.
        var newer: Int?
        /// Towards the older end.
        var older: Int?
    }

    var limits: CacheLimits
    private(set) var cost = 0
    private var index: [Key: Int] = [:]
    private var nodes: [Node?] = []
    // Apart from the nodes, and at the same places: all that a hit touches, without copying a node.
    private var values: [Value?] = []
    private var marks: [Bool] = []
    private var free: [Int] = []
    private var newest: Int?
    private var oldest: Int?
    private var hand: Int?

    init(limits: CacheLimits) {
        self.limits = limits
    }

    var count: Int { index.count }

    /// A hit.
    mutating func value(for key: Key) -> Value? {
        guard let place = index[key] else { return nil }
        if !marks[place] { marks[place] = true }
        return values[place]
    }

    func contains(_ key: Key) -> Bool { index[key] != nil }

    /// Keeps a value and evicts others until the limits hold; one that is too large on its own is not kept, and what
    /// stood under its key is gone. Returns the evicted values, so that they die when the caller's lock is free.
    mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Value] {
        var evicted: [Value] = []
        if let old = remove(key) { evicted.append(old) }
        guard cost <= min(limits.entryCost, limits.cost), limits.count > 0 else { return evicted }
        evicted += trim(toCost: limits.cost - cost, count: limits.count - 1)
        append(Node(key: key, cost: cost), value)
        return evicted
    }

    mutating func remove(_ key: Key) -> Value? {
        guard let place = index[key] else { return nil }
        return unlink(place)
    }

    /// Evicts until no more than this is left.
    mutating func trim(toCost maximumCost: Int, count maximumCount: Int) -> [Value] {
        var evicted: [Value] = []
        while count > max(0, maximumCount) || cost > max(0, maximumCost), let value = evict() { evicted.append(value) }
        return evicted
    }

    // MARK: The queue

    private mutating func evict() -> Value? {
        var place = hand ?? oldest
        while let here = place, marks[here] {
            marks[here] = false
            place = nodes[here]?.newer ?? oldest
        }
        guard let victim = place else { return nil }
        hand = nodes[victim]?.newer
        return unlink(victim)
    }

    private mutating func append(_ node: Node, _ value: Value) {
        var node = node
        node.older = newest
        let place = freePlace()
        nodes[place] = node
        values[place] = value
        marks[place] = false
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
        index[node.key] = place
        cost += node.cost
    }

    private mutating func freePlace() -> Int {
        if let place = free.popLast() { return place }
        nodes.append(nil)
        values.append(nil)
        marks.append(false)
        return nodes.endIndex - 1
    }

    private mutating func unlink(_ place: Int) -> Value? {
        guard let node = nodes[place] else { return nil }
        if hand == place { hand = node.newer }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        let value = values[place]
        nodes[place] = nil
        values[place] = nil
        free.append(place)
        index[node.key] = nil
        cost -= node.cost
        return value
    }
}
