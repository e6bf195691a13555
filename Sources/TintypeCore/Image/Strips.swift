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
