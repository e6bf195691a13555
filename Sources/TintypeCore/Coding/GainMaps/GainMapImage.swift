import Foundation

/// A gain map to write: the factors by which an HDR image is brighter than its 8-bit rendition (ISO 21496-1).
///
/// The gains are applied to linear light with the primaries of sRGB. A map has one channel if the gains of red, green
/// and blue hardly differ, and otherwise three.
package struct GainMapImage: Sendable {
    /// The codes of the gains; grey for a single channel.
    package let pixels: PixelBuffer
    /// The parameters that turn codes into gains.
    package let parameters: WrittenGainMap

    /// The light that is added before a gain, and subtracted afterwards, so that black has a gain.
    static let offset: Float = 1 / 64
    /// Images of more pixels get a map of half their width and height.
    private static let fullSizeArea = 1 << 18
    /// The largest mean difference between the gains of the channels, as a logarithm to base 2, for a single channel.
    private static let greyTolerance: Float = 1 / 32
    /// The brightest light that a map describes: the peak of PQ (Rec. ITU-R BT.2100) in multiples of reference white.
    private static let brightest: Float = 10_000 / 203

    /// Computes the gains between two renditions of one image.
    ///
    /// - Parameters:
    ///   - base: The 8-bit image.
    ///   - light: The HDR image, of the same size.
    /// - Returns: `nil` if no pixel is brighter than reference white: the 8-bit image then lacks nothing that a display
    ///   of a high range could show.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    init?(base: PixelBuffer, light: HighRangePixels) throws(TintypeError) {
        guard base.size == light.size else { return nil }
        let step = base.size.area > Self.fullSizeArea ? 2 : 1
        let size = PixelSize(width: (base.size.width + step - 1) / step, height: (base.size.height + step - 1) / step)
        let gains = try Self.gains(base, light, size, step)
        guard gains.peak > 1.001 else { return nil }
        let isGrey = gains.difference / Float(size.area) < Self.greyTolerance
        let channels = isGrey ? gains.averaged : gains.logarithms
        var (least, greatest) = (channels.min() ?? 0, channels.max() ?? 0)
        // A range without an extent could not be divided by.
        if greatest - least < 1e-3 { (least, greatest) = (least - 5e-4, greatest + 5e-4) }
        parameters = WrittenGainMap(
            least: Double(least), greatest: Double(greatest), headroom: Double(log2(min(gains.peak, Self.brightest))),
            channelCount: isGrey ? 1 : 3)
        pixels = try Self.coded(channels, isGrey: isGrey, least...greatest, size)
    }

    /// The logarithms of the gains, three for each pixel of the map.
    private struct Gains {
        var logarithms: [Float]
        /// The sum of the differences between the channels.
        var difference: Float = 0
        var peak: Float = 0

        /// The mean of the channels, one for each pixel.
        var averaged: [Float] {
            stride(from: 0, to: logarithms.count, by: 3).map {
                (logarithms[$0] + logarithms[$0 + 1] + logarithms[$0 + 2]) / 3
            }
        }
    }

    private static func gains(
        _ base: PixelBuffer, _ light: HighRangePixels, _ size: PixelSize, _ step: Int
    ) throws(TintypeError) -> Gains {
        var gains = Gains(logarithms: [Float](repeating: 0, count: size.area * 3))
        for y in 0..<size.height {
            if y % 16 == 0 { try TransformContext.current.checkCancelled() }
            for x in 0..<size.width {
                var (sum, count) = (SIMD3<Float>.zero, Float(0))
                for row in y * step..<min(y * step + step, base.size.height) {
                    for column in x * step..<min(x * step + step, base.size.width) {
                        let own = LinearPixel(base, column, row).straight
                        let bright = usable(LinearPixel(light[column, row]).straight)
                        gains.peak = max(gains.peak, bright.max())
                        sum += ratio(bright, own)
                        count += 1
                    }
                }
                let mean = sum / count
                for channel in 0..<3 { gains.logarithms[(y * size.width + x) * 3 + channel] = mean[channel] }
                gains.difference += mean.max() - mean.min()
            }
        }
        return gains
    }

    /// Returns light without what is no number, outside of the gamut, or too bright.
    private static func usable(_ light: SIMD3<Float>) -> SIMD3<Float> {
        // A comparison with what is no number is false.
        light.replacing(with: 0, where: .!(light .== light))
            .clamped(lowerBound: .zero, upperBound: SIMD3(repeating: brightest))
    }

    private static func ratio(_ bright: SIMD3<Float>, _ own: SIMD3<Float>) -> SIMD3<Float> {
        let quotient = (bright + offset) / (own + offset)
        return SIMD3(log2(quotient.x), log2(quotient.y), log2(quotient.z))
    }

    private static func coded(
        _ channels: [Float], isGrey: Bool, _ range: ClosedRange<Float>, _ size: PixelSize
    ) throws(TintypeError) -> PixelBuffer {
        let scale = 255 / (range.upperBound - range.lowerBound)
        var writer = try PixelWriter(size: size)
        for y in 0..<size.height {
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    let index = y * size.width + x
                    for channel in 0..<3 {
                        let gain = channels[isGrey ? index : 3 * index + channel]
                        row[4 * x + channel] = UInt8(((gain - range.lowerBound) * scale).rounded())
                    }
                    row[4 * x + 3] = 255
                }
            }
        }
        return writer.finish()
    }
}

/// A pixel in linear light.
struct LinearPixel {
    /// Premultiplied red, green, blue and alpha.
    let value: SIMD4<Float>

    init(_ value: SIMD4<Float>) {
        self.value = value
    }

    /// - Precondition: The position lies inside the image.
    init(_ pixels: PixelBuffer, _ x: Int, _ y: Int) {
        let pixel = pixels[x, y]
        let alpha = Int(pixel.alpha)
        guard alpha > 0 else {
            value = .zero
            return
        }
        // The curve applies to straight colours.
        func light(_ channel: UInt8) -> Float {
            SRGBCurve.light[alpha == 255 ? Int(channel) : min((Int(channel) * 255 + alpha / 2) / alpha, 255)]
        }
        let opacity = Float(alpha) / 255
        value = SIMD4(SIMD3(light(pixel.red), light(pixel.green), light(pixel.blue)) * opacity, opacity)
    }

    /// Red, green and blue without alpha; black where the pixel is transparent.
    var straight: SIMD3<Float> {
        let color = SIMD3(value.x, value.y, value.z)
        return value.w > 0 ? color / value.w : .zero
    }
}

// MARK: - Other pixels

extension HighRangePixels {
    /// Returns the HDR image that belongs to other 8-bit pixels of the same size, brightened by the same gains.
    ///
    /// - Parameters:
    ///   - former: The 8-bit image to which these pixels belong.
    ///   - new: The image that a transformer made of it, pixel by pixel.
    /// - Returns: `nil` if the sizes differ.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func following(_ former: PixelBuffer, to new: PixelBuffer) throws(TintypeError) -> HighRangePixels? {
        guard former.size == size, new.size == size else { return nil }
        let (offset, brightest) = (GainMapImage.offset, Float(Float16.greatestFiniteMagnitude))
        var writer = try Self.writer(size)
        for y in 0..<size.height {
            if y % 16 == 0 { try TransformContext.current.checkCancelled() }
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    let (old, next) = (LinearPixel(former, x, y).straight, LinearPixel(new, x, y))
                    let gain = (LinearPixel(self[x, y]).straight + offset) / (old + offset)
                    let bright = ((next.straight + offset) * gain - offset) * next.value.w
                    let pixel = SIMD4(bright, next.value.w).clamped(
                        lowerBound: SIMD4(repeating: -brightest), upperBound: SIMD4(repeating: brightest))
                    row.storeBytes(
                        of: SIMD4<Float16>(pixel), toByteOffset: x * Self.bytesPerPixel, as: SIMD4<Float16>.self)
                }
            }
        }
        return HighRangePixels(rows: writer.finish())
    }
}

extension ImageTransformer {
    /// Returns the HDR pixels of a transformed image.
    ///
    /// - Parameters:
    ///   - light: The HDR pixels before.
    ///   - pixels: The 8-bit pixels before.
    ///   - result: The 8-bit pixels after, which this transformer has made.
    /// - Returns: `nil` if this transformer neither moves whole pixels (``GeometricTransformer``) nor changes each by
    ///   itself.
    /// - Throws: The errors of the transformer.
    func transform(
        _ light: HighRangePixels, of pixels: PixelBuffer, to result: PixelBuffer
    ) throws(TintypeError) -> HighRangePixels? {
        if let geometric = self as? any GeometricTransformer { return try geometric.transform(light, of: pixels) }
        return self is any PixelwiseTransformer ? try light.following(pixels, to: result) : nil
    }
}
