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
        _ pixels: PixelBuffer, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let picture = try pixels.withBinaryAlpha()
        let whole = PixelRect(x: 0, y: 0, size: picture.size)
        let writer = try GIFWriter(size: picture.size, shared: nil, repeats: nil)
        try add(GIFPainting(pixels: picture, rect: whole, isCleared: false), delay: 0, nil, options, to: writer)
        return try writer.finish()
    }

    /// Durations are hundredths of a second, 2 at least: what says less is played slowly.
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let shared = try sharedPalette(animation, options)
        let delays = FrameDuration.ticks(animation.durations, perSecond: 100, in: 2...Int(UInt16.max))
        let writer = try GIFWriter(size: animation.size, shared: shared, repeats: Self.repeats(animation.loopCount))
        try animation.forEachPainting { index, painting throws(TintypeError) in
            try add(painting, delay: delays[index], shared, options, to: writer)
        }
        return try writer.finish()
    }

    /// A file says how often it begins again, and nothing if it does not.
    private static func repeats(_ plays: Int) -> Int? {
        plays == 1 ? nil : max(0, min(plays - 1, Int(UInt16.max)))
    }

    // MARK: Colours

    /// Of all frames: `nil` when each is to have its own.
    private func sharedPalette(
        _ animation: AnimatedImage, _ options: EncodeOptions
    ) throws(TintypeError) -> ColorPalette? {
        // One place is for what does not change.
        var colors = ColorCount(limit: Self.colorLimit(options) - 1)
        try animation.forEachPainting { _, painting throws(TintypeError) in colors.add(painting.pixels) }
        return colors.exact != nil || palette == .shared ? ColorPalette(colors, hasUnpainted: true) : nil
    }

    private func add(
        _ painting: GIFPainting, delay: Int, _ shared: ColorPalette?, _ options: EncodeOptions,
        to writer: borrowing GIFWriter
    ) throws(TintypeError) {
        let own = shared == nil ? ownPalette(painting.pixels, options) : nil
        guard let palette = shared ?? own else { return }
        var mapper = ColorMapper(palette)
        let indices = mapper.indices(of: painting.pixels, isDithering: isDithering)
        try writer.add(painting, delay: delay, own, unpainted: palette.unpainted, indices)
    }

    private func ownPalette(_ pixels: PixelBuffer, _ options: EncodeOptions) -> ColorPalette {
        let hasUnpainted = !pixels.isOpaque
        var colors = ColorCount(limit: Self.colorLimit(options) - (hasUnpainted ? 1 : 0))
        colors.add(pixels)
        return ColorPalette(colors, hasUnpainted: hasUnpainted)
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
