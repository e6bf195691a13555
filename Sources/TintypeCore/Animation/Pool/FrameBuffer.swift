/// Which frames of one animation are held, and which is made next.
///
/// The first frame is not its business: that is the poster, which is always there.
struct FrameBuffer: Sendable {
    private(set) var frameCount: Int
    /// The most frames that are held.
    private(set) var capacity = 1
    /// Whether all are held, whoever plays.
    private(set) var isPinned = false
    private(set) var frames: [Int: PixelBuffer] = [:]
    private var failures: [Int: TintypeError] = [:]
    private var subscribers: [Int: Subscriber] = [:]
    private var isRunning = false
    private var isFilling = false
    private var lastTarget = 0

    /// The place of one who plays.
    private struct Subscriber: Sendable {
        var cursor: PlaybackCursor?
        var isWaiting = false
        /// Whether he would rather see a frame before the one he waits for than wait.
        var isLate = false
        /// Whether he was told of one, and has not moved since: one at a time is enough.
        var isNotified = false
    }

    init(frameCount: Int) {
        self.frameCount = frameCount
    }

    /// Whether no one plays.
    var isIdle: Bool { subscribers.isEmpty && !isPinned }

    /// Those who wait for a frame.
    var waitingSubscribers: [Int] { subscribers.filter(\.value.isWaiting).map(\.key) }

    // MARK: Who plays

    mutating func addSubscriber(_ id: Int) {
        subscribers[id] = Subscriber()
    }

    /// - Returns: the frames that are held no longer.
    mutating func removeSubscriber(_ id: Int) -> [PixelBuffer] {
        subscribers[id] = nil
        return isIdle ? clear() : []
    }

    /// Says where someone is.
    ///
    /// - Parameter isLate: whether frames before that one are worth showing while it is not there.
    /// - Returns: `nil` while the frame is not there.
    mutating func move(
        _ id: Int, to cursor: PlaybackCursor, isLate: Bool = false
    ) -> Result<PixelBuffer, TintypeError>? {
        let result = result(for: cursor.frame)
        subscribers[id] = Subscriber(cursor: cursor, isWaiting: result == nil && cursor.frame > 0, isLate: isLate)
        return result
    }

    /// Whether a frame on the way to that of a run is worth making.
    func isWorthMaking(_ frame: Int, for run: FrameRun) -> Bool {
        run.others.contains(frame) || subscribers.values.contains { $0.isWaiting && $0.isLate && !$0.isNotified }
    }

    /// Those who are to be told of a frame: who waits for it, and who is late.
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

    // MARK: What is made

    /// What to make now; the maker says when it is done, by ``finish(_:_:)``.
    ///
    /// Frames that are made in a row cost least. So while half of what is worth holding is there it makes none, and then
    /// all that are missing, going on from the last one unless someone waits.
    mutating func startNextRun() -> FrameRun? {
        guard !isRunning, !subscribers.isEmpty, frames.count + failures.count < frameCount - 1 else { return nil }
        let wanted = wantedFrames()
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

    /// Takes a frame that was made, if it is worth holding.
    ///
    /// - Returns: the frames that are held no longer.
    mutating func insert(_ pixels: PixelBuffer, at index: Int) -> [PixelBuffer] {
        guard index > 0, !isIdle else { return [] }
        if !isPinned && !wantedFrames().contains(index) { return [] }
        frames[index] = pixels
        failures[index] = nil
        return trim()
    }

    mutating func finish(_ run: FrameRun, error: TintypeError?) {
        isRunning = false
        // Who gave up says nothing of the frame.
        if let error, error.code != .cancelled, !isIdle { failures[run.target] = error }
    }

    /// Frames worth holding, the most urgent first: what is due, which is held whatever the capacity, since it is shown;
    /// then what comes next, in turn for all who play.
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

    // MARK: What is held

    mutating func setCapacity(_ capacity: Int) -> [PixelBuffer] {
        self.capacity = max(1, capacity)
        return trim()
    }

    mutating func setPinned(_ isPinned: Bool) -> [PixelBuffer] {
        self.isPinned = isPinned
        return isIdle ? clear() : trim()
    }

    mutating func clear() -> [PixelBuffer] {
        defer { (frames, failures) = ([:], [:]) }
        return Array(frames.values)
    }

    /// More frames have arrived.
    mutating func grow(to frameCount: Int) {
        self.frameCount = max(self.frameCount, frameCount)
    }

    /// Takes frames that were made elsewhere; when the next one is made it turns out which are worth holding.
    mutating func adopt(_ frames: [Int: PixelBuffer]) {
        self.frames.merge(frames.filter { $0.key < frameCount }) { current, _ in current }
    }

    private mutating func trim() -> [PixelBuffer] {
        guard !isPinned, frames.count > capacity else { return [] }
        let wanted = Set(wantedFrames())
        let evicted = frames.keys.filter { !wanted.contains($0) }
        return evicted.compactMap { frames.removeValue(forKey: $0) }
    }
}

/// What one piece of decoding is to bring.
struct FrameRun: Sendable, Equatable {
    /// The frame that is made.
    let target: Int
    /// Others that are worth keeping if they are painted on the way to it.
    let others: Set<Int>
    /// Whether someone waits for a frame.
    let isAwaited: Bool
}
