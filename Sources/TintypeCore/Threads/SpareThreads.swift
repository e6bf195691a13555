import CTintypeKernels

/// Threads that a queue lends for one large image: to the library of a codec, or to a transform.
///
/// Only a queue that would let them idle lends any, each to one image at a time. Work that comes meanwhile does not
/// wait for the image: until the image ends, there are more threads than cores.
package struct SpareThreads: ~Copyable {
    /// The largest number of threads.
    private static let most = 8

    /// The number of threads that may be used, with the one that calls: at least 1, at most ``most`` and the width of
    /// the queue.
    package let count: Int
    private let queue: WorkQueue

    /// Borrows threads, in addition to the calling one.
    ///
    /// - Parameter isWorthwhile: Whether the image takes longer than starting threads.
    package init(of queue: WorkQueue = .pixels, if isWorthwhile: Bool) {
        self.queue = queue
        count = 1 + (isWorthwhile ? queue.lend(atMost: min(Self.most, queue.width) - 1) : 0)
    }

    deinit {
        queue.takeBack(count - 1)
    }
}

extension SpareThreads {
    /// Calls a closure at once on several threads, which live as long as this call, and returns after the last one.
    ///
    /// They are threads of the system, because Dispatch makes calls that a worker process may not make.
    ///
    /// - Parameters:
    ///   - count: The number of threads, with the calling one; at most 64. Those that the system refuses are left out.
    ///   - body: Receives the number of its thread: 0 for the calling one.
    package static func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            var body = body
            withUnsafeMutablePointer(to: &body) { body in
                tintype_run_threads(
                    Int32(clamping: count),
                    { context, number in
                        context.assumingMemoryBound(to: (@Sendable (Int) -> Void).self).pointee(Int(number))
                    }, body)
            }
        }
    }
}
