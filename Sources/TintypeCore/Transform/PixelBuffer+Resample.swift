extension PixelBuffer {
    /// This picture, or a part of it, with other numbers of pixels.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package func resampled(
        crop: PixelRect? = nil, of full: PixelSize? = nil, to target: PixelSize, filter: ResampleFilter
    ) throws(TintypeError) -> PixelBuffer {
        if target == size, crop == nil || crop?.size == full ?? size { return self }
        var resampler = try RowResampler(from: size, crop: crop, of: full, to: target, filter: filter)
        withUnsafeBytes { resampler.append(rows: $0, count: size.height, stride: bytesPerRow) }
        return resampler.finish()
    }
}
