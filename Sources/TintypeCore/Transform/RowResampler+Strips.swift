extension RowResampler {
    /// Resamples a picture that a decoder gives a few rows at a time, so that it is never whole in memory at its size.
    ///
    /// - Parameter read: fills the first rows of a strip, at most as many as it is told, premultiplied; returns how
    ///   many, and 0 only when there are no more.
    /// - Throws: ``TintypeError/Code/undecodable`` when the rows end early, what `read` throws, and as
    ///   ``append(rows:count:stride:)``.
    package static func resampled(
        _ size: PixelSize, crop: PixelRect? = nil, of full: PixelSize? = nil, to target: PixelSize,
        filter: ResampleFilter = .lanczos3,
        read: (_ count: Int, _ strip: inout PixelWriter) throws(TintypeError) -> Int
    ) throws(TintypeError) -> PixelBuffer {
        var resampler = try RowResampler(from: size, crop: crop, of: full, to: target, filter: filter)
        var strip = try PixelWriter(size: PixelSize(width: size.width, height: min(stripHeight, size.height)))
        let stride = strip.bytesPerRow
        var row = 0
        while row < size.height {
            let count = try read(min(strip.size.height, size.height - row), &strip)
            guard count > 0 else { throw TintypeError(.undecodable, stage: .decode, "the picture is cut short") }
            try strip.withRows { rows throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(rows), count: count, stride: stride)
            }
            row += count
        }
        return resampler.finish()
    }

    /// Rows that are read at once: enough for a decoder's own batches, few enough for the cache.
    private static var stripHeight: Int { 16 }
}
