package import Foundation
package import TintypeCore

/// Encodes still and animated GIF with giflib, on the calling thread. Each frame stores only the pixels that changed.
///
/// A palette has at most 256 colours. Images with at most 256 colours keep them exactly. For other images,
/// ``ColorQuantizer`` chooses a palette. GIF has no translucent pixels: those that are at least half opaque become
/// opaque, others transparent.
///
/// A quality below 0.8 reduces the number of colours, down to 8 at quality 0; so does
/// ``EncodeOptions/ColorMode/palette(maxColors:)``, down to 2.
///
/// A value may be used from any thread.
package struct GIFEncoder: AnimatedImageEncoder {
    /// Which frames share a palette.
    package var palette: Palette
    /// Whether the error of each pixel is diffused to its neighbours, so that areas have the right average colour at
    /// the cost of visible grain and a larger file.
    package var isDithering: Bool

    /// The assignment of palettes to frames.
    package enum Palette: Hashable, Sendable {
        /// Each frame has its own palette, unless all frames together have few enough colours. The most faithful.
        case perFrame
        /// All frames have the same palette. Smaller, and colours do not change from frame to frame.
        case shared
    }

    /// Creates an encoder.
    package init(palette: Palette = .perFrame, isDithering: Bool = true) {
        self.palette = palette
        self.isDithering = isDithering
    }

    /// The GIF format.
    package var formats: Set<ImageFormat> { [.gif] }

    /// Encodes a still image.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` if a side has more than 65,535 pixels;
    ///   `TintypeError.Code.outOfMemory`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let image = try pixels.withBinaryAlpha()
        let patch = GIFFramePatch(pixels: image, rect: PixelRect(x: 0, y: 0, size: image.size), isCleared: false)
        let writer = try GIFWriter(size: image.size, shared: nil, repeats: nil)
        let palette = makePalette(for: image, hasTransparency: !image.isOpaque, options)
        try add(patch, delay: 0, palette, isShared: false, to: writer)
        return try writer.finish()
    }

    /// Encodes an animation. Durations are rounded to hundredths of a second; the shortest is 0.02 s, because viewers
    /// play shorter ones slowly.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` if a side has more than 65,535 pixels;
    ///   `TintypeError.Code.outOfMemory`; any error of a frame.
    package func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let (shared, clearsPixels) = try survey(animation, options)
        let delays = FrameDuration.ticks(animation.durations, perSecond: 100, in: 2...Int(UInt16.max))
        let writer = try GIFWriter(size: animation.size, shared: shared, repeats: Self.repeats(animation.loopCount))
        try animation.forEachPatch { index, patch throws(TintypeError) in
            // Some programs look for a transparent colour only in the first frame, and then in those that are cleared.
            let hasTransparency = clearsPixels || !patch.pixels.isOpaque
            let palette = shared ?? makePalette(for: patch.pixels, hasTransparency: hasTransparency, options)
            try add(patch, delay: delays[index], palette, isShared: shared != nil, to: writer)
        }
        return try writer.finish()
    }

    /// Converts a play count to the number of repetitions that a file states; `nil` for a single play.
    private static func repeats(_ playCount: Int) -> Int? {
        playCount == 1 ? nil : max(0, min(playCount - 1, Int(UInt16.max)))
    }

    // MARK: Colours

    /// Reads all frames before the first is written: returns their shared palette, if they share one, and whether
    /// pixels become transparent again.
    private func survey(
        _ animation: AnimatedImage, _ options: EncodeOptions
    ) throws(TintypeError) -> (shared: ColorPalette?, clearsPixels: Bool) {
        // One entry is for pixels that do not change.
        var histogram = ColorHistogram(limit: Self.colorLimit(options) - 1)
        var clearsPixels = false
        try animation.forEachPatch { _, patch throws(TintypeError) in
            histogram.add(patch.pixels)
            if patch.isCleared { clearsPixels = true }
        }
        let isShared = histogram.exactColors != nil || palette == .shared
        return (isShared ? ColorPalette(histogram, hasTransparency: true) : nil, clearsPixels)
    }

    private func makePalette(
        for pixels: PixelBuffer, hasTransparency: Bool, _ options: EncodeOptions
    ) -> ColorPalette {
        var histogram = ColorHistogram(limit: Self.colorLimit(options) - (hasTransparency ? 1 : 0))
        histogram.add(pixels)
        return ColorPalette(histogram, hasTransparency: hasTransparency)
    }

    private func add(
        _ patch: GIFFramePatch, delay: Int, _ palette: ColorPalette, isShared: Bool, to writer: borrowing GIFWriter
    ) throws(TintypeError) {
        var mapper = ColorMapper(palette)
        let indices = mapper.indices(of: patch.pixels, dithering: isDithering ? .diffused : .none)
        try writer.add(
            patch, delay: delay, palette: isShared ? nil : palette, transparentIndex: palette.transparentIndex,
            indices: indices)
    }

    /// Returns the number of palette entries for a quality, including the transparent one.
    static func colorLimit(_ options: EncodeOptions) -> Int {
        let quality = min(options.usedQuality, Self.fullQuality)
        return min(8 + Int((quality / Self.fullQuality * 248).rounded()), options.paletteLimit ?? 256)
    }

    /// The quality from which on all 256 entries are used.
    private static let fullQuality = 0.8
}
