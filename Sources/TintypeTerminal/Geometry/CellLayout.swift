package import TintypeCore

/// The cells that an image covers, and the number of pixels that it gets.
package struct CellLayout: Hashable, Sendable {
    /// The cells that the image covers, the last column and row perhaps only in part.
    package let span: CellSpan
    /// The size to which the image is resampled before it is encoded.
    package let pixels: PixelSize

    /// Whether images are enlarged to fill their region.
    package enum Scaling: Hashable, Sendable {
        /// Images keep their size if they fit. In cells, one pixel of the image gets at most one column.
        case down
        /// Images are enlarged or reduced to the largest size that fits.
        case toFit
    }

    /// Creates the layout of an image that covers cells of known pixels.
    init(_ span: CellSpan, pixels: PixelSize) {
        self.span = span
        self.pixels = pixels
    }

    /// Lays out an image of a size within a region.
    ///
    /// - Parameters:
    ///   - image: The size of the image in pixels.
    ///   - region: The largest number of cells.
    ///   - cell: The size of a cell in pixels.
    ///   - symbols: The pixels of a cell, for protocols that draw with characters; `nil` for those that draw pixels.
    ///   - scaling: Whether small images are enlarged.
    package init(
        _ image: PixelSize, within region: CellSpan, cell: PixelSize, symbols: CellSymbols?, scaling: Scaling = .down
    ) {
        let region = CellSpan(columns: max(1, region.columns), rows: max(1, region.rows))
        guard let symbols else {
            let box = region.pixels(cell: cell)
            pixels = scaling == .down ? image.fitted(into: box) : image.enlarged(into: box)
            span = CellSpan(
                columns: Self.divide(pixels.width, by: cell.width), rows: Self.divide(pixels.height, by: cell.height))
            return
        }
        // The height of an image pixel in rows, if it is one column wide.
        let aspect = Double(cell.width) / Double(cell.height)
        let (width, height) = (Double(max(1, image.width)), Double(max(1, image.height)) * aspect)
        let fit = min(Double(region.columns) / width, Double(region.rows) / height)
        let scale = scaling == .down ? min(1, fit) : fit
        span = CellSpan(
            columns: min(region.columns, max(1, Int((width * scale).rounded()))),
            rows: min(region.rows, max(1, Int((height * scale).rounded()))))
        pixels = span.pixels(cell: symbols.pixels)
    }

    private static func divide(_ length: Int, by cell: Int) -> Int {
        (length + cell - 1) / cell
    }
}

extension PixelSize {
    /// Returns the largest size of the same aspect ratio that fits into `box`, even if it is larger than `self`.
    func enlarged(into box: PixelSize) -> PixelSize {
        scaled(by: min(Double(box.width) / Double(max(1, width)), Double(box.height) / Double(max(1, height))))
            .clamped(to: box)
    }
}
