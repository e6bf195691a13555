extension PixelBuffer {
    /// At most `count` opaque colours that together stand for the picture, that of the most pixels first. Fewer when the
    /// picture has fewer, none when it is wholly transparent.
    ///
    /// Found by median cut and a few rounds of k-means over a copy of at most 128×128 pixels: its cost hardly grows with the picture.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func palette(_ count: Int = 6) throws(TintypeError) -> [PaletteColor] {
        let small = try resampled(to: size.fitted(into: PixelSize(width: 128, height: 128)), filter: .box)
        return ColorClusters(ColorHistogram(small).entries, count: count).palette
    }

    /// The colour that most of the picture has; `nil` when it is wholly transparent.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func dominantColor() throws(TintypeError) -> Color? {
        try palette(8).first?.color
    }
}
