extension DecodeContext {
    /// Returns the context with limits that admit an image, and a size that keeps to the former limits.
    ///
    /// - Parameter info: The header of the image.
    func scalingDown(_ info: ImageInfo) -> DecodeContext {
        var context = self
        context.options.oversized = .refused
        let part = options.crop?.clipped(to: info.size)?.size ?? info.size
        let target = info.format.isVector ? options.target(for: info) : options.size.target(for: part)
        if options.size != .noPixels, let limited = limits.limited(target) {
            if case .shrink = options.size {
                context.options.size = .shrink(limited)
            } else {
                context.options.size = .fit(limited)
            }
        }
        guard !info.format.isVector else { return context }
        context.limits.pixels = max(limits.pixels, info.size.area)
        context.limits.side = max(limits.side, info.size.width, info.size.height)
        return context
    }
}

extension DecodeLimits {
    /// Returns the largest size with the aspect ratio of another that the limits allow; `nil` if they allow that one.
    fileprivate func limited(_ size: PixelSize) -> PixelSize? {
        let (width, height) = (Double(size.width), Double(size.height))
        let (pixels, side) = (Double(max(pixels, 1)), Double(max(side, 1)))
        let scale = min((pixels / (width * height)).squareRoot(), side / max(width, height))
        guard scale < 1 else { return nil }
        // Rounded down, so that the limits hold. A side of less than one pixel is one pixel, and takes from the other.
        let (across, down) = (max(1, Int(width * scale)), max(1, Int(height * scale)))
        return PixelSize(width: min(across, Int(pixels) / down), height: min(down, Int(pixels) / across))
    }
}
