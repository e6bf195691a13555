package import TintypeCore

/// Makes pictures of the straight pixels that a library has decoded so far.
package struct PreviewPixels {
    private let info: ImageInfo
    private let target: DecodeTarget
    private let scale: Double
    private let converter: ColorConverter?

    package init(
        _ info: ImageInfo, _ converter: ColorConverter?, _ options: DecodeOptions
    ) throws(TintypeError) {
        self.info = info
        self.converter = converter
        target = try DecodeTarget(info, options)
        scale = options.scale ?? 1
    }

    /// Shows what there is.
    ///
    /// - Parameter fill: writes rows of RGBA to where it is told, at the distance in bytes that it is told, and returns
    ///   which of them, from the top, may have something to see; `nil` where none has.
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
