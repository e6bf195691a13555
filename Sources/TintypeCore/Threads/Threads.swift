import CTintypeKernels

/// Threads that live as long as one call, for the parts of one image.
///
/// They are threads of the system, because Dispatch makes calls that a worker process may not make.
package enum Threads {
    /// Calls a closure at once on several threads, and returns after the last call.
    ///
    /// - Parameters:
    ///   - count: The number of threads, with the calling one; at most 64. Those that the system refuses are left out.
    ///   - body: Receives the number of its thread: 0 for the calling one.
    package static func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            var body = body
            tintype_run_threads(
                Int32(clamping: count),
                { context, number in
                    context.assumingMemoryBound(to: (@Sendable (Int) -> Void).self).pointee(Int(number))
                }, &body)
        }
    }
}
