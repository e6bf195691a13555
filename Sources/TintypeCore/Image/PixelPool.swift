import Foundation

/// Memory of bitmaps that are gone, kept for the next ones: a fresh bitmap of 64 MB costs 10 to 16 ms of page faults,
/// a used one none.
///
/// Bitmaps take and return their memory by themselves. What has lain idle for half a minute goes back to the system; a
/// program that is told that memory is short calls ``trim(to:)``.
public final class PixelPool: Sendable {
    /// The pool of the process.
    public static let shared = PixelPool()

    typealias Timer = @Sendable (_ wait: Duration, _ work: @escaping @Sendable () -> Void) -> Void

    private let state: Locked<PixelPoolState>
    private let time: TimeSource
    private let timer: Timer

    /// - Parameters:
    ///   - limit: the most bytes that lie idle; a 32nd of memory by default, 256 MB at most.
    ///   - timer: does work later, on any thread.
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

    /// Bytes that lie idle now.
    public var idleByteCount: Int { state.withLock { $0.byteCount } }

    /// Gives memory back to the system, what has lain longest first, until at most `byteCount` bytes lie idle.
    public func trim(to byteCount: Int = 0) {
        Self.release(state.withLock { $0.trim(to: byteCount) })
    }

    /// Changes the most bytes that lie idle; 0 keeps nothing.
    public func setLimit(_ byteCount: Int) {
        Self.release(state.withLock { $0.setLimit(byteCount) })
    }

    /// Memory for at least `byteCount` bytes, aligned as ``PixelStorage`` wants it; `nil` when there is none.
    func take(_ byteCount: Int) -> PixelBlock? {
        let capacity = PixelPoolState.capacity(for: byteCount)
        if capacity >= PixelPoolState.smallestCapacity, let block = state.withLock({ $0.take(capacity) }) {
            return block
        }
        var pointer: UnsafeMutableRawPointer?
        guard posix_memalign(&pointer, PixelStorage.alignment, capacity) == 0, let pointer else { return nil }
        return PixelBlock(address: UInt(bitPattern: pointer), capacity: capacity)
    }

    func put(_ block: PixelBlock) {
        guard block.capacity >= PixelPoolState.smallestCapacity else { return Self.release([block]) }
        let now = time.uptime()
        giveBack(state.withLock { $0.put(block, at: now) })
    }

    private func expire() {
        let now = time.uptime()
        giveBack(state.withLock { $0.expire(at: now) })
    }

    private func giveBack(_ change: (released: [PixelBlock], wait: Duration?)) {
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
