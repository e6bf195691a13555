/// The cancellation state of the work that a transformer is part of.
///
/// The built-in transformers check it every few rows. A long-running transformer of your own checks ``current``.
public struct TransformContext: Sendable {
    /// Returns whether no caller waits for the result any more. Callable from any thread.
    public var isCancelled: @Sendable () -> Bool

    /// Creates a context with a cancellation check. By default the context is never cancelled.
    public init(isCancelled: @escaping @Sendable () -> Bool = { false }) {
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
    public func run<Value>(_ work: () throws(TintypeError) -> Value) throws(TintypeError) -> Value {
        try Self.$bound.withValue(self) { Result(catching: work) }.get()
    }
}

/// The rows or columns of an image, divided into strips. Long work runs strip by strip and checks for cancellation
/// before each.
struct Strips {
    private let count: Int
    private let stripLength: Int

    /// Divides `count` rows or columns into strips.
    ///
    /// - Parameters:
    ///   - count: The number of rows or columns.
    ///   - bytesPerRow: The size of one row or column in bytes.
    ///   - byteCount: The maximum size of a strip in bytes, unless one row is larger. The default fits into a part of
    ///     the second-level cache of common machines.
    ///   - multiple: The number of rows in a strip is a multiple of this, except in the last strip.
    init(of count: Int, bytesPerRow: Int, byteCount: Int = 128 << 10, multiple: Int = 1) {
        self.count = count
        stripLength = max(1, byteCount / (bytesPerRow * multiple)) * multiple
    }

    /// Calls `body` with the range of each strip, in order.
    ///
    /// - Throws: ``TintypeError/Code/cancelled``, and the errors of `body`.
    func forEach(_ body: (Range<Int>) throws(TintypeError) -> Void) throws(TintypeError) {
        let context = TransformContext.current
        for first in stride(from: 0, to: count, by: stripLength) {
            try context.checkCancelled()
            try body(first..<min(first + stripLength, count))
        }
    }
}
