/// The place in a pool of one who plays: given up when it goes away.
final class FrameSeat: Sendable {
    let pool: FramePool
    private let number: Int

    init(pool: FramePool, number: Int) {
        self.pool = pool
        self.number = number
    }

    deinit {
        pool.leave(number)
    }

    /// As ``FramePool/move(_:to:isLate:)``.
    func move(to cursor: PlaybackCursor, isLate: Bool) -> Result<PixelBuffer, TintypeError>? {
        pool.move(number, to: cursor, isLate: isLate)
    }
}
