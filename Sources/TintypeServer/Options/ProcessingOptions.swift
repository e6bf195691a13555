package import TintypeCore

/// What is to be done with an image: the options of a URL as one value.
///
/// The initial values are imgproxy's defaults. ``canonical`` writes a value as text; equal work has equal text.
package struct ProcessingOptions: Hashable, Sendable {
    // MARK: Geometry

    /// How the image is fitted to the size.
    package var resizingType = ResizingType.fit
    /// The width in pixels, before zoom and pixel ratio; 0 to derive it from the height.
    package var width = 0
    /// The height in pixels, before zoom and pixel ratio; 0 to derive it from the width.
    package var height = 0
    /// The least width before the crop to ``width``; 0 for none.
    package var minimumWidth = 0
    /// The least height before the crop to ``height``; 0 for none.
    package var minimumHeight = 0
    /// A factor of the size alone.
    package var zoom = Zoom()
    /// A factor of the size, the offsets and the padding (`dpr`), above 0.
    package var pixelRatio = 1.0
    /// Whether an image smaller than the size is enlarged.
    package var enlarges = false
    /// Whether the result is extended to the size.
    package var extend = CanvasOption()
    /// Whether the result is extended to the aspect ratio of the size.
    package var extendAspectRatio = CanvasOption()
    /// Which part a crop keeps.
    package var gravity = GravityOption()
    /// The part of the source that is used.
    package var crop = CropOption()
    /// The removal of a border.
    package var trim = TrimOption()
    /// The pixels that are added around the result.
    package var padding = Padding()
    /// Whether the orientation in the metadata is applied.
    package var autoRotates = true
    /// The clockwise rotation of the upright image: 0, 90, 180 or 270.
    package var rotation = 0
    /// How the rotated image is turned over.
    package var flip = FlipOption()

    // MARK: Pixels

    /// The colour under transparent pixels; `nil` to keep them where the format can.
    package var background: RGBColor?
    /// Changes of the colours.
    package var color = ColorAdjustment()
    /// Blur, sharpening and mosaic.
    package var filters = FilterOptions()
    /// The watermark.
    package var watermark = WatermarkOption()

    // MARK: Output

    /// Metadata, format and quality.
    package var output = OutputOptions()
    /// A text without effect on the pixels, which makes the URL and the key another one.
    package var cacheBuster = ""
    /// Limits that replace those of the configuration.
    package var limits = LimitOptions()

    // MARK: Delivery, which is not part of the key

    /// The time, in seconds since 1970, from which on the URL is refused; `nil` or 0 for never.
    package var expires: Int?
    /// The name of the file for the browser, without extension; empty for that of the source.
    package var fileName = ""
    /// Whether the browser saves the image instead of showing it.
    package var isAttachment = false
    /// The source of the image for failures of the source; empty for that of the operator.
    package var fallbackURL = ""

    /// Creates options that change nothing but the metadata.
    package init() {}
}

/// How the result is written.
package struct OutputOptions: Hashable, Sendable {
    /// Whether metadata are left out.
    package var stripsMetadata = true
    /// Whether the authors and the copyright are kept when metadata are left out.
    package var keepsCopyright = true
    /// Whether colours are converted to sRGB, and the profile left out.
    package var stripsColorProfile = true
    /// Whether more than 8 bits a component are kept.
    package var preservesHDR = false
    /// Whether an embedded thumbnail is used in place of the image.
    package var enforcesThumbnail = false
    /// The quality from 1 to 100; 0 for that of the format.
    package var quality = 0
    /// The qualities of formats from 0 to 100; 0 for ``defaultQuality``.
    package var formatQuality: [ImageFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
    /// The quality of formats that have no own one. No option sets it.
    package var defaultQuality = 80
    /// The number of bytes to which the quality is reduced; 0 for no limit.
    package var maximumBytes = 0
    /// The format; `nil` to choose it.
    package var format: ImageFormat?
    /// The formats of sources that are passed through if they are that of the result.
    package var skippedFormats: Set<ImageFormat> = []
    /// Whether the source is passed through unread.
    package var isRaw = false

    /// Returns the quality for a format: that of the URL, else that of the format, else the general one.
    package func quality(for format: ImageFormat) -> Int {
        if quality > 0 { return quality }
        if let quality = formatQuality[format], quality > 0 { return quality }
        return defaultQuality
    }
}

/// Limits that a URL may set only where the operator allows it. `nil` is the limit of the configuration, beyond which
/// those of sources do not reach.
package struct LimitOptions: Hashable, Sendable {
    /// The largest number of pixels of a source, all frames together.
    package var sourcePixels: Int?
    /// The largest number of bytes of a source; 0 for no limit.
    package var sourceBytes: Int?
    /// The largest number of frames that are read.
    package var frames: Int?
    /// The largest number of pixels of a frame, in place of ``sourcePixels``; 0 for no such limit.
    package var framePixels: Int?
    /// The largest side of the result; 0 for no limit.
    package var resultSide: Int?
}
