/// The rows of a picture, or its columns, in strips: how work is done that may take long. Before each strip it is asked
/// whether anyone still waits.
struct Strips {
    private let count: Int
    private let height: Int

    /// - Parameters:
    ///   - count: the rows, or columns.
    ///   - bytesPerRow: what each of them takes.
    ///   - byteCount: what a strip takes at most, if that is a row at least; by default a part of the second cache of any
    ///     machine.
    ///   - multiple: what the rows of a strip, but for the last, are a multiple of.
    init(of count: Int, bytesPerRow: Int, byteCount: Int = 128 << 10, multiple: Int = 1) {
        self.count = count
        height = max(1, byteCount / (bytesPerRow * multiple)) * multiple
    }

    /// - Throws: ``TintypeError/Code/cancelled``, and what `body` throws.
    func forEach(_ body: (Range<Int>) throws(TintypeError) -> Void) throws(TintypeError) {
        let context = TransformContext.current
        for first in stride(from: 0, to: count, by: height) {
            try context.checkCancelled()
            try body(first..<min(first + height, count))
        }
    }
}
