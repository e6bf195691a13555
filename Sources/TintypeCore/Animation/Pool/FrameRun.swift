/// What one piece of decoding is to bring.
struct FrameRun: Sendable, Equatable {
    /// The frame that is made.
    let target: Int
    /// Others that are worth keeping if they are painted on the way to it.
    let others: Set<Int>
    /// Whether someone waits for a frame.
    let isAwaited: Bool
}
