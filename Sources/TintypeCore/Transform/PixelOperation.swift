/// What is done to some rows of a picture.
struct PixelOperation {
    let apply: (PixelStrip) -> Void
}

/// Some whole rows of a picture that is being made.
struct PixelStrip {
    /// The first row's first byte. Valid only while the strip is worked on.
    let pixels: UnsafeMutablePointer<UInt8>
    let stride: Int
    /// Of the rows that are here.
    let size: PixelSize
    /// The number of the first row in the picture.
    let firstRow: Int
}

extension PixelBuffer {
    /// A copy to which all operations are applied, strip by strip: each is read from memory once, and stays in the cache
    /// for all of them.
    func applying(_ operations: [PixelOperation]) throws(TintypeError) -> PixelBuffer {
        let rows = max(1, Self.stripByteCount / bytesPerRow)
        return try copied(to: size) { source, target, stride in
            for first in Swift.stride(from: 0, to: size.height, by: rows) {
                let count = min(rows, size.height - first)
                (target + first * stride).update(from: source + first * bytesPerRow, count: count * stride)
                let strip = PixelStrip(
                    pixels: target + first * stride, stride: stride,
                    size: PixelSize(width: size.width, height: count), firstRow: first)
                for operation in operations { operation.apply(strip) }
            }
        }
    }

    /// A part of the second cache of any machine.
    private static var stripByteCount: Int { 128 << 10 }
}
