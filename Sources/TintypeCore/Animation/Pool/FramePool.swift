/// The decoded frames of one animation, shared by all who play it.
///
/// However many views show an animation, each frame is decoded once: one piece of decoding at a time runs ahead of those
/// who play, on the threads for pixels, within a budget of memory. When the last one has left, nothing is held.
public final class FramePool: Sendable {
    let poster: PixelBuffer
    private let maker: FrameMaker
    private let memory: FrameMemory
    private let queue: any TurnQueue
    private let state: Locked<State>

    /// Told of a frame that someone waited for, or that came on the way to it; without pixels if it could not be made.
    typealias Listener = @Sendable (_ index: Int, _ pixels: PixelBuffer?) -> Void

    private struct State: Sendable {
        var buffer: FrameBuffer
        var listeners: [Int: Listener] = [:]
        var budgets: [Int: Int] = [:]
        var lastSubscriber = 0
        var shareVersion = 0
        var needVersion = 0

        var waitingListeners: [Listener] { buffer.waitingSubscribers.compactMap { listeners[$0] } }

        mutating func insert(_ pixels: PixelBuffer, at index: Int) -> (listeners: [Listener], evicted: [PixelBuffer]) {
            let listeners = buffer.takeSubscribersToNotify(of: index).compactMap { self.listeners[$0] }
            return (listeners, buffer.insert(pixels, at: index))
        }
    }

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

    /// Frames that are held, beside the poster.
    public var heldFrameCount: Int { state.withLock { $0.buffer.frames.count } }

    /// Bytes of the frames that are held, beside the poster.
    public var heldByteCount: Int { heldFrameCount * poster.byteCount }

    /// Bytes of the frames that are held whoever plays, beside the poster: of each bitmap once.
    var pinnedByteCount: Int {
        let frames = state.withLock { $0.buffer.isPinned ? Array($0.buffer.frames.values) : [] }
        let unique = Dictionary(frames.map { (ObjectIdentifier($0.storage), $0.byteCount) }) { first, _ in first }
        return unique.filter { $0.key != ObjectIdentifier(poster.storage) }.values.reduce(0, +)
    }

    /// How many play it now.
    public var playerCount: Int { state.withLock { $0.listeners.count } }

    /// A frame, if it is held.
    public func heldFrame(at index: Int) -> PixelBuffer? {
        index == 0 ? poster : state.withLock { $0.buffer.frames[index] }
    }

    /// Lets all frames go; those who play get them decoded again.
    public func clear() {
        _ = state.withLock { $0.buffer.clear() }
    }

    // MARK: Seats

    /// Takes part: from now on frames are held for the one who keeps the seat.
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

    func unsubscribe(_ id: Int) {
        _ = state.withLock { state in
            state.listeners[id] = nil
            state.budgets[id] = nil
            return state.buffer.removeSubscriber(id)
        }
        reportNeed()
    }

    /// The frame at a cursor, from which on frames are decoded ahead; `nil` while it is not there: the listener will be
    /// told of it.
    ///
    /// - Parameter isLate: whether he wants to be told of frames on the way to it, too, of one at a time.
    func move(_ id: Int, to cursor: PlaybackCursor, isLate: Bool) -> Result<PixelBuffer, TintypeError>? {
        let result = state.withLock { $0.buffer.move(id, to: cursor, isLate: isLate) }
        startNextRun()
        return cursor.frame == 0 ? .success(poster) : result
    }

    // MARK: Making

    private func startNextRun() {
        guard let run = state.withLock({ $0.buffer.startNextRun() }) else { return }
        _ = queue.push(
            QueuedWork(run: { self.perform(run) }, cancel: { self.finish(run, error: .cancelled) }),
            at: run.isAwaited ? .high : .normal)
    }

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

    private func store(_ index: Int, _ pixels: PixelBuffer) {
        let (listeners, _) = state.withLock { $0.insert(pixels, at: index) }
        for listener in listeners { listener(index, pixels) }
    }

    private func finish(_ run: FrameRun, error: TintypeError?) {
        let listeners = state.withLock { state in
            state.buffer.finish(run, error: error)
            return error == nil ? [] : state.waitingListeners
        }
        for listener in listeners { listener(run.target, nil) }
    }

    /// More frames have arrived.
    func grow(to frameCount: Int) {
        state.withLock { $0.buffer.grow(to: frameCount) }
        reportNeed()
    }

    /// Takes what another holds of the same frames.
    func adopt(_ other: FramePool) {
        let frames = other.state.withLock { $0.buffer.frames }
        state.withLock { $0.buffer.adopt(frames) }
    }

    // MARK: All frames

    /// Decodes all frames and holds them until ``unpin()``, whoever plays. Blocks.
    func pin(isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) {
        let count = state.withLock { $0.buffer.frameCount }
        guard (count - 1).multipliedReportingOverflow(by: poster.byteCount).partialValue <= memory.limit else {
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

    func unpin() {
        _ = state.withLock { $0.buffer.setPinned(false) }
        reportNeed()
    }

    // MARK: Memory

    private func reportNeed() {
        let frame = poster.byteCount
        let (need, version) = state.withLock { state -> (Int?, Int) in
            state.needVersion += 1
            guard !state.buffer.isIdle else { return (nil, state.needVersion) }
            let all = frame * max(1, state.buffer.frameCount - 1)
            let need = state.buffer.isPinned ? all : min(all, state.budgets.values.max() ?? frame)
            return (need, state.needVersion)
        }
        memory.setNeed(need, for: self, version: version)
    }

    /// - Parameter version: of the word; an older one than the last is no longer true.
    func setShare(_ byteCount: Int, version: Int) {
        _ = state.withLock { state -> [PixelBuffer] in
            guard version > state.shareVersion else { return [] }
            state.shareVersion = version
            return state.buffer.setCapacity(byteCount / max(1, poster.byteCount))
        }
    }
}

/// The place in a pool of one who plays: given up when it goes away.
final class FrameSubscription: Sendable {
    let pool: FramePool
    private let id: Int

    init(pool: FramePool, id: Int) {
        self.pool = pool
        self.id = id
    }

    deinit {
        pool.unsubscribe(id)
    }

    /// As ``FramePool/move(_:to:isLate:)``.
    func move(to cursor: PlaybackCursor, isLate: Bool) -> Result<PixelBuffer, TintypeError>? {
        pool.move(id, to: cursor, isLate: isLate)
    }
}

/// What frames are held in and decoded on.
struct FrameServices: Sendable {
    var memory = FrameMemory.shared
    var queue: any TurnQueue = WorkQueue.pixels
    /// For each frame that is asked for.
    var time = DecodeTime()
}
