extension AnimationPlayer {
    /// The frame whose turn it is, once it is shown: for where there is no view, and for what has to be sure of it.
    ///
    /// - Returns: what is shown, if the player is hidden or holds no frames.
    /// - Throws: why the frame cannot be made; ``TintypeError/Code/cancelled``.
    public func currentPixels() async throws(TintypeError) -> PixelBuffer {
        if isAwaitingFrame { await nextFrame() }
        if Task.isCancelled { throw .cancelled }
        if let failure { throw failure }
        return shownPixels
    }

    private func nextFrame() async {
        let number = waiters.add()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Who has given up before this is not woken any more.
                if Task.isCancelled { continuation.resume() } else { waiters.keep(continuation, number) }
            }
        } onCancel: {
            Task { @MainActor in self.waiters.take(number)?.resume() }
        }
    }
}

/// Those who wait for a player to show what is due.
struct FrameWaiters {
    private var last = 0
    private var continuations: [Int: CheckedContinuation<Void, Never>] = [:]

    var isEmpty: Bool { continuations.isEmpty }

    mutating func add() -> Int {
        last += 1
        return last
    }

    mutating func keep(_ continuation: CheckedContinuation<Void, Never>, _ number: Int) {
        continuations[number] = continuation
    }

    mutating func take(_ number: Int) -> CheckedContinuation<Void, Never>? {
        continuations.removeValue(forKey: number)
    }

    mutating func takeAll() -> [CheckedContinuation<Void, Never>] {
        defer { continuations = [:] }
        return Array(continuations.values)
    }
}
