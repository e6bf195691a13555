/// Decides which frames of one animation are held, and which is made next. A value type without locks or time.
///
/// The buffer does not contain the first frame, which is the poster and always available.
struct FrameBuffer: Sendable {
    /// The number of frames that have arrived.
    private(set) var frameCount: Int
    /// The maximum number of frames held.
    private(set) var capacity = 1
    /// Whether all frames are held, independent of subscribers.
    private(set) var isPinned = false
    /// The frames held, by index.
    private(set) var frames: [Int: PixelBuffer] = [:]
    /// The errors of frames that could not be made. None of these frames is held.
    private var failures: [Int: TintypeError] = [:]
    private var subscribers: [Int: Subscriber] = [:]
    private var isRunning = false
    private var isFilling = false
    private var lastTarget = 0

    /// One player of the animation.
    private struct Subscriber: Sendable {
        var cursor: PlaybackCursor?
        var isWaiting = false
        /// Whether this player accepts an earlier frame while its own is being decoded.
        var isLate = false
        /// Whether it was notified of a frame and has not moved since. One notification at a time is enough.
        var isNotified = false
    }

    /// Creates an empty buffer.
    init(frameCount: Int) {
        self.frameCount = frameCount
    }

    /// Whether no frame is needed: there are no subscribers, and frames are not pinned.
    var isIdle: Bool { subscribers.isEmpty && !isPinned }

    /// The subscribers that wait for a frame.
    var waitingSubscribers: [Int] { subscribers.filter(\.value.isWaiting).map(\.key) }

    // MARK: Subscribers

    /// Adds a subscriber without a position.
    mutating func addSubscriber(_ id: Int) {
        subscribers[id] = Subscriber()
    }

    /// Removes a subscriber.
    ///
    /// - Returns: The frames that are no longer held.
    mutating func removeSubscriber(_ id: Int) -> [PixelBuffer] {
        subscribers[id] = nil
        return isIdle ? clear() : []
    }

    /// Sets the position of a subscriber.
    ///
    /// - Parameters:
    ///   - id: The subscriber.
    ///   - cursor: Its position and what comes next.
    ///   - isLate: Whether earlier frames are worth showing while its own is being decoded.
    /// - Returns: The frame, or the error if it cannot be made; `nil` if it is not available yet.
    mutating func move(
        _ id: Int, to cursor: PlaybackCursor, isLate: Bool = false
    ) -> Result<PixelBuffer, TintypeError>? {
        let result = result(for: cursor.frame)
        subscribers[id] = Subscriber(cursor: cursor, isWaiting: result == nil && cursor.frame > 0, isLate: isLate)
        return result
    }

    /// Whether a frame on the way to the target of a run is worth making.
    func isWorthMaking(_ frame: Int, for run: FrameRun) -> Bool {
        run.others.contains(frame) || subscribers.values.contains { $0.isWaiting && $0.isLate && !$0.isNotified }
    }

    /// Returns the subscribers to notify of a new frame, and marks them as notified: those that wait for it, and those
    /// that are late.
    mutating func takeSubscribersToNotify(of frame: Int) -> [Int] {
        let notified = subscribers.filter { $1.isWaiting && ($1.cursor?.frame == frame || $1.isLate && !$1.isNotified) }
            .map(\.key)
        for id in notified { subscribers[id]?.isNotified = true }
        return notified
    }

    private func result(for frame: Int) -> Result<PixelBuffer, TintypeError>? {
        if let pixels = frames[frame] { return .success(pixels) }
        return failures[frame].map { .failure($0) }
    }

    // MARK: Runs

    /// Returns the next run of the decoder, if one is worthwhile. It ends with ``finish(_:error:)``.
    ///
    /// Sequential frames cost least to decode. Therefore nothing is made while at least half of the wanted frames are
    /// available; then all missing ones are made in order, unless a subscriber waits.
    mutating func startNextRun() -> FrameRun? {
        guard !isRunning, !subscribers.isEmpty else { return nil }
        // `move` calls this often. A complete buffer must not pay for computing the wanted frames.
        let wanted = lacksFrames ? wantedFrames() : []
        guard let nearest = wanted.firstIndex(where: isMissing), isFilling || nearest <= max(1, wanted.count / 2) else {
            isFilling = false
            return nil
        }
        (isFilling, isRunning) = (true, true)
        let missing = wanted[nearest...].filter(isMissing)
        let isAwaited = subscribers.values.contains(where: \.isWaiting)
        lastTarget = (isAwaited ? nil : missing.filter { $0 > lastTarget }.min()) ?? missing[0]
        return FrameRun(target: lastTarget, others: Set(missing), isAwaited: isAwaited)
    }

    private var lacksFrames: Bool { frames.count + failures.count < frameCount - 1 }

    /// Stores a frame if it is worth holding.
    ///
    /// - Returns: The frames that are no longer held.
    mutating func insert(_ pixels: PixelBuffer, at index: Int) -> [PixelBuffer] {
        guard index > 0, !isIdle else { return [] }
        if !isPinned && !wantedFrames().contains(index) { return [] }
        frames[index] = pixels
        failures[index] = nil
        return trim()
    }

    /// Ends a run. A frame that failed is not tried again while the animation has subscribers.
    mutating func finish(_ run: FrameRun, error: TintypeError?) {
        isRunning = false
        // A cancelled run says nothing about the frame. A frame that is held was pinned or adopted during the run.
        guard let error, error.code != .cancelled, !isIdle, frames[run.target] == nil else { return }
        failures[run.target] = error
    }

    /// Returns the frames worth holding, most urgent first.
    ///
    /// The current frames of all subscribers come first and are held regardless of capacity, since they are shown. The
    /// following frames come next, one per subscriber in turn. O(capacity × subscribers).
    func wantedFrames() -> [Int] {
        let cursors = Set(subscribers.values.compactMap(\.cursor))
        var (wanted, seen) = ([Int](), Set([0]))
        for distance in 0..<(cursors.map(\.order.stepCount).max() ?? 0) {
            for cursor in cursors where distance < cursor.order.stepCount {
                guard let frame = cursor.frame(ahead: distance), !seen.contains(frame) else { continue }
                if distance > 0 && wanted.count >= capacity { return wanted }
                seen.insert(frame)
                wanted.append(frame)
            }
        }
        return wanted
    }

    private func isMissing(_ frame: Int) -> Bool {
        frame < frameCount && frames[frame] == nil && failures[frame] == nil
    }

    // MARK: Frames held

    /// Sets the maximum number of frames held, at least 1, and returns the evicted frames.
    mutating func setCapacity(_ capacity: Int) -> [PixelBuffer] {
        self.capacity = max(1, capacity)
        return trim()
    }

    /// Sets whether all frames are held, and returns the evicted frames.
    mutating func setPinned(_ isPinned: Bool) -> [PixelBuffer] {
        self.isPinned = isPinned
        return isIdle ? clear() : trim()
    }

    /// Forgets all frames and failures, and returns the frames.
    mutating func clear() -> [PixelBuffer] {
        defer { (frames, failures) = ([:], [:]) }
        return Array(frames.values)
    }

    /// Raises the number of frames as more arrive.
    mutating func grow(to frameCount: Int) {
        self.frameCount = max(self.frameCount, frameCount)
    }

    /// Adds frames that another buffer made. The next insertion evicts those not worth holding.
    mutating func adopt(_ frames: [Int: PixelBuffer]) {
        self.frames.merge(frames.filter { $0.key < frameCount }) { current, _ in current }
        failures = failures.filter { self.frames[$0.key] == nil }
    }

    private mutating func trim() -> [PixelBuffer] {
        guard !isPinned, frames.count > capacity else { return [] }
        let wanted = Set(wantedFrames())
        let evicted = frames.keys.filter { !wanted.contains($0) }
        return evicted.compactMap { frames.removeValue(forKey: $0) }
    }
}

/// One run of the decoder.
struct FrameRun: Sendable, Equatable {
    /// The frame to make.
    let target: Int
    /// Frames worth keeping if they are painted on the way to the target.
    let others: Set<Int>
    /// Whether a subscriber waits for a frame.
    let isAwaited: Bool
}
