/// Which of many things goes when there are too many: SIEVE (Zhang et al., NSDI '24). A queue in the order of arrival,
/// and a hand that walks from old to new and evicts the first that was not used since it last came by.
///
/// It knows no lock, threads or time, and not how use is noted: a hit moves nothing here. The hand passes at most
/// ``patience`` used ones for one that it evicts, so every operation costs O(1). How it compares with LRU, S3-FIFO and
/// W-TinyLFU is in `docs/eviction.md`.
struct EvictionQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct Node: Sendable {
        let key: Key
        let element: Element
        let cost: Int
        /// Towards the newer end.
        var newer: Int?
        /// Towards the older end.
        var older: Int?
    }

    var limits: CacheLimits
    private(set) var cost = 0
    private var places: [Key: Int] = [:]
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var newest: Int?
    private var oldest: Int?
    private var hand: Int?

    /// Used ones that the hand passes before it takes the next, used or not.
    private static var patience: Int { 64 }

    init(limits: CacheLimits) {
        self.limits = limits
    }

    var count: Int { places.count }

    /// What came in, and what had to go for it.
    struct Insertion: Sendable {
        /// Not when it is too large on its own.
        var isKept: Bool
        /// What stood under the same key.
        var replaced: Element?
        var evicted: [Element]
    }

    /// Takes a newcomer in and evicts others until the limits hold; what stood under its key is gone in any case.
    ///
    /// - Parameter wasUsed: whether an element was used since this was last asked of it.
    mutating func insert(
        _ element: Element, for key: Key, cost: Int, wasUsed: (Element) -> Bool
    ) -> Insertion {
        let replaced = remove(key)
        guard cost <= min(limits.entryCost, limits.cost), limits.count > 0 else {
            return Insertion(isKept: false, replaced: replaced, evicted: [])
        }
        let evicted = trim(toCost: limits.cost - cost, count: limits.count - 1, wasUsed: wasUsed)
        append(Node(key: key, element: element, cost: cost))
        return Insertion(isKept: true, replaced: replaced, evicted: evicted)
    }

    mutating func remove(_ key: Key) -> Element? {
        places[key].flatMap { unlink($0) }
    }

    /// Evicts until no more than this is left.
    mutating func trim(toCost maximumCost: Int, count maximumCount: Int, wasUsed: (Element) -> Bool) -> [Element] {
        var evicted: [Element] = []
        while count > max(0, maximumCount) || cost > max(0, maximumCost), let element = evict(wasUsed) {
            evicted.append(element)
        }
        return evicted
    }

    /// Removes from the oldest on, as long as `isOver`.
    mutating func removeOldest(while isOver: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        while let oldest, let element = nodes[oldest]?.element, isOver(element) {
            removed.append(element)
            _ = unlink(oldest)
        }
        return removed
    }

    /// Walks over everything: for limits that change.
    mutating func removeAll(costlierThan maximumCost: Int) -> [Element] {
        let tooCostly = nodes.indices.filter { place in nodes[place].map { $0.cost > maximumCost } ?? false }
        return tooCostly.compactMap { unlink($0) }
    }

    // MARK: The queue

    private mutating func evict(_ wasUsed: (Element) -> Bool) -> Element? {
        var place = hand ?? oldest
        var passed = 0
        while passed < Self.patience, let here = place, let node = nodes[here], wasUsed(node.element) {
            place = node.newer ?? oldest
            passed += 1
        }
        guard let victim = place else { return nil }
        hand = nodes[victim]?.newer
        return unlink(victim)
    }

    private mutating func append(_ node: Node) {
        var node = node
        node.older = newest
        let place = freePlace()
        nodes[place] = node
        if let newest { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
        places[node.key] = place
        cost += node.cost
    }

    private mutating func freePlace() -> Int {
        if let place = free.popLast() { return place }
        nodes.append(nil)
        return nodes.endIndex - 1
    }

    private mutating func unlink(_ place: Int) -> Element? {
        guard let node = nodes[place] else { return nil }
        if hand == place { hand = node.newer }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        nodes[place] = nil
        free.append(place)
        places[node.key] = nil
        cost -= node.cost
        if places.isEmpty { giveMemoryBack() }
        return node.element
    }

    /// Else a queue that was large once would be so for ever, even if it was emptied since memory is short.
    private mutating func giveMemoryBack() {
        guard nodes.count > 1024 else { return }
        (nodes, free, places) = ([], [], [:])
    }
}
