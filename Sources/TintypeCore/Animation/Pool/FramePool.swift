/// The decoded frames of one animation, shared by all its players.
///
/// However many views show an animation, each frame is decoded once. At most one run of the decoder is active; it
/// decodes frames ahead of the players on the pixel queue, within a memory budget. When the last player leaves, all
/// frames are released.
package final class FramePool: Sendable {
    /// The first frame, which is always available.
    let poster: PixelBuffer
    private let maker: FrameMaker
    private let memory: FrameMemory
    private let queue: any TurnQueue
    private let state: Locked<State>

    /// Called with a frame that a subscriber waits for or that was made on the way to it; without pixels if it failed.
    typealias Listener = @Sendable (_ index: Int, _ pixels: PixelBuffer?) -> Void

    /// The state under the lock.
    private struct State: Sendable {
        var buffer: FrameBuffer
        var listeners: [Int: Listener] = [:]
        var budgets: [Int: Int] = [:]
        /// The last identifier assigned to a subscriber.
        var lastSubscriber = 0
        /// The version of the memory share last received. Older versions are ignored.
        var shareVersion = 0
        /// The version of the need last reported.
        var needVersion = 0

        var waitingListeners: [Listener] { buffer.waitingSubscribers.compactMap { listeners[$0] } }

        /// Stores a frame and returns the listeners to notify and the frames to release outside the lock.
        mutating func insert(_ pixels: PixelBuffer, at index: Int) -> (listeners: [Listener], evicted: [PixelBuffer]) {
            let listeners = buffer.takeSubscribersToNotify(of: index).compactMap { self.listeners[$0] }
            return (listeners, buffer.insert(pixels, at: index))
        }
    }

    /// Creates an empty pool.
    init(_ maker: FrameMaker, poster: PixelBuffer, services: FrameServices) {
        self.maker = maker
        self.poster = poster
        memory = services.memory
        queue = services.queue
        state = Locked(State(buffer: FrameBuffer(frameCount: maker.source.frames.count)))
    }

    deinit {
        memory.removePool(ObjectIdentifier(self))
    }

    /// The number of frames held, not counting the poster.
    package var heldFrameCount: Int { state.withLock { $0.buffer.frames.count } }

    /// The size in bytes of the frames held, not counting the poster.
    package var heldByteCount: Int { heldFrameCount * poster.byteCount }

    /// The size in bytes of the distinct frames that are held independent of players, not counting the poster.
    var pinnedByteCount: Int {
        let frames = state.withLock { $0.buffer.isPinned ? Array($0.buffer.frames.values) : [] }
        let unique = Dictionary(frames.map { (ObjectIdentifier($0.storage), $0.byteCount) }) { first, _ in first }
        return unique.filter { $0.key != ObjectIdentifier(poster.storage) }.values.reduce(0, +)
    }

    /// The number of players that use the pool.
    package var playerCount: Int { state.withLock { $0.listeners.count } }

    /// Returns a frame if it is held.
    package func heldFrame(at index: Int) -> PixelBuffer? {
        index == 0 ? poster : state.withLock { $0.buffer.frames[index] }
    }

    /// Releases all frames. Frames that players need are decoded again.
    package func clear() {
        _ = state.withLock { $0.buffer.clear() }
    }

    // MARK: Subscriptions

    /// Adds a player. Frames are held for it until the subscription is released.
    func subscribe(budget: FrameBudget, listener: @escaping Listener) -> FrameSubscription {
        let byteCount = budget.byteCount(
            frame: poster.byteCount, free: SystemMemory.free, total: FrameMemory.totalByteCount)
        let id = state.withLock { state in
            state.lastSubscriber += 1
            state.listeners[state.lastSubscriber] = listener
            state.budgets[state.lastSubscriber] = byteCount
            state.buffer.addSubscriber(state.lastSubscriber)
            return state.lastSubscriber
        }
        reportNeed()
        return FrameSubscription(pool: self, id: id)
    }

    /// Removes a player.
    func unsubscribe(_ id: Int) {
        _ = state.withLock { state in
            state.listeners[id] = nil
            state.budgets[id] = nil
            return state.buffer.removeSubscriber(id)
        }
        reportNeed()
    }

    /// Returns the frame at a cursor, and decodes the following frames ahead.
    ///
    /// - Parameters:
    ///   - id: The subscriber.
    ///   - cursor: Its position and what comes next.
    ///   - isLate: Whether the listener accepts earlier frames, one at a time, while its own is being decoded.
    /// - Returns: The frame, or the error if it cannot be made; `nil` if it is not available yet, in which case the
    ///   listener is called later.
    func move(_ id: Int, to cursor: PlaybackCursor, isLate: Bool) -> Result<PixelBuffer, TintypeError>? {
        let result = state.withLock { $0.buffer.move(id, to: cursor, isLate: isLate) }
        startNextRun()
        return cursor.frame == 0 ? .success(poster) : result
    }

    // MARK: Decoding

    /// Queues the next run of the decoder, if one is worthwhile.
    private func startNextRun() {
        guard let run = state.withLock({ $0.buffer.startNextRun() }) else { return }
        _ = queue.push(
            QueuedWork(run: { self.perform(run) }, cancel: { self.finish(run, error: .cancelled) }),
            at: run.isAwaited ? .high : .normal)
    }

    /// Makes the frames of a run, then starts the next one.
    private func perform(_ run: FrameRun) {
        do throws(TintypeError) {
            try maker.makeFrames(
                through: run.target, isCancelled: { self.state.withLock { $0.buffer.isIdle } },
                isWorthMaking: { index in state.withLock { $0.buffer.isWorthMaking(index, for: run) } }, onFrame: store)
            finish(run, error: nil)
        } catch {
            finish(run, error: error)
        }
        memory.recoverIfDue()
        startNextRun()
    }

    /// Stores a frame and notifies its listeners.
    private func store(_ index: Int, _ pixels: PixelBuffer) {
        let (listeners, _) = state.withLock { $0.insert(pixels, at: index) }
        for listener in listeners { listener(index, pixels) }
    }

    /// Ends a run. After an error the waiting listeners are notified.
    private func finish(_ run: FrameRun, error: TintypeError?) {
        let listeners = state.withLock { state in
            state.buffer.finish(run, error: error)
            return error == nil ? [] : state.waitingListeners
        }
        for listener in listeners { listener(run.target, nil) }
    }

    /// Raises the number of frames as more arrive.
    func grow(to frameCount: Int) {
        state.withLock { $0.buffer.grow(to: frameCount) }
        reportNeed()
    }

    /// Adds the frames that another pool of the same image holds.
    func adopt(_ other: FramePool) {
        let frames = other.state.withLock { $0.buffer.frames }
        state.withLock { $0.buffer.adopt(frames) }
    }

    // MARK: All frames

    /// Decodes all frames and holds them until ``unpin()``, independent of players. Blocks.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if the frames exceed ``FrameMemory/limit``, and the errors of
    ///   decoding.
    func pin(isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) {
        let count = state.withLock { $0.buffer.frameCount }
        guard byteCount(ofFrames: count - 1) <= memory.limit else {
            throw TintypeError(
                .limitExceeded, stage: .decode,
                "\(count) decoded frames exceed the limit of \(memory.limit) bytes (FrameMemory.limit)")
        }
        _ = state.withLock { $0.buffer.setPinned(true) }
        reportNeed()
        do throws(TintypeError) {
            for index in 1..<max(1, count) where heldFrame(at: index) == nil {
                store(index, try maker.makeFrame(at: index, isCancelled: isCancelled))
            }
        } catch {
            unpin()
            throw error
        }
    }

    /// Reverses ``pin(isCancelled:)``. Frames that players need are still held.
    func unpin() {
        _ = state.withLock { $0.buffer.setPinned(false) }
        reportNeed()
    }

    // MARK: Memory

    /// Returns the size of a number of frames in bytes; `Int.max` instead of an overflow.
    private func byteCount(ofFrames count: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: poster.byteCount)
        return overflow ? .max : product
    }

    /// Reports the bytes needed by the subscribers to ``FrameMemory``.
    private func reportNeed() {
        let (need, version) = state.withLock { state -> (Int?, Int) in
            state.needVersion += 1
            guard !state.buffer.isIdle else { return (nil, state.needVersion) }
            let all = byteCount(ofFrames: max(1, state.buffer.frameCount - 1))
            let need = state.buffer.isPinned ? all : min(all, state.budgets.values.max() ?? poster.byteCount)
            return (need, state.needVersion)
        }
        memory.setNeed(need, for: self, version: version)
    }

    /// Sets the memory that the pool may use. A version older than the last is ignored.
    func setShare(_ byteCount: Int, version: Int) {
        _ = state.withLock { state -> [PixelBuffer] in
            guard version > state.shareVersion else { return [] }
            state.shareVersion = version
            return state.buffer.setCapacity(byteCount / max(1, poster.byteCount))
        }
    }
}

/// A player's subscription to a pool. It ends when its last reference is released.
final class FrameSubscription: Sendable {
    /// The pool.
    let pool: FramePool
    private let id: Int

    init(pool: FramePool, id: Int) {
        self.pool = pool
        self.id = id
    }

    deinit {
        pool.unsubscribe(id)
    }

    /// Moves the player: see ``FramePool/move(_:to:isLate:)``.
    func move(to cursor: PlaybackCursor, isLate: Bool) -> Result<PixelBuffer, TintypeError>? {
        pool.move(id, to: cursor, isLate: isLate)
    }
}

/// The services that frame decoding depends on.
struct FrameServices: Sendable {
    /// The memory shared by all pools.
    var memory = FrameMemory.shared
    /// The queue on which frames are decoded.
    var queue: any TurnQueue = WorkQueue.pixels
    /// The time limit for each requested frame.
    var time = DecodeTime()
}
