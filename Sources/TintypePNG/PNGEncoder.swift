import CTintypePNG
package import Foundation
package import TintypeCore

/// Encodes PNG and animated PNG with libdeflate, or with libpng above 64 MB: lossless, unless the options limit the
/// number of colours.
///
/// ``EncodeOptions/ColorMode`` selects the channels. Images with ``Image/highRange`` are written with 16 bits per
/// channel. ``EncodeOptions/effort`` is the compression level, 0 to 1 for 1 to 9.
///
/// Any thread may use an encoder.
package struct PNGEncoder: ImageEncoder {
    /// The compression level, from 0 (none) to 9 (slowest and smallest).
    package var compressionLevel: Int

    /// Creates a PNG encoder.
    ///
    /// - Parameter compressionLevel: The level; clamped to 0…9.
    package init(compressionLevel: Int = 6) {
        self.compressionLevel = min(max(compressionLevel, 0), 9)
    }

    /// The formats that this encoder writes: PNG.
    package var formats: Set<ImageFormat> { [.png] }

    /// Encodes `pixels` in the colour mode of `options`.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`,
    ///   `TintypeError.Code.cancelled`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = pixels.isOpaque
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        var survey = PNGColorSurvey(limit: options.paletteLimit)
        if options.colorMode != .trueColor { survey.add(straight) }
        guard let limit = options.paletteLimit, survey.colors == nil else {
            return try encode(straight, survey.layout(isOpaque: isOpaque, options), options)
        }
        let quantizer = try PNGQuantizer(straight, limit: limit)
        return try encode(quantizer.indices, quantizer.palette, straight.size, options)
    }

    /// Encodes straight pixels in a layout that keeps all of them.
    func encode(
        _ straight: PixelBuffer, _ layout: PNGLayout, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        if case .palette(let palette) = layout {
            return try encode(palette.indices(of: straight), palette, straight.size, options)
        }
        let status = straight.withUnsafeBytes { rows in
            encode(rows, straight.size, stride: straight.bytesPerRow, layout.color, layout.bits, nil, options)
        }
        return try status.get()
    }

    private func encode(
        _ indices: [UInt8], _ palette: PNGPalette, _ size: PixelSize, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        try indices.withUnsafeBytes {
            encode($0, size, stride: size.width, .palette, palette.bits, palette.bytes, options)
        }.get()
    }

    private func encode(
        _ rows: UnsafeRawBufferPointer, _ size: PixelSize, stride: Int, _ color: tintype_png_color, _ bits: Int,
        _ palette: [UInt8]?, _ options: EncodeOptions
    ) -> Result<Data, TintypeError> {
        let level = options.effort(from: 1, to: 9) ?? compressionLevel
        var message = [CChar](repeating: 0, count: 200)
        var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
        let status = (palette ?? []).withUnsafeBufferPointer { entries in
            rows.bindMemory(to: UInt8.self).baseAddress.map { base in
                let layout = tintype_png_layout(
                    color: color, bit_depth: UInt8(bits), compression_level: Int32(level),
                    palette: palette == nil ? nil : entries.baseAddress, palette_count: UInt32(entries.count / 4))
                return tintype_png_encode(
                    base, UInt32(size.width), UInt32(size.height), stride, layout, &bytes, &count, &message,
                    message.count)
            }
        }
        guard status == .ok, let bytes else {
            let code: TintypeError.Code = status == .memory ? .outOfMemory : .encodeFailed
            return .failure(
                TintypeError(code, stage: .encode, "encoding a PNG failed: \(String(cText: message))"))
        }
        return .success(Data(takingOver: bytes, count: count, freedBy: tintype_png_free))
    }
}

extension PNGEncoder: DeepImageEncoder {
    /// Encodes a still image with 16 bits per channel.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`.
    package func encode(
        _ samples: DeepSamples, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isGrey = samples.isGrey && options.allowsGrey
        let layout = isGrey ? PNGLayout.grey(samples.isOpaque) : .colors(samples.isOpaque)
        return try samples.samples.withUnsafeBytes { rows in
            encode(rows, samples.size, stride: samples.size.width * 8, layout.color, 16, nil, options)
        }.get()
    }
}

/// Encodes animated PNG (PNG third edition, 11.3.6).
///
/// Each frame stores the rectangle that differs from the previous frame, so that every pixel is exact. All frames have
/// one layout, which keeps the colours of all of them: ``EncodeOptions/ColorMode/palette(maxColors:)`` has an effect
/// only if there are not more colours than that. A duration is stored as a fraction of two 16-bit numbers, exactly if
/// it came from one; the longest is 65,535 seconds.
extension PNGEncoder: AnimatedImageEncoder {
    /// Encodes the frames of `animation`.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed`, `TintypeError.Code.outOfMemory`, and the errors of decoding the
    ///   frames.
    package func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let layout = try Self.layout(of: animation, options)
        var writer = PNGAnimationWriter(animation)
        var previous: PixelBuffer?
        for index in 0..<animation.frameCount {
            let pixels = try animation.frame(at: index)
            let rect = Self.changedRect(of: pixels, after: previous)
            let part = try pixels.cropped(to: rect)
            let png = try encode(layout.isOpaque ? part : part.unpremultiplied(), layout, options)
            try writer.append(png, at: rect, duration: animation.durations[index])
            previous = pixels
        }
        return writer.finish()
    }

    /// Returns a layout for all frames. Decodes frames until only RGBA is left.
    private static func layout(
        of animation: AnimatedImage, _ options: EncodeOptions
    ) throws(TintypeError) -> PNGLayout {
        var survey = PNGColorSurvey(limit: options.paletteLimit)
        var isOpaque = true
        for index in 0..<animation.frameCount {
            let frame = try animation.frame(at: index)
            let isFrameOpaque = frame.isOpaque
            isOpaque = isOpaque && isFrameOpaque
            if options.colorMode != .trueColor { survey.add(isFrameOpaque ? frame : try frame.unpremultiplied()) }
            if !isOpaque && (survey.isOver || options.colorMode == .trueColor) { break }
        }
        return survey.layout(isOpaque: isOpaque, options)
    }

    /// Returns the rectangle to store for a frame, which has at least one pixel.
    private static func changedRect(of pixels: PixelBuffer, after previous: PixelBuffer?) -> PixelRect {
        guard let previous else { return PixelRect(x: 0, y: 0, size: pixels.size) }
        return pixels.changedRect(from: previous) ?? PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1))
    }
}
