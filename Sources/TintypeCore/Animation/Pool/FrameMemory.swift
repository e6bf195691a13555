/// The memory budget shared by the decoded frames of all animations being played.
///
/// Each animation gets what it needs while there is enough, and an equal share otherwise. An animation without players
/// and without preloaded frames uses none. Every other animation may hold one frame regardless of the limit.
public final class FrameMemory: Sendable {
    /// The process-wide instance.
    public static let shared = FrameMemory()

    /// The memory available to the process, in bytes.
    static let totalByteCount = SystemMemory.available

    private let state: Locked<State>
    private let time: TimeSource

    private struct State: Sendable {
        var shares: FrameShares
        var pools: [ObjectIdentifier: Member] = [:]
        /// The number of changes of the shares. Pools ignore versions older than the last.
        var version = 0
    }

    /// A pool and the version of its last report.
    private struct Member: Sendable {
        weak let pool: FramePool?
        /// The version of the pool's last report.
        let version: Int
    }

    /// Creates a memory budget.
    ///
    /// - Parameters:
    ///   - limit: The maximum in bytes; by default an eighth of the memory that this process may use, at most 512 MB.
    ///   - time: The clock, used to end a reaction to memory pressure.
    package init(limit: Int? = nil, time: TimeSource = .system) {
        state = Locked(State(shares: FrameShares(limit: limit ?? min(512 << 20, Self.totalByteCount / 8))))
        self.time = time
    }

    /// The maximum size of all frames together, in bytes. Applies at once.
    public var limit: Int {
        get { state.withLock { $0.shares.limit } }
        set {
            state.withLock { $0.shares.limit = max(0, newValue) }
            distribute()
        }
    }

    /// The size of all frames held now, in bytes.
    package var heldByteCount: Int { pools.reduce(0) { $0 + $1.heldByteCount } }

    /// Reduces the budget for 60 seconds, to half or to zero: see ``MemoryPressure/remainder(of:)``.
    ///
    /// Call it on a toolkit's memory warning. The ``MemoryPressureMonitor`` calls it too. May be called from any
    /// thread.
    package func shrink(for pressure: MemoryPressure) {
        let now = time.uptime()
        state.withLock { $0.shares.shrink(for: pressure, at: now) }
        distribute()
    }

    // MARK: Pools

    /// Sets the need of a pool.
    ///
    /// - Parameters:
    ///   - need: The bytes needed; `nil` if it needs none for now.
    ///   - pool: The pool.
    ///   - version: The version of the report. A version older than the last is ignored.
    func setNeed(_ need: Int?, for pool: FramePool, version: Int) {
        let id = ObjectIdentifier(pool)
        state.withLock { state in
            guard version > state.pools[id]?.version ?? 0 else { return }
            state.pools[id] = Member(pool: pool, version: version)
            state.shares.setNeed(need, for: id)
        }
        distribute()
    }

    /// Removes a pool that was released.
    func removePool(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.pools[id] = nil
            state.shares.setNeed(nil, for: id)
        }
    }

    /// Restores the full budget if a reaction to memory pressure has ended. Called when frames are made.
    func recoverIfDue() {
        let now = time.uptime()
        if state.withLock({ $0.shares.recover(at: now) }) { distribute() }
    }

    private var pools: [FramePool] {
        state.withLock { $0.pools.values.compactMap(\.pool) }
    }

    /// Computes the shares and sends them to the pools.
    private func distribute() {
        let (version, shares) = state.withLock { state in
            state.version += 1
            let shares = state.shares.shares()
            // All pools are returned: if this closure held the last reference, the pool would be released under the
            // lock.
            return (state.version, state.pools.map { (pool: $1.pool, share: shares[$0]) })
        }
        for case (let pool?, let share?) in shares { pool.setShare(share, version: version) }
    }
}

/// The division of the frame memory among animations. A value type without locks.
struct FrameShares: Sendable {
    /// The maximum for all animations together, in bytes.
    var limit: Int
    private var needs: [ObjectIdentifier: Int] = [:]
    /// The reduced limit in bytes and its end, while memory is short.
    private var pressure: (limit: Int, end: Duration)?

    /// Creates an empty division.
    init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// Sets the bytes that an animation needs; `nil` removes it.
    mutating func setNeed(_ need: Int?, for id: ObjectIdentifier) {
        needs[id] = need
    }

    /// Returns the share of each animation: its need if that is at most an equal share, otherwise an equal share of
    /// what smaller needs leave. O(n log n).
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

    /// Reduces the limit by half or to zero for 60 seconds.
    mutating func shrink(for pressure: MemoryPressure, at now: Duration) {
        let before = self.pressure?.limit ?? limit
        self.pressure = (min(limit, pressure.remainder(of: before)), now + Self.pressureDuration)
    }

    /// Restores the limit once the pressure has ended.
    ///
    /// - Returns: Whether the limit changed.
    mutating func recover(at now: Duration) -> Bool {
        guard let pressure, now >= pressure.end else { return false }
        self.pressure = nil
        return true
    }

    private static let pressureDuration = Duration.seconds(60)
}

/// The memory limit for the decoded frames of one player's animation.
///
/// The frame being shown is always held in addition, and ``FrameMemory`` limits all animations together.
public enum FrameBudget: Hashable, Sendable {
    /// 64 MB, but at most a fifth of the memory that the process may use, and three fifths of the memory that is free
    /// (`MemAvailable` in proc_meminfo(5)).
    case automatic
    /// One frame: each frame is decoded when it is due.
    case oneFrame
    /// A number of bytes; at least one frame is held.
    case bytes(Int)

    /// Returns the budget in bytes.
    ///
    /// - Parameters:
    ///   - frame: The size of one frame in bytes.
    ///   - free: The free memory in bytes.
    ///   - total: The memory of the machine or of the process's cgroup in bytes.
    func byteCount(frame: Int, free: Int, total: Int) -> Int {
        switch self {
        case .automatic: max(frame, min(64 << 20, total / 5, free / 5 * 3))
        case .oneFrame: frame
        case .bytes(let count): max(frame, count)
        }
    }
}
