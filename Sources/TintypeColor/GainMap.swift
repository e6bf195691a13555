import Foundation
package import TintypeCore

/// The factors by which a gain map, a second image of the same scene, brightens an image.
///
/// The gains are applied in the primaries of sRGB, to which the image was converted. That differs from its own
/// primaries only where the gains of the channels differ.
package struct GainMap: Sendable {
    /// The factor for each 8-bit code of the map, for red, green and blue.
    private let factors: [[Float]]
    /// The light that is added before, and subtracted after the gain. That of alpha is 0.
    private let before: SIMD4<Float>
    private let after: SIMD4<Float>

    /// Creates the gains that parameters describe.
    package init(_ parameters: GainMapParameters) {
        factors = parameters.channels.map(Self.factors)
        func offsets(_ offset: (GainMapParameters.Channel) -> Double) -> SIMD4<Float> {
            let channels = parameters.channels.map { Float(offset($0)) }
            return SIMD4(channels[0], channels[1], channels[2], 0)
        }
        (before, after) = (offsets(\.baseOffset), offsets(\.brightOffset))
    }

    private static func factors(_ channel: GainMapParameters.Channel) -> [Float] {
        (0...255).map { code in
            let share = pow(Double(code) / 255, 1 / channel.gamma)
            return Float(exp2(channel.least * (1 - share) + channel.greatest * share))
        }
    }

    /// Creates the gains of a map of Apple's (Apple, "Applying Apple HDR effect to your photos").
    ///
    /// - Parameter headroom: The light of the brightest gain, in multiples of reference white.
    /// - Returns: `nil` unless it is brighter than white, and no brighter than 2¹⁶ times.
    package init?(appleHeadroom headroom: Double) {
        guard headroom > 1, headroom <= 65_536 else { return nil }
        let gains = (0...255).map { Float(1 + (headroom - 1) * Self.appleGain(Double($0) / 255)) }
        (factors, before, after) = ([gains, gains, gains], .zero, .zero)
    }

    /// Returns the gain of a channel: the inverse of the transfer function of Rec. ITU-R BT.709-6, item 1.2.
    private static func appleGain(_ channel: Double) -> Double {
        channel < 0.081 ? channel / 4.5 : pow((channel + 0.099) / 1.099, 1 / 0.45)
    }

    // MARK: Size

    /// The number of pixels of a map per pixel of its image. The two differ where the sides of the map were rounded.
    package typealias Scale = (across: Double, down: Double)

    /// The largest scale of a map. Maps are smaller than their images; those of images that were scaled down may not
    /// be.
    private static let largestScale = 2.0

    /// Returns the scale of a map that belongs to a stored image; `nil` if the map has another shape, or is far larger.
    package static func scale(of map: PixelSize, to stored: PixelSize) -> Scale? {
        let across = Double(map.width) / Double(stored.width)
        let down = Double(map.height) / Double(stored.height)
        guard abs(down / across - 1) < 0.05, min(across, down) <= largestScale else { return nil }
        return (across: across, down: down)
    }

    /// Returns the part of a whole map that belongs to a target, at the target's size.
    ///
    /// - Parameter scale: The scale of the map; see ``scale(of:to:)``.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    package static func part(
        of map: PixelBuffer, _ target: DecodeTarget, scale: Scale
    ) throws(TintypeError) -> PixelBuffer {
        try map.resampled(
            crop: target.part, scale: scale.across, verticalScale: scale.down, to: target.size, filter: .bilinear)
    }

    // MARK: Light

    private static let brightest = SIMD4<Float>(repeating: Float(Float16.greatestFiniteMagnitude))

    /// Returns the bright rendition of an image, in linear light.
    ///
    /// - Parameters:
    ///   - image: The image. Its own high range, if it has one, is brightened, otherwise its 8-bit pixels.
    ///   - decodeMap: Decodes the map, and returns it at the size of the image; `nil` if it does not belong to the
    ///     image.
    /// - Returns: `nil` if the map is damaged, exceeds a limit or does not belong to the image, whose ordinary
    ///   rendition remains.
    /// - Throws: `TintypeError.Code.cancelled`.
    package static func brightened(
        _ image: WideImage, _ context: DecodeContext,
        decodeMap: () throws(TintypeError) -> (gains: PixelBuffer, map: GainMap)?
    ) throws(TintypeError) -> HighRangePixels? {
        do throws(TintypeError) {
            // The map at the size of the image, and the result.
            try context.limits.checkMemory(
                bytesPerPixel: image.bytesPerPixel + PixelBuffer.bytesPerPixel + HighRangePixels.bytesPerPixel,
                of: image.pixels.size)
            guard let (gains, map) = try decodeMap(), gains.size == image.pixels.size else { return nil }
            return try map.applied(gains, to: image, context)
        } catch {
            guard error.code != .cancelled else { throw error }
            return nil
        }
    }

    private func applied(
        _ gains: PixelBuffer, to image: WideImage, _ context: DecodeContext
    ) throws(TintypeError) -> HighRangePixels {
        let size = gains.size
        var writer = try HighRangePixels.writer(size)
        for y in 0..<size.height {
            try context.checkCancelled()
            writer.withRows(from: y) { target in
                gains.withUnsafeRow(y) { gain in
                    if let highRange = image.highRange {
                        brighten(gain, size.width, to: target) { highRange[$0, y] }
                    } else {
                        image.pixels.withUnsafeRow(y) { base in
                            brighten(gain, size.width, to: target) { Self.light(of: base, at: $0) }
                        }
                    }
                }
            }
        }
        return HighRangePixels(rows: writer.finish())
    }

    /// Writes a row of premultiplied light.
    ///
    /// - Parameter light: Returns the premultiplied light of a column before the gain.
    @inline(__always)
    private func brighten(
        _ gain: UnsafeRawBufferPointer, _ width: Int, to target: UnsafeMutableRawBufferPointer,
        light: (Int) -> SIMD4<Float>
    ) {
        for x in 0..<width {
            let own = light(x)
            let factor = SIMD4(
                factors[0][Int(gain[4 * x])], factors[1][Int(gain[4 * x + 1])], factors[2][Int(gain[4 * x + 2])], 1)
            var bright = (own + before * own.w) * factor - after * own.w
            // Brighter light than 16 bits can represent would be infinite.
            bright.clamp(lowerBound: -Self.brightest, upperBound: Self.brightest)
            target.storeBytes(
                of: SIMD4<Float16>(bright), toByteOffset: x * HighRangePixels.bytesPerPixel, as: SIMD4<Float16>.self)
        }
    }

    /// Returns the premultiplied light of a premultiplied 8-bit pixel.
    @inline(__always)
    private static func light(of row: UnsafeRawBufferPointer, at x: Int) -> SIMD4<Float> {
        let alpha = Int(row[4 * x + 3])
        guard alpha > 0 else { return .zero }
        // The curve applies to straight colours.
        func channel(_ index: Int) -> Float {
            let code = Int(row[4 * x + index])
            return SRGBCurve.light[alpha == 255 ? code : min((code * 255 + alpha / 2) / alpha, 255)]
        }
        let opacity = Float(alpha) / 255
        return SIMD4(channel(0) * opacity, channel(1) * opacity, channel(2) * opacity, opacity)
    }
}
