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

/// The rows of a picture, or its columns, in strips: how work is done that may take long. Before each strip it is asked
/// whether anyone still waits.
struct Strips {
    private let count: Int
    private let stripLength: Int

    /// - Parameters:
    ///   - count: the rows, or columns.
    ///   - bytesPerRow: what each of them takes.
    ///   - byteCount: what a strip takes at most, if that is a row at least; by default a part of the second cache of any
    ///     machine.
    ///   - multiple: what the rows of a strip, but for the last, are a multiple of.
    init(of count: Int, bytesPerRow: Int, byteCount: Int = 128 << 10, multiple: Int = 1) {
        self.count = count
        stripLength = max(1, byteCount / (bytesPerRow * multiple)) * multiple
    }

    /// - Throws: ``TintypeError/Code/cancelled``, and what `body` throws.
    func forEach(_ body: (Range<Int>) throws(TintypeError) -> Void) throws(TintypeError) {
        let context = TransformContext.current
        for first in stride(from: 0, to: count, by: stripLength) {
            try context.checkCancelled()
            try body(first..<min(first + stripLength, count))
        }
    }
}
