package import Foundation

/// Straight RGBA samples of 16 bits in sRGB or Display P3, for encoders of formats with more than 8 bits per channel.
///
/// 0 is black or transparent; 65,535 is white or opaque.
package struct DeepSamples: Sendable {
    /// The size of the image in pixels.
    package let size: PixelSize
    /// The samples of all rows, top row first, without padding: red, green, blue and alpha of each pixel.
    package let samples: [UInt16]
    /// Whether every pixel is opaque.
    package let isOpaque: Bool
    /// Whether red, green and blue are equal in every pixel, within the precision of ``HighRangePixels``.
    package let isGrey: Bool

    /// Creates samples.
    ///
    /// - Returns: `nil` unless there are four samples for each pixel.
    package init?(size: PixelSize, samples: [UInt16]) {
        guard size.isPositive, samples.count == size.area * 4 else { return nil }
        var (alpha, isGrey) = (UInt16.max, true)
        for start in stride(from: 0, to: samples.count, by: 4) {
            alpha &= samples[start + 3]
            let (red, green, blue) = (samples[start], samples[start + 1], samples[start + 2])
            isGrey = isGrey && max(red, green, blue) - min(red, green, blue) <= Self.greyTolerance
        }
        (self.size, self.samples, self.isGrey) = (size, samples, isGrey)
        isOpaque = alpha == .max
    }

    /// The largest difference between the channels of grey: conversions round each of them to a 16-bit float.
    private static let greyTolerance: UInt16 = 16

    /// Converts linear light.
    ///
    /// - Returns: `nil` if a pixel is brighter than reference white. The 8-bit pixels are then tone-mapped, and their
    ///   tones differ from these.
    /// - Throws: ``TintypeError/Code/cancelled``.
    init?(_ light: HighRangePixels, _ space: EncodeOptions.ColorSpace) throws(TintypeError) {
        var samples = [UInt16](repeating: 0, count: light.size.area * 4)
        for y in 0..<light.size.height {
            if y % 16 == 0 { try TransformContext.current.checkCancelled() }
            let isOrdinary = samples.withUnsafeMutableBufferPointer { samples in
                let row = UnsafeMutableBufferPointer(
                    rebasing: samples[y * light.size.width * 4..<(y + 1) * light.size.width * 4])
                return light.rows.withUnsafeRow(y) { DeepCurve.convert($0, to: row, space) }
            }
            guard isOrdinary else { return nil }
        }
        self.init(size: light.size, samples: samples)
    }
}

/// Encodes still images with 16 bits per channel.
package protocol DeepImageEncoder: ImageEncoder {
    /// Encodes a still image.
    ///
    /// - Parameter format: One of ``ImageEncoder/formats``.
    /// - Throws: ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``.
    func encode(_ samples: DeepSamples, as format: ImageFormat, options: EncodeOptions) throws(TintypeError) -> Data
}

/// The 16-bit codes of linear light.
private enum DeepCurve {
    /// The codes of the 16-bit floats from 0 to 1, which are in the order of their bits.
    private static let codes: [UInt16] = (0...Float16(1).bitPattern).map { code(Float(Float16(bitPattern: $0))) }

    private static func code(_ light: Float) -> UInt16 {
        // NaN compares as false and becomes 0.
        light > 0 ? UInt16((SRGBCurve.channel(of: Double(min(light, 1))) * 65535).rounded()) : 0
    }

    private static func code(_ light: Float16) -> UInt16 {
        light > 0 ? codes[Int(min(light, 1).bitPattern)] : 0
    }

    /// Converts a row of premultiplied 16-bit floats.
    ///
    /// - Returns: Whether no pixel is brighter than white.
    static func convert(
        _ row: UnsafeRawBufferPointer, to samples: UnsafeMutableBufferPointer<UInt16>,
        _ space: EncodeOptions.ColorSpace
    ) -> Bool {
        for start in stride(from: 0, to: samples.count, by: 4) {
            let pixel = row.loadUnaligned(fromByteOffset: start * 2, as: SIMD4<Float16>.self)
            guard pixel.w == 1, space == .sRGB else {
                guard convert(SIMD4<Float>(pixel), to: samples, at: start, space) else { return false }
                continue
            }
            guard max(pixel.x, pixel.y, pixel.z) < brightest else { return false }
            for channel in 0..<3 { samples[start + channel] = code(pixel[channel]) }
            samples[start + 3] = .max
        }
        return true
    }

    private static func convert(
        _ pixel: SIMD4<Float>, to samples: UnsafeMutableBufferPointer<UInt16>, at start: Int,
        _ space: EncodeOptions.ColorSpace
    ) -> Bool {
        var light = SIMD3(pixel.x, pixel.y, pixel.z) / max(pixel.w, 1e-4)
        if space == .displayP3 { light = DisplayP3Transformer.converted(light) }
        guard pixel.w == 0 || light.max() < Float(brightest) else { return false }
        for channel in 0..<3 { samples[start + channel] = code(light[channel]) }
        // NaN compares as false and becomes 0.
        samples[start + 3] = UInt16(((pixel.w > 0 ? min(pixel.w, 1) : 0) * 65535).rounded())
        return true
    }

    /// White, and what rounding may add to it.
    private static let brightest: Float16 = 1.01
}
