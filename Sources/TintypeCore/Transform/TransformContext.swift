/// Whether anyone still waits for what a transformer makes.
///
/// The transformers of this module ask every few rows. One of the program's own that works for long asks ``current``.
public struct TransformContext: Sendable {
    /// Whether no one waits any more. May be asked on any thread.
    public var isCancelled: @Sendable () -> Bool

    public init(isCancelled: @escaping @Sendable () -> Bool = { false }) {
        self.isCancelled = isCancelled
    }

    /// That of the work that is done where it is asked. Outside of a load someone always waits.
    public static var current: TransformContext { bound }

    // Bound and not passed, so that transformers that never ask need not know of it.
    @TaskLocal private static var bound = TransformContext()

    /// - Throws: ``TintypeError/Code/cancelled`` when no one waits any more.
    public func checkCancelled() throws(TintypeError) {
        if isCancelled() { throw .cancelled }
    }

    /// Does `work`, all through which this is ``current``.
    public func run<Value>(_ work: () throws(TintypeError) -> Value) throws(TintypeError) -> Value {
        try Self.$bound.withValue(self) { Result(catching: work) }.get()
    }
}
