package import TintypeCore

/// Makes previews from the straight pixels that a library has decoded so far.
package struct PreviewPixels {
    private let info: ImageInfo
    private let target: DecodeTarget
    private let scale: Double
    private let converter: ColorConverter?

    /// Creates the maker of previews for one image.
    ///
    /// - Parameter converter: Converts the image's colours to sRGB; `nil` if they are sRGB already.
    /// - Throws: `TintypeError.Code.transformFailed` if the crop of `options` lies outside the image.
    package init(
        _ info: ImageInfo, _ converter: ColorConverter?, _ options: DecodeOptions
    ) throws(TintypeError) {
        self.info = info
        self.converter = converter
        target = try DecodeTarget(info, options: options)
        scale = options.scale ?? 1
    }

    /// Returns a preview, or `nil` if nothing is visible yet.
    ///
    /// - Parameter fill: Writes RGBA rows to `rows` at a distance of `stride` bytes, and returns the number of rows,
    ///   counted from the top, that may be visible; `nil` if there are none.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    package func image(
        _ fill: (_ rows: UnsafeMutablePointer<UInt8>, _ stride: Int) -> UInt32?
    ) throws(TintypeError) -> Image? {
        var writer = try PixelWriter(size: info.storedSize)
        let stride = writer.bytesPerRow
        let rows = writer.withRows { $0.bindMemory(to: UInt8.self).baseAddress.flatMap { fill($0, stride) } }
        guard let rows else { return nil }
        writer.convert(rows: Int(rows), by: converter)
        if info.hasAlpha { writer.premultiply(rows: Int(rows)) }
        let pixels = try writer.finish().resampled(crop: target.part, to: target.size, filter: .bilinear)
        return Image(pixels: try pixels.oriented(info.orientation), info: info, scale: scale)
    }
}
