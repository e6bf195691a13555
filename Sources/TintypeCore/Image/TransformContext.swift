/// The cancellation state of the work that a transformer is part of.
///
/// The built-in transformers check it every few rows. A long-running transformer of your own checks ``current``.
public struct TransformContext: Sendable {
    /// Returns whether no caller waits for the result any more. Callable from any thread.
    public var isCancelled: @Sendable () -> Bool
    /// The queue whose idle threads may work on a large image, too; `nil` for none. A worker process does not know how
    /// busy its host is, so it has none.
    package var lender: WorkQueue? = .pixels
    /// The size of a bitmap, in bytes, from which threads are borrowed: a copy takes a millisecond, ten times as long
    /// as starting threads.
    package var smallestShared = 8 << 20

    /// Creates a context with a cancellation check. By default the context is never cancelled.
    package init(isCancelled: @escaping @Sendable () -> Bool = { false }) {
        self.isCancelled = isCancelled
    }

    /// The context of the running load. Outside of a load the context is never cancelled.
    public static var current: TransformContext { bound }

    // A task-local value rather than a parameter: transformers that never check need not know about it.
    @TaskLocal private static var bound = TransformContext()

    /// Throws if the work was cancelled.
    ///
    /// - Throws: ``TintypeError/Code/cancelled``.
    public func checkCancelled() throws(TintypeError) {
        if isCancelled() { throw .cancelled }
    }

    /// Runs `work` with this context as ``current``.
    ///
    /// - Throws: The errors of `work`.
    package func run<Value>(_ work: () throws(TintypeError) -> Value) throws(TintypeError) -> Value {
        try Self.$bound.withValue(self) { Result(catching: work) }.get()
    }
}
