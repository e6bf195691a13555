import TintypeCore

/// The changes that wait to be made in a store. Reads see them immediately.
///
/// A pure value, bounded in bytes: when a new entry does not fit, the oldest waiting ones are dropped. A later change
/// of a key replaces an earlier one that waits. The changes of one key are made one after another, so that the last one
/// wins.
struct WriteQueue: Sendable {
    /// A change of one key.
    enum Change: Sendable {
        case store(CacheEntry)
        case remove
    }

    /// A change that waits or is being made.
    struct Write: Sendable {
        let key: CacheKey
        let change: Change
        let number: Int
        /// The number of times that the store has refused it.
        fileprivate(set) var attempts = 0
        /// Whether it is a store in place of a removal that was not made. If it fails, the removal is due again.
        fileprivate(set) var replacesRemoval = false

        /// The bytes that it holds in memory.
        fileprivate var cost: Int {
            let small = WriteQueue.overhead + key.source.utf8.count + key.rendition.utf8.count
            guard case .store(let entry) = change else { return small }
            return small + entry.data.count + entry.metadata.count + entry.extended.count
        }

        fileprivate var isStore: Bool {
            if case .store = change { true } else { false }
        }

        /// Whether a removal is due if this change is not made.
        fileprivate var leavesRemoval: Bool { !isStore || replacesRemoval }
    }

    /// The result of adding a change.
    struct Addition: Sendable, Equatable {
        /// The number of the change; `nil` if it does not fit and was dropped.
        var number: Int?
        /// The number of changes that were dropped, including this one.
        var dropped = 0
        /// Whether the caller must start a worker.
        var startsWorker = false
    }

    /// The outcome of a change.
    enum Outcome: Sendable {
        case done
        case failed
        /// The store was not called.
        case skipped
    }

    /// The estimated bytes of a waiting change without its data.
    static let overhead = 256
    /// How often a removal is tried. A store is tried once: a cache may forget, but should not remember what was
    /// removed.
    static let removalAttempts = 3

    /// The order in which changes are made: these lanes one after another, the oldest change of each first.
    private enum Lane: Int, CaseIterable {
        case urgent
        /// Before stores, because machines must not go on using what was removed.
        case removals
        case stores
    }

    private typealias Position = (key: CacheKey, number: Int)

    private let byteLimit: Int
    private let width: Int
    private var waiting: [CacheKey: Write] = [:]
    private var lanes = Lane.allCases.map { _ in ArraySlice<Position>() }
    private var running: [CacheKey: Write] = [:]
    /// The removals that failed. They wait until the store has answered something.
    private var held: [CacheKey: Write] = [:]
    private var workers = 0
    private var lastNumber = 0
    private var clearedThrough = 0
    /// The bytes of all changes.
    private(set) var byteCount = 0

    /// - Parameters:
    ///   - byteLimit: The bound on the bytes of all changes.
    ///   - width: The largest number of changes that are made at once.
    init(byteLimit: Int, width: Int = 4) {
        self.byteLimit = byteLimit
        self.width = max(1, width)
    }

    /// The number of changes that wait or are being made.
    var count: Int { waiting.count + running.count + held.count }

    /// Returns the newest change of a key that is not complete.
    func change(for key: CacheKey) -> Change? {
        if let write = waiting[key] ?? held[key] { return write.change }
        return running[key].flatMap { $0.number > clearedThrough ? $0.change : nil }
    }

    // MARK: Adding

    /// Adds a change, and replaces a waiting one of the same key.
    ///
    /// - Parameter isUrgent: Whether it is made before all that wait.
    mutating func add(_ change: Change, for key: CacheKey, isUrgent: Bool = false) -> Addition {
        lastNumber += 1
        var write = Write(key: key, change: change, number: lastNumber)
        let former = discard(key)
        write.replacesRemoval = write.isStore && (former?.leavesRemoval ?? false)
        var addition = Addition()
        // Only waiting stores are dropped. Removals are small, and dropping one would keep what must not be used.
        if write.cost <= byteLimit {
            while byteCount + write.cost > byteLimit, let oldest = firstPosition(in: .stores) {
                if let write = discard(oldest.key) { holdRemoval(after: write) }
                addition.dropped += 1
            }
        }
        guard byteCount + write.cost <= byteLimit else {
            if let former { holdRemoval(after: former) }
            addition.dropped += 1
            return addition
        }
        enqueue(write, in: isUrgent ? .urgent : write.isStore ? .stores : .removals)
        addition.number = write.number
        addition.startsWorker = startsWorker()
        return addition
    }

    /// Forgets all stores that wait. Those that are being made are not seen by reads any more.
    mutating func clear() {
        for (key, write) in waiting where write.isStore {
            discard(key)
            holdRemoval(after: write)
        }
        clearedThrough = lastNumber
    }

    /// Lets the removals that failed be tried again. The store has just answered.
    ///
    /// - Returns: Whether the caller must start a worker.
    mutating func retryHeld() -> Bool {
        guard !held.isEmpty else { return false }
        let writes = held.values.sorted { $0.number < $1.number }
        held = [:]
        for write in writes {
            byteCount -= write.cost
            lastNumber += 1
            // A new number, so that the numbers in a lane ascend.
            enqueue(
                Write(key: write.key, change: write.change, number: lastNumber, attempts: write.attempts), in: .removals
            )
        }
        return startsWorker()
    }

    // MARK: Working

    /// Takes the next change to make. `nil` ends the worker that asks: no change waits, or only changes of keys of
    /// which another one is being made. The worker that makes that one asks afterwards.
    mutating func next() -> Write? {
        for lane in Lane.allCases {
            guard let position = firstPosition(in: lane, where: { running[$0] == nil }),
                let write = waiting.removeValue(forKey: position.key)
            else { continue }
            dropStalePositions(in: lane)
            running[write.key] = write
            return write
        }
        workers -= 1
        return nil
    }

    /// Ends a change.
    ///
    /// - Returns: The number of changes that were given up.
    mutating func finish(_ write: Write, _ outcome: Outcome) -> Int {
        running[write.key] = nil
        byteCount -= write.cost
        if case .done = outcome { return 0 }
        if waiting[write.key] != nil {
            // The newer change takes its place.
            if write.leavesRemoval { waiting[write.key]?.replacesRemoval = true }
            return write.isStore ? 1 : 0
        }
        guard !write.isStore else {
            holdRemoval(after: write)
            return 1
        }
        var write = write
        if case .failed = outcome { write.attempts += 1 }
        guard write.attempts < Self.removalAttempts else { return 1 }
        hold(write)
        return 0
    }

    // MARK: Waiting for the end

    /// The number of the last change that was added.
    var last: Int { lastNumber }

    /// Whether every change up to a number is complete or was given up.
    func isDone(through number: Int) -> Bool {
        running.values.allSatisfy { $0.number > number }
            && Lane.allCases.allSatisfy { lane in firstPosition(in: lane).map { $0.number > number } ?? true }
    }

    /// Whether a change waits or is being made.
    func isPending(_ number: Int, of key: CacheKey) -> Bool {
        waiting[key]?.number == number || running[key]?.number == number
    }

    // MARK: Order

    private mutating func enqueue(_ write: Write, in lane: Lane) {
        waiting[write.key] = write
        byteCount += write.cost
        lanes[lane.rawValue].append((write.key, write.number))
        dropStalePositions(in: lane)
    }

    private mutating func startsWorker() -> Bool {
        guard workers < width else { return false }
        workers += 1
        return true
    }

    /// Removes and returns the change of a key that is not being made.
    @discardableResult
    private mutating func discard(_ key: CacheKey) -> Write? {
        let write = waiting.removeValue(forKey: key) ?? held.removeValue(forKey: key)
        byteCount -= write?.cost ?? 0
        return write
    }

    private mutating func hold(_ removal: Write) {
        held[removal.key] = removal
        byteCount += removal.cost
    }

    /// Makes the removal due again that a store has replaced, or a removal that was replaced itself.
    private mutating func holdRemoval(after write: Write) {
        guard write.leavesRemoval else { return }
        hold(Write(key: write.key, change: .remove, number: write.number, attempts: write.attempts))
    }

    /// Returns the oldest waiting change in a lane.
    private func firstPosition(in lane: Lane, where isWanted: (CacheKey) -> Bool = { _ in true }) -> Position? {
        lanes[lane.rawValue].first { !isStale($0) && isWanted($0.key) }
    }

    /// Drops positions whose changes do not wait any more: those at the beginning, so that finding the first change
    /// costs little, and all of them when they are many, because one key may be stored again and again.
    private mutating func dropStalePositions(in lane: Lane) {
        var positions = lanes[lane.rawValue]
        lanes[lane.rawValue] = []
        while let first = positions.first, isStale(first) { positions = positions.dropFirst() }
        if positions.count > 2 * waiting.count + 128 { positions = ArraySlice(positions.filter { !isStale($0) }) }
        lanes[lane.rawValue] = positions
    }

    /// Whether the change at this position was replaced or dropped since.
    private func isStale(_ position: Position) -> Bool { waiting[position.key]?.number != position.number }
}
