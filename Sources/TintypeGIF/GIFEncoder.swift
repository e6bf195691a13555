public import Foundation
public import TintypeCore

/// Encodes GIF, animations too, with giflib: the pixels that have changed, in 256 colours.
///
/// Pictures of no more colours are kept as they are. For others colours are chosen by ``ColorQuantizer``. A GIF has no
/// translucent pixels: those that are at least half opaque become opaque, others transparent.
///
/// Below a quality of 0.8, fewer colours are used: 8 at 0.
public struct GIFEncoder: AnimatedImageEncoder {
    /// Which frames share their colours.
    public var palette: Palette
    /// Whether the error that is made with a pixel is spread over those beside and below it, so that areas have the colour
    /// that they should, at the cost of a grain and of a larger file.
    public var isDithering: Bool

    public enum Palette: Hashable, Sendable {
        /// Each frame has its own, unless all frames together have few enough: the most faithful.
        case perFrame
        /// All frames have the same ones: smaller, and colours do not change from frame to frame.
        case shared
    }

    public init(palette: Palette = .perFrame, isDithering: Bool = true) {
        self.palette = palette
        self.isDithering = isDithering
    }

    public var formats: Set<ImageFormat> { [.gif] }

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let picture = try pixels.withBinaryAlpha()
        let painting = GIFPainting(
            pixels: picture, rect: PixelRect(x: 0, y: 0, size: picture.size), isCleared: false)
        let writer = try GIFWriter(size: picture.size, shared: nil, repeats: nil)
        let palette = palette(of: picture, hasUnpainted: !picture.isOpaque, options)
        try add(painting, delay: 0, palette, isOwn: true, to: writer)
        return try writer.finish()
    }

    /// Durations are hundredths of a second, 2 at least: what says less is played slowly.
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let (shared, isClearing) = try survey(animation, options)
        let delays = FrameDuration.ticks(animation.durations, perSecond: 100, in: 2...Int(UInt16.max))
        let writer = try GIFWriter(size: animation.size, shared: shared, repeats: Self.repeats(animation.loopCount))
        try animation.forEachPainting { index, painting throws(TintypeError) in
            // Some programs look for a transparent colour in the first frame alone, and then in those that are cleared.
            let hasUnpainted = isClearing || !painting.pixels.isOpaque
            let palette = shared ?? palette(of: painting.pixels, hasUnpainted: hasUnpainted, options)
            try add(painting, delay: delays[index], palette, isOwn: shared == nil, to: writer)
        }
        return try writer.finish()
    }

    /// A file says how often it begins again, and nothing if it does not.
    private static func repeats(_ plays: Int) -> Int? {
        plays == 1 ? nil : max(0, min(plays - 1, Int(UInt16.max)))
    }

    // MARK: Colours

    /// What has to be known of all frames before the first is written: their colours, where they share them, and whether
    /// pixels become transparent again.
    private func survey(
        _ animation: AnimatedImage, _ options: EncodeOptions
    ) throws(TintypeError) -> (shared: ColorPalette?, isClearing: Bool) {
        // One place is for what does not change.
        var colors = ColorCount(limit: Self.colorLimit(options) - 1)
        var isClearing = false
        try animation.forEachPainting { _, painting throws(TintypeError) in
            colors.add(painting.pixels)
            if painting.isCleared { isClearing = true }
        }
        let isShared = colors.exact != nil || palette == .shared
        return (isShared ? ColorPalette(colors, hasUnpainted: true) : nil, isClearing)
    }

    private func palette(of pixels: PixelBuffer, hasUnpainted: Bool, _ options: EncodeOptions) -> ColorPalette {
        var colors = ColorCount(limit: Self.colorLimit(options) - (hasUnpainted ? 1 : 0))
        colors.add(pixels)
        return ColorPalette(colors, hasUnpainted: hasUnpainted)
    }

    private func add(
        _ painting: GIFPainting, delay: Int, _ palette: ColorPalette, isOwn: Bool, to writer: borrowing GIFWriter
    ) throws(TintypeError) {
        var mapper = ColorMapper(palette)
        let indices = mapper.indices(of: painting.pixels, isDithering: isDithering)
        try writer.add(painting, delay: delay, isOwn ? palette : nil, unpainted: palette.unpainted, indices)
    }

    /// How many colours, the transparent one included.
    static func colorLimit(_ options: EncodeOptions) -> Int {
        // NaN compares as false and becomes the lowest.
        let quality = options.quality > 0 ? min(options.quality, Self.fullQuality) : 0
        return 8 + Int((quality / Self.fullQuality * 248).rounded())
    }

    /// From here on, as many colours as a GIF can have.
    private static let fullQuality = 0.8
}
