/// What one who waits wants to be told. Both are called with no lock held.
package struct JobReceiver<Value: Sendable, Status: Sendable>: Sendable {
    /// The newest state of the job, whole: not every state in between is told.
    var onStatus: @Sendable (Status) -> Void
    /// The end, exactly once, unless the subscription was cancelled before.
    var onEnd: @Sendable (Result<Value, TintypeError>) -> Void

    package init(
        onStatus: @escaping @Sendable (Status) -> Void,
        onEnd: @escaping @Sendable (Result<Value, TintypeError>) -> Void
    ) {
        self.onStatus = onStatus
        self.onEnd = onEnd
    }
}
