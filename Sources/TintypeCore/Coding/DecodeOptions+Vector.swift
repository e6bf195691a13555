extension DecodeOptions.Size {
    /// Returns the size to draw a vector image at, which may be larger than its nominal size.
    ///
    /// - Parameter drawing: The size of the part to draw.
    package func vectorTarget(for drawing: DrawingSize) -> PixelSize {
        let nominal = drawing.pixels
        guard nominal.isPositive else { return nominal }
        return switch self {
        case .full, .atMost, .noPixels: target(for: nominal)
        case .fit(let box): drawing.fitted(into: box)
        case .shrink(let box):
            PixelSize(
                width: box.width > 0 ? box.width : nominal.width, height: box.height > 0 ? box.height : nominal.height)
        case .cover(let box): drawing.covering(box)
        }
    }
}

extension DecodeOptions {
    /// Returns the size to decode an image to: the requested one, of the part that ``crop`` leaves.
    package func target(for info: ImageInfo) -> PixelSize {
        let part = crop?.clipped(to: info.size)?.size
        guard info.format.isVector else { return size.target(for: part ?? info.size) }
        return size.vectorTarget(for: part.map(DrawingSize.init) ?? info.drawing ?? DrawingSize(info.size))
    }
}
