package import TintypeCore

/// Rows of straight 16-bit samples, in PQ with the primaries of Rec. ITU-R BT.2100, made from linear light.
package struct PQRows: Sendable {
    /// When each pixel of an image gets a sample for alpha.
    package enum AlphaSamples: Sendable {
        case always
        case unlessOpaque
    }

    /// The size of the image in pixels.
    package let size: PixelSize
    /// Whether every pixel is opaque.
    package let isOpaque: Bool
    /// All rows without padding, four samples per pixel or, without alpha, three.
    package let samples: [UInt16]

    /// Converts an image.
    ///
    /// - Throws: `TintypeError.Code.cancelled`.
    package init(_ highRange: HighRangePixels, alpha: AlphaSamples) throws(TintypeError) {
        let size = highRange.size
        let isOpaque = (0..<size.height).allSatisfy { y in (0..<size.width).allSatisfy { highRange[$0, y].w >= 1 } }
        samples = try Self.samples(of: highRange, hasAlpha: alpha == .always || !isOpaque)
        (self.size, self.isOpaque) = (size, isOpaque)
    }

    private static func samples(of highRange: HighRangePixels, hasAlpha: Bool) throws(TintypeError) -> [UInt16] {
        // BT.2100 uses the primaries of BT.2020.
        let wide = Chromaticities(primaries: 9) ?? .standard
        let matrix = ColorMatrix3(wide).inverse * ColorMatrix3(.standard)
        var samples: [UInt16] = []
        samples.reserveCapacity(highRange.size.area * (hasAlpha ? 4 : 3))
        for y in 0..<highRange.size.height {
            if y % 16 == 0 { try TransformContext.current.checkCancelled() }
            for x in 0..<highRange.size.width {
                let pixel = SIMD4<Double>(highRange[x, y])
                let light = SIMD3(pixel.x, pixel.y, pixel.z) / max(pixel.w, 1e-4)
                let shown = matrix * light
                for channel in 0..<3 { samples.append(code(shown[channel])) }
                // NaN compares as false and becomes 0.
                if hasAlpha { samples.append(UInt16(((pixel.w > 0 ? min(pixel.w, 1) : 0) * 65535).rounded())) }
            }
        }
        return samples
    }

    /// Returns the code of light in multiples of reference white. Light below black or above the peak of PQ is clipped.
    private static func code(_ light: Double) -> UInt16 {
        guard light > 0 else { return 0 }
        // The light of a hostile image may be infinite.
        let code = HighRangeTransfer.pqCode(min(light * HighRangeTransfer.referenceWhite, 10_000))
        return UInt16((min(code, 1) * 65535).rounded())
    }
}
