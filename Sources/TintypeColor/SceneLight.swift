import Foundation
package import TintypeCore

/// Converts linear light in the primaries of a file to ``HighRangePixels``, row by row, and these to 8-bit sRGB.
///
/// For formats whose numbers are light, such as OpenEXR: 1 is reference white, and more is brighter.
package struct SceneLight: Sendable {
    /// The columns of the matrix from the file's primaries to those of sRGB.
    private let red: SIMD3<Float>
    private let green: SIMD3<Float>
    private let blue: SIMD3<Float>
    /// The share of each primary in the luminance.
    package let luma: SIMD3<Float>

    /// - Parameter colors: The primaries and the white of the file; those of sRGB if they are not usable.
    package init(_ colors: Chromaticities) {
        let colors = colors.isUsable ? colors : .standard
        let matrix = colors.isStandard ? .identity : ColorMatrix3.toSRGB(adapting: colors)
        (red, green, blue) = (SIMD3(matrix.red), SIMD3(matrix.green), SIMD3(matrix.blue))
        let own = ColorMatrix3(colors)
        luma = SIMD3(Float(own.red.y), Float(own.green.y), Float(own.blue.y))
    }

    private static let brightest = SIMD4<Float>(repeating: Float(Float16.greatestFiniteMagnitude))

    /// Writes premultiplied light to rows made by ``TintypeCore/HighRangePixels/writer(_:)``.
    ///
    /// - Parameters:
    ///   - light: Premultiplied red, green, blue and alpha of each pixel. What is no number becomes 0.
    ///   - row: The row, from the first pixel on.
    package func write(_ light: UnsafeBufferPointer<Float>, to row: UnsafeMutableRawBufferPointer) {
        for start in stride(from: 0, to: light.count - 3, by: 4) {
            let own = SIMD3(light[start], light[start + 1], light[start + 2])
            let shown = red * own.x + green * own.y + blue * own.z
            var pixel = SIMD4(shown, min(max(light[start + 3], 0), 1))
            // A comparison with what is no number is false.
            pixel.replace(with: 0, where: .!(pixel .== pixel))
            pixel.clamp(lowerBound: -Self.brightest, upperBound: Self.brightest)
            row.storeBytes(
                of: SIMD4<Float16>(pixel), toByteOffset: start / 4 * HighRangePixels.bytesPerPixel,
                as: SIMD4<Float16>.self)
        }
    }
}

/// Tone-maps linear light of any brightness to 8-bit sRGB.
package struct LightToneMapping: Sendable {
    /// The brightest channel of the image, in multiples of reference white.
    package let peak: Float
    /// The gains of the tone curve; see ``ToneCurve/scales()``. `nil` for an image without light above reference white,
    /// whose light is not changed.
    private let scales: [Float]?

    /// Measures an image. The tone curve is that for PQ: light above 1000 cd/m² counts as that, because a single pixel
    /// may be as bright as the sun.
    ///
    /// - Throws: `TintypeError.Code.cancelled`.
    package init(_ image: HighRangePixels, _ context: DecodeContext) throws(TintypeError) {
        var peak: Float = 0
        for y in 0..<image.size.height {
            if y % 16 == 0 { try context.checkCancelled() }
            for x in 0..<image.size.width {
                let pixel = image[x, y]
                guard pixel.w > 0 else { continue }
                peak = max(peak, max(pixel.x, pixel.y, pixel.z) / pixel.w)
            }
        }
        self.peak = peak
        let light = min(Double(peak) * HighRangeTransfer.referenceWhite, HighRangeTransfer.nominalPeak)
        // 16-bit floats have a precision of a thousandth.
        scales = peak > 1.001 ? ToneCurve(peak: light).scales() : nil
    }

    /// Returns a part of an image in premultiplied 8-bit sRGB.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func standard(
        _ image: HighRangePixels, _ target: DecodeTarget, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer {
        var resampler = try RowResampler(from: image.size, crop: target.part, to: target.size, filter: .lanczos3)
        var strip = try PixelWriter(size: PixelSize(width: image.size.width, height: 1))
        let rowLength = strip.bytesPerRow
        for y in 0..<image.size.height {
            if y % 16 == 0 { try context.checkCancelled() }
            strip.withRows { row in
                for x in 0..<image.size.width {
                    row.storeBytes(of: code(image[x, y]), toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                }
            }
            strip.premultiply(rows: 1)
            try strip.withRows { rows throws(TintypeError) in
                try resampler.append(rows: UnsafeRawBufferPointer(rows), count: 1, stride: rowLength)
            }
        }
        return resampler.finish()
    }

    /// Returns the straight codes of premultiplied light.
    private func code(_ pixel: SIMD4<Float>) -> SIMD4<UInt8> {
        guard pixel.w > 0 else { return .zero }
        var light = SIMD3(pixel.x, pixel.y, pixel.z) / pixel.w
        if let scales { light *= ToneCurve.scale(of: light.max(), scales) }
        return SIMD4(
            SRGBCurve.code(light.x), SRGBCurve.code(light.y), SRGBCurve.code(light.z),
            UInt8((pixel.w * 255).rounded()))
    }
}

extension ToneCurve {
    /// Returns the factor for light whose brightest channel is `brightest` times reference white.
    ///
    /// - Parameter scales: The result of ``scales()``.
    static func scale(of brightest: Float, _ scales: [Float]) -> Float {
        // Light brighter than that of PQ becomes reference white.
        guard brightest < Self.brightest else { return 1 / brightest }
        let position = (max(brightest, 0) / Self.brightest).squareRoot() * Float(steps)
        let index = min(Int(position), steps - 1)
        let fraction = min(position - Float(index), 1)
        return scales[index] * (1 - fraction) + scales[index + 1] * fraction
    }
}

extension ColorMatrix3 {
    static let identity = ColorMatrix3(red: SIMD3(1, 0, 0), green: SIMD3(0, 1, 0), blue: SIMD3(0, 0, 1))

    /// The matrix from linear light of `colors` to that of sRGB, which maps white to white: the linear Bradford
    /// adaptation of ICC.1:2022, annex E.
    static func toSRGB(adapting colors: Chromaticities) -> ColorMatrix3 {
        let bradford = ColorMatrix3(
            red: SIMD3(0.8951, -0.7502, 0.0389), green: SIMD3(0.2664, 1.7135, -0.0685),
            blue: SIMD3(-0.1614, 0.0367, 1.0296))
        let (own, standard) = (ColorMatrix3(colors), ColorMatrix3(.standard))
        let gain = bradford * (standard * SIMD3(1, 1, 1)) / (bradford * (own * SIMD3(1, 1, 1)))
        let scaled = ColorMatrix3(
            red: SIMD3(gain.x, 0, 0), green: SIMD3(0, gain.y, 0), blue: SIMD3(0, 0, gain.z))
        return standard.inverse * (bradford.inverse * (scaled * (bradford * own)))
    }
}
