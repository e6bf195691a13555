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
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func applying(_ operations: [PixelOperation]) throws(TintypeError) -> PixelBuffer {
        try copied(to: size) { source, target, stride throws(TintypeError) in
            try Strips(of: size.height, bytesPerRow: bytesPerRow).forEach { rows in
                let first = rows.lowerBound
                (target + first * stride).update(from: source + first * bytesPerRow, count: rows.count * stride)
                let strip = PixelStrip(
                    pixels: target + first * stride, stride: stride,
                    size: PixelSize(width: size.width, height: rows.count), firstRow: first)
                for operation in operations { operation.apply(strip) }
            }
        }
    }
}
