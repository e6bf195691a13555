/// The order in which entries of a full cache are evicted: SIEVE (Zhang et al., NSDI '24).
///
/// The queue is in order of insertion. A hand walks from old to new and evicts the first entry that was not used since
/// the hand last passed it.
///
/// It has no locks, threads or clocks. A hit moves nothing here: the caller records uses and reports them on request.
/// The hand passes at most ``patience`` used entries for each eviction, so every operation except
/// ``removeAll(costlierThan:)`` is O(1) for each entry that it removes. `docs/decisions.md` compares the policy with
/// LRU, S3-FIFO and W-TinyLFU.
package struct EvictionQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct Node: Sendable {
        let key: Key
        let element: Element
        let cost: Int
        /// The slot of the next newer node.
        var newer: Int?
        /// The slot of the next older node.
        var older: Int?
    }

    var limits: CacheLimits
    /// The sum of the costs of all elements.
    package private(set) var cost = 0
    /// The slot of each key's node.
    private var slots: [Key: Int] = [:]
    private var nodes: [Node?] = []
    /// The slots in `nodes` that are not in use.
    private var freeSlots: [Int] = []
    private var newest: Int?
    private var oldest: Int?
    /// The slot that the hand points to; `nil` is the oldest.
    private var hand: Int?

    /// The number of used entries that the hand passes before it evicts the next one, used or not.
    private static var patience: Int { 64 }

    package init(limits: CacheLimits) {
        self.limits = limits
    }

    package var count: Int { slots.count }

    /// The result of an insertion.
    package struct Insertion: Sendable {
        /// Whether the element is in the queue. It is not if it exceeds the limits on its own.
        package var isInserted: Bool
        /// The previous element of the same key.
        package var replaced: Element?
        package var evicted: [Element]
    }

    /// Inserts an element and evicts others until the limits hold. The previous element of the key is always removed.
    ///
    /// - Parameter wasUsed: Returns whether an element was used since the last call for it.
    package mutating func insert(
        _ element: Element, for key: Key, cost: Int, wasUsed: (Element) -> Bool
    ) -> Insertion {
        let replaced = remove(key)
        guard cost <= min(limits.entryCost, limits.cost), limits.count > 0 else {
            return Insertion(isInserted: false, replaced: replaced, evicted: [])
        }
        let evicted = trim(toCost: limits.cost - cost, count: limits.count - 1, wasUsed: wasUsed)
        append(Node(key: key, element: element, cost: cost))
        return Insertion(isInserted: true, replaced: replaced, evicted: evicted)
    }

    /// Removes the element of a key and returns it.
    package mutating func remove(_ key: Key) -> Element? {
        slots[key].flatMap { unlink($0) }
    }

    /// Evicts elements until at most `maximumCost` and `maximumCount` remain. Returns them in order of eviction.
    mutating func trim(toCost maximumCost: Int, count maximumCount: Int, wasUsed: (Element) -> Bool) -> [Element] {
        var evicted: [Element] = []
        while count > max(0, maximumCount) || cost > max(0, maximumCost), let element = evict(wasUsed) {
            evicted.append(element)
        }
        return evicted
    }

    /// Removes elements from the oldest on, as long as `isExpired` returns `true`.
    mutating func removeOldest(while isExpired: (Element) -> Bool) -> [Element] {
        var removed: [Element] = []
        while let oldest, let element = nodes[oldest]?.element, isExpired(element) {
            removed.append(element)
            _ = unlink(oldest)
        }
        return removed
    }

    /// Removes all elements that cost more than `maximumCost`, for a change of limits. O(n).
    mutating func removeAll(costlierThan maximumCost: Int) -> [Element] {
        let tooCostly = nodes.indices.filter { slot in nodes[slot].map { $0.cost > maximumCost } ?? false }
        return tooCostly.compactMap { unlink($0) }
    }

    // MARK: The linked list

    private mutating func evict(_ wasUsed: (Element) -> Bool) -> Element? {
        var slot = hand ?? oldest
        var passed = 0
        while passed < Self.patience, let current = slot, let node = nodes[current], wasUsed(node.element) {
            slot = node.newer ?? oldest
            passed += 1
        }
        guard let victim = slot else { return nil }
        hand = nodes[victim]?.newer
        return unlink(victim)
    }

    private mutating func append(_ node: Node) {
        var node = node
        node.older = newest
        let slot = takeFreeSlot()
        nodes[slot] = node
        if let newest { nodes[newest]?.newer = slot } else { oldest = slot }
        newest = slot
        slots[node.key] = slot
        cost += node.cost
    }

    private mutating func takeFreeSlot() -> Int {
        if let slot = freeSlots.popLast() { return slot }
        nodes.append(nil)
        return nodes.endIndex - 1
    }

    private mutating func unlink(_ slot: Int) -> Element? {
        guard let node = nodes[slot] else { return nil }
        // The slot is reused, so the hand must not stay on it.
        if hand == slot { hand = node.newer }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        nodes[slot] = nil
        freeSlots.append(slot)
        slots[node.key] = nil
        cost -= node.cost
        if slots.isEmpty { releaseStorage() }
        return node.element
    }

    /// Frees the storage of an empty queue that was large. Otherwise it would stay allocated under memory pressure.
    private mutating func releaseStorage() {
        guard nodes.count > 1024 else { return }
        (nodes, freeSlots, slots) = ([], [], [:])
    }
}
