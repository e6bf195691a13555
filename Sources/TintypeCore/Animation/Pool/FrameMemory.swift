/// The memory that the frames of all animations which are shown take together.
///
/// Each gets what it needs while that is at hand, and an equal share when it is not. An animation that no one plays
/// takes none. Every one may hold a single frame, whatever the limit says.
public final class FrameMemory: Sendable {
    /// That of the process.
    public static let shared = FrameMemory()

    /// Bytes that the machine has.
    static let totalByteCount = SystemMemory.available

    private let state: Locked<State>
    private let time: TimeSource

    private struct State: Sendable {
        var shares: FrameShares
        var pools: [ObjectIdentifier: Member] = [:]
        /// Counts changes of the shares, so that the newest is the last word.
        var version = 0
    }

    private struct Member: Sendable {
        weak let pool: FramePool?
        /// Of its newest word.
        let version: Int
    }

    /// - Parameter limit: bytes; an eighth of the machine's memory by default, 512 MB at most.
    public init(limit: Int? = nil, time: TimeSource = .system) {
        state = Locked(State(shares: FrameShares(limit: limit ?? min(512 << 20, Self.totalByteCount / 8))))
        self.time = time
    }

    /// The most bytes of all frames together.
    public var limit: Int {
        get { state.withLock { $0.shares.limit } }
        set {
            state.withLock { $0.shares.limit = max(0, newValue) }
            distribute()
        }
    }

    /// Bytes that are held now.
    public var heldByteCount: Int { pools.reduce(0) { $0 + $1.heldByteCount } }

    /// Makes room for others, for a minute: what a toolkit's own warning, or a ``MemoryPressureMonitor``, calls.
    public func shrink(for pressure: MemoryPressure) {
        let now = time.uptime()
        state.withLock { $0.shares.shrink(for: pressure, at: now) }
        distribute()
    }

    // MARK: Pools

    /// - Parameters:
    ///   - need: bytes; `nil` when it takes none for now.
    ///   - version: of the word; an older one than the last is no longer true.
    func setNeed(_ need: Int?, for pool: FramePool, version: Int) {
        let id = ObjectIdentifier(pool)
        state.withLock { state in
            guard version > state.pools[id]?.version ?? 0 else { return }
            state.pools[id] = Member(pool: pool, version: version)
            state.shares.setNeed(need, for: id)
        }
        distribute()
    }

    /// The pool that had this identifier is gone.
    func removePool(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.pools[id] = nil
            state.shares.setNeed(nil, for: id)
        }
    }

    /// Called when frames come and go: there may be more memory again.
    func recoverIfDue() {
        let now = time.uptime()
        if state.withLock({ $0.shares.recover(at: now) }) { distribute() }
    }

    private var pools: [FramePool] {
        state.withLock { $0.pools.values.compactMap(\.pool) }
    }

    private func distribute() {
        let (version, shares) = state.withLock { state in
            state.version += 1
            let shares = state.shares.shares()
            // All pools are taken out, since the last one to know a pool would else be this closure, under the lock.
            return (state.version, state.pools.map { (pool: $1.pool, share: shares[$0]) })
        }
        for case (let pool?, let share?) in shares { pool.setShare(share, version: version) }
    }
}

/// How much of the memory for frames each animation gets.
struct FrameShares: Sendable {
    /// Bytes for all together.
    var limit: Int
    private var needs: [ObjectIdentifier: Int] = [:]
    private var pressure: (limit: Int, end: Duration)?

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// - Parameter need: bytes that an animation would take; `nil` when it takes none any more.
    mutating func setNeed(_ need: Int?, for id: ObjectIdentifier) {
        needs[id] = need
    }

    /// What each gets: all that it needs if that is no more than an equal share, and else an equal share of what those
    /// with small needs leave.
    func shares() -> [ObjectIdentifier: Int] {
        var shares: [ObjectIdentifier: Int] = [:]
        var left = pressure?.limit ?? limit
        for (index, entry) in needs.sorted(by: { $0.value < $1.value }).enumerated() {
            let share = min(entry.value, left / (needs.count - index))
            shares[entry.key] = share
            left -= share
        }
        return shares
    }

    /// Memory is short: for a minute there is half of what there was, or nothing.
    mutating func shrink(for pressure: MemoryPressure, at now: Duration) {
        let before = self.pressure?.limit ?? limit
        self.pressure = (min(limit, pressure.remainder(of: before)), now + Self.pressureDuration)
    }

    /// - Returns: whether there is more again.
    mutating func recover(at now: Duration) -> Bool {
        guard let pressure, now >= pressure.end else { return false }
        self.pressure = nil
        return true
    }

    private static let pressureDuration = Duration.seconds(60)
}

/// How much memory the decoded frames of an animation may take. The frame that is shown is always held beside it, and all
/// animations together keep to the limit of ``FrameMemory``.
public enum FrameBudget: Hashable, Sendable {
    /// 64 MB, or less on a small machine: at most a fifth of its memory and three fifths of what is free.
    case automatic
    /// One frame: every frame is decoded when its time comes.
    case oneFrame
    case bytes(Int)

    /// - Parameters:
    ///   - frame: bytes of one frame.
    ///   - free: bytes of memory that are free.
    ///   - total: bytes of memory that the machine, or the process's part of it, has.
    func byteCount(frame: Int, free: Int, total: Int) -> Int {
        switch self {
        case .automatic: max(frame, min(64 << 20, total / 5, free / 5 * 3))
        case .oneFrame: frame
        case .bytes(let count): max(frame, count)
        }
    }
}
