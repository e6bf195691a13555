extension PixelBuffer {
    /// This picture, or a part of it, with other numbers of pixels.
    ///
    /// - Parameter kept: the part of the result that is made; all of it by default.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/cancelled``.
    package func resampled(
        crop: PixelRect? = nil, of full: PixelSize? = nil, to target: PixelSize, keeping kept: PixelRect? = nil,
        filter: ResampleFilter
    ) throws(TintypeError) -> PixelBuffer {
        if target == size, crop == nil || crop?.size == full ?? size {
            guard let kept else { return self }
            return try cropped(to: kept)
        }
        var resampler = try RowResampler(from: size, crop: crop, of: full, to: target, keeping: kept, filter: filter)
        try withUnsafeBytes { rows throws(TintypeError) in
            try resampler.append(rows: rows, count: size.height, stride: bytesPerRow)
        }
        return resampler.finish()
    }
}
