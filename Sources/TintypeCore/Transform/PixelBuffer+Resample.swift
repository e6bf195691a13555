import Foundation

extension PixelBuffer {
    /// Returns this image, or a part of it, resampled to another size: on threads that would idle, if it is large.
    ///
    /// - Parameters:
    ///   - crop: The part of this image that the output shows; all of it by default.
    ///   - scale: The number of pixels of this image per pixel that `crop` refers to, if a decoder has scaled it.
    ///   - verticalScale: The same from top to bottom, if that differs.
    ///   - target: The size of the whole output in pixels.
    ///   - outputRect: The part of the output that is produced; all of it by default.
    ///   - filter: The resampling filter.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/cancelled``.
    package func resampled(
        crop: PixelRect? = nil, scale: Double = 1, verticalScale: Double? = nil, to target: PixelSize,
        outputRect: PixelRect? = nil, filter: ResampleFilter
    ) throws(TintypeError) -> PixelBuffer {
        let whole = PixelRect(x: 0, y: 0, size: size)
        if target == size, crop == nil || (crop == whole && scale == 1 && (verticalScale ?? 1) == 1) {
            guard let outputRect else { return self }
            return try cropped(to: outputRect)
        }
        let outputRect = outputRect ?? PixelRect(x: 0, y: 0, size: target)
        let output = try PixelWriter(size: outputRect.size).finish()
        let source = (crop ?? whole).size
        let across = Double(source.width) * scale, down = Double(source.height) * (verticalScale ?? scale)
        // Where blocks are averaged first, each band would average all blocks above it again.
        let isShrunk =
            ResampleAxis.shrinks(across / Double(target.width), filter)
            || ResampleAxis.shrinks(down / Double(target.height), filter)
        let bandCount = isShrunk ? 1 : outputRect.size.height / Self.shortestBand
        let byteCount = max(Int(min(across * down, 1e12)) * Self.bytesPerPixel, output.byteCount)
        let threads = SpareThreads(forBytes: byteCount, parts: bandCount)
        try output.writeBands(atMost: bandCount, on: threads) { band, writer throws(TintypeError) in
            var resampler = try RowResampler(
                from: size, crop: crop, scale: scale, verticalScale: verticalScale, to: target,
                outputRect: PixelRect(
                    x: outputRect.x, y: outputRect.y + band.lowerBound,
                    size: PixelSize(width: outputRect.size.width, height: band.count)),
                filter: filter, writer: writer)
            try withUnsafeBytes { rows throws(TintypeError) in
                try resampler.append(rows: rows, count: size.height, stride: bytesPerRow)
            }
        }
        return output
    }

    /// Writes a new bitmap in bands of rows, one for each thread.
    ///
    /// - Parameter write: Writes a band. Called at once on several threads.
    private func writeBands(
        atMost count: Int, on threads: borrowing SpareThreads,
        _ write: (_ band: Range<Int>, _ writer: consuming PixelWriter) throws(TintypeError) -> Void
    ) throws(TintypeError) {
        let context = TransformContext.current
        let failure = Locked<TintypeError?>(nil)
        let count = max(1, min(threads.count, count))
        try Strips(of: size.height, bytesPerRow: bytesPerRow, parts: count).forEach(on: threads) { band, _ in
            do throws(TintypeError) {
                try context.run { () throws(TintypeError) in try write(band, PixelWriter(band, of: self)) }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// In rows. Two bands both read the source rows around the border between them.
    private static var shortestBand: Int { 16 }
}
