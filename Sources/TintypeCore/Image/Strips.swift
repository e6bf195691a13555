import Synchronization

/// The rows or columns of an image, divided into strips. Long work runs strip by strip and checks for cancellation
/// before each.
package struct Strips {
    private let count: Int
    private let stripLength: Int
    private let byteCount: Int

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
        self.byteCount = count * bytesPerRow
        stripLength = max(1, byteCount / (bytesPerRow * multiple)) * multiple
    }

    /// Divides `count` rows or columns into parts of equal length, but for the last one.
    package init(of count: Int, bytesPerRow: Int, parts: Int) {
        self.count = count
        byteCount = count * bytesPerRow
        stripLength = max(1, (count + parts - 1) / parts)
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

    /// Calls `body` with the range of each strip: at once on several threads if the image is large and threads of the
    /// pixel queue would idle.
    ///
    /// - Parameter body: Must not change what another call uses.
    /// - Throws: ``TintypeError/Code/cancelled``.
    func forEachAtOnce(_ body: (Range<Int>) -> Void) throws(TintypeError) {
        let threads = SpareThreads(forBytes: byteCount)
        try forEach(on: threads) { strip, _ in body(strip) }
    }

    /// Calls `body` with the range of each strip and the number of the thread that calls it.
    ///
    /// - Parameter body: Must not change what a call on another thread uses.
    /// - Throws: ``TintypeError/Code/cancelled``.
    package func forEach(
        on threads: borrowing SpareThreads, _ body: (_ strip: Range<Int>, _ thread: Int) -> Void
    ) throws(TintypeError) {
        let context = TransformContext.current
        let (count, stripLength) = (count, stripLength)
        let next = Atomic(0)
        let isCancelled = Atomic(false)
        withoutActuallyEscaping(body) { body in
            // Sendable, because `body` promises that its calls may run at once.
            nonisolated(unsafe) let body = body
            SpareThreads.run(min(threads.count, (count + stripLength - 1) / stripLength)) { thread in
                while !isCancelled.load(ordering: .relaxed) {
                    let first = next.wrappingAdd(stripLength, ordering: .relaxed).oldValue
                    guard first < count else { return }
                    if context.isCancelled() { return isCancelled.store(true, ordering: .relaxed) }
                    body(first..<min(first + stripLength, count), thread)
                }
            }
        }
        if isCancelled.load(ordering: .relaxed) { throw .cancelled }
    }
}

extension SpareThreads {
    /// Borrows threads of ``TransformContext/lender`` for work on a number of bytes of pixels.
    ///
    /// - Parameter parts: The number of parts that can be worked on at once.
    package init(forBytes byteCount: Int, parts: Int = .max) {
        let context = TransformContext.current
        self.init(
            of: context.lender ?? .pixels,
            if: context.lender != nil && parts > 1 && byteCount >= context.smallestShared)
    }
}
