import Foundation

/// A pool of the memory of deallocated bitmaps, for reuse by new ones.
///
/// A new bitmap of 64 MB costs 10 to 16 ms of page faults; reused memory costs none. Bitmaps take and return their
/// memory automatically. Memory that has been idle for 30 seconds is returned to the system. A program that is notified
/// of memory pressure calls ``trim(to:)``. All members may be used from any thread.
public final class PixelPool: Sendable {
    /// The process-wide pool.
    public static let shared = PixelPool()

    typealias Timer = @Sendable (_ wait: Duration, _ work: @escaping @Sendable () -> Void) -> Void

    private let state: Locked<PixelPoolState>
    private let time: TimeSource
    private let timer: Timer

    /// Creates a pool.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of idle bytes; by default 1/32 of memory, at most 256 MB.
    ///   - timer: Runs work after a delay, on any thread.
    init(
        limit: Int = min(256 << 20, SystemMemory.available / 32), time: TimeSource = .system,
        timer: @escaping Timer = PixelPool.later
    ) {
        state = Locked(PixelPoolState(limit: limit))
        self.time = time
        self.timer = timer
    }

    deinit {
        trim()
    }

    /// The number of bytes that are idle now.
    package var idleByteCount: Int { state.withLock { $0.byteCount } }

    /// Returns memory to the system, longest idle first, until at most `byteCount` bytes are idle.
    public func trim(to byteCount: Int = 0) {
        Self.release(state.withLock { $0.trim(to: byteCount) })
    }

    /// Sets the maximum number of idle bytes; 0 keeps nothing.
    public func setLimit(_ byteCount: Int) {
        Self.release(state.withLock { $0.setLimit(byteCount) })
    }

    /// Returns a block of at least `byteCount` bytes with ``PixelStorage/alignment``; `nil` if there is not enough
    /// memory.
    func take(_ byteCount: Int) -> PixelBlock? {
        let capacity = PixelPoolState.capacity(for: byteCount)
        if capacity >= PixelPoolState.smallestCapacity, let block = state.withLock({ $0.take(capacity) }) {
            return block
        }
        var pointer: UnsafeMutableRawPointer?
        guard posix_memalign(&pointer, PixelStorage.alignment, capacity) == 0, let pointer else { return nil }
        return PixelBlock(address: UInt(bitPattern: pointer), capacity: capacity)
    }

    /// Takes back a block that no bitmap uses any longer.
    func put(_ block: PixelBlock) {
        guard block.capacity >= PixelPoolState.smallestCapacity else { return Self.release([block]) }
        let now = time.uptime()
        perform(state.withLock { $0.put(block, at: now) })
    }

    private func expire() {
        let now = time.uptime()
        perform(state.withLock { $0.expire(at: now) })
    }

    private func perform(_ change: (released: [PixelBlock], wait: Duration?)) {
        Self.release(change.released)
        if let wait = change.wait { timer(wait) { [weak self] in self?.expire() } }
    }

    private static let later: Timer = { wait, work in
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + wait / .seconds(1), execute: work)
    }

    private static func release(_ blocks: [PixelBlock]) {
        for block in blocks { free(block.pointer) }
    }
}

// MARK: - State

/// Decides which idle blocks a ``PixelPool`` keeps and which it releases.
///
/// It has no clock: `now` is a duration since any fixed moment.
struct PixelPoolState: Sendable {
    private(set) var limit: Int
    private(set) var byteCount = 0
    /// The longest time that a block stays idle.
    private let maximumIdleTime: Duration
    /// The idle blocks, longest idle first. There are few, because each has at least ``smallestCapacity`` bytes and
    /// together they stay below the limit.
    private var idle: [(block: PixelBlock, since: Duration)] = []
    /// Whether a timer that calls ``expire(at:)`` is running.
    private var hasTimer = false

    init(limit: Int, maximumIdleTime: Duration = .seconds(30)) {
        self.limit = max(0, limit)
        self.maximumIdleTime = maximumIdleTime
    }

    /// The smallest block, in bytes, that the pool keeps. Smaller ones come from memory that the system's allocator
    /// keeps warm itself.
    static let smallestCapacity = 1 << 20

    /// Returns the size class of a block. There are eight classes per power of two, so at most an eighth is unused.
    static func capacity(for byteCount: Int) -> Int {
        guard byteCount >= smallestCapacity else { return max(byteCount, 1) }
        let step = 1 << (Int.bitWidth - 1 - byteCount.leadingZeroBitCount - 3)
        let (sum, overflow) = byteCount.addingReportingOverflow(step - 1)
        return overflow ? byteCount : sum & ~(step - 1)
    }

    /// Removes and returns the most recently added block of this class, whose memory is the warmest.
    mutating func take(_ capacity: Int) -> PixelBlock? {
        guard let index = idle.lastIndex(where: { $0.block.capacity == capacity }) else { return nil }
        byteCount -= capacity
        return idle.remove(at: index).block
    }

    /// Adds an idle block.
    ///
    /// - Returns: The blocks to release, and the time until ``expire(at:)`` must be called, `nil` if a timer is
    ///   running.
    mutating func put(_ block: PixelBlock, at now: Duration) -> (released: [PixelBlock], wait: Duration?) {
        guard block.capacity >= Self.smallestCapacity, block.capacity <= limit else { return ([block], nil) }
        idle.append((block, now))
        byteCount += block.capacity
        defer { hasTimer = true }
        return (trim(to: limit), hasTimer ? nil : maximumIdleTime)
    }

    /// Removes the blocks that have been idle for too long.
    ///
    /// - Returns: The removed blocks, and the time until the next call, `nil` if no block is left.
    mutating func expire(at now: Duration) -> (released: [PixelBlock], wait: Duration?) {
        let released = removeFirst(idle.prefix { $0.since + maximumIdleTime <= now }.count)
        hasTimer = !idle.isEmpty
        return (released, idle.first.map { $0.since + maximumIdleTime - now })
    }

    /// Removes and returns blocks, longest idle first, until at most `target` bytes are left.
    mutating func trim(to target: Int) -> [PixelBlock] {
        var (count, left) = (0, byteCount)
        while left > target, count < idle.count {
            left -= idle[count].block.capacity
            count += 1
        }
        return removeFirst(count)
    }

    /// Sets the limit and returns the blocks that exceed it.
    mutating func setLimit(_ limit: Int) -> [PixelBlock] {
        self.limit = max(0, limit)
        return trim(to: self.limit)
    }

    private mutating func removeFirst(_ count: Int) -> [PixelBlock] {
        let blocks = idle[..<count].map(\.block)
        idle.removeFirst(count)
        byteCount -= blocks.reduce(0) { $0 + $1.capacity }
        return blocks
    }
}

/// A block of memory, idle or owned by one bitmap.
struct PixelBlock: Hashable, Sendable {
    let address: UInt
    /// The size in bytes.
    let capacity: Int

    var pointer: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }
}
