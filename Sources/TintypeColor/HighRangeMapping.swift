import Foundation

/// Maps PQ or HLG codes to linear light of any brightness, and to light that ordinary displays can show.
struct HighRangeMapping: Sendable {
    /// The light of each 16-bit code.
    private let light: [Float]
    private let isSceneReferred: Bool
    /// The columns of the matrix from the file's primaries to those of sRGB.
    private let red: SIMD3<Float>
    private let green: SIMD3<Float>
    private let blue: SIMD3<Float>
    /// The share of each primary in the luminance.
    private let luma: SIMD3<Float>
    /// The gains of the tone curve; see ``ToneCurve/scales()``.
    private let scales: [Float]

    /// - Parameter peak: The brightest light of the image in cd/m², or `nil` if the file does not state it.
    init(_ transfer: HighRangeTransfer, _ colors: Chromaticities, peak: Double?) {
        light = transfer.table
        isSceneReferred = transfer == .hlg
        let matrix = ColorMatrix3.toSRGB(colors)
        (red, green, blue) = (SIMD3(matrix.red), SIMD3(matrix.green), SIMD3(matrix.blue))
        let own = ColorMatrix3(colors)
        luma = SIMD3(Float(own.red.y), Float(own.green.y), Float(own.blue.y))
        scales = ToneCurve(peak: peak ?? HighRangeTransfer.nominalPeak).scales()
    }

    /// Returns the display light of a pixel in the file's primaries, in multiples of reference white.
    private func displayLight(_ code: SIMD3<UInt16>) -> SIMD3<Float> {
        let light = SIMD3(light[Int(code.x)], light[Int(code.y)], light[Int(code.z)])
        guard isSceneReferred else { return light }
        let luminance = (light * luma).sum()
        guard luminance > 0 else { return .zero }
        // The opto-optical transfer function: Rec. ITU-R BT.2100-2, table 5.
        let gain = Float(HighRangeTransfer.nominalPeak / HighRangeTransfer.referenceWhite)
        return light * (gain * pow(luminance, Float(HighRangeTransfer.systemExponent)))
    }

    /// Returns linear light in the primaries of sRGB, of any brightness, in multiples of reference white.
    func linearLight(_ code: SIMD3<UInt16>) -> SIMD3<Float> { toSRGB(displayLight(code)) }

    /// Returns linear light in the primaries of sRGB, tone-mapped to at most reference white.
    func toneMappedLight(_ code: SIMD3<UInt16>) -> SIMD3<Float> {
        let light = displayLight(code)
        return toSRGB(light * scale(light.max()))
    }

    private func toSRGB(_ light: SIMD3<Float>) -> SIMD3<Float> {
        red * light.x + green * light.y + blue * light.z
    }

    private func scale(_ brightest: Float) -> Float {
        ToneCurve.scale(of: brightest, scales)
    }
}

/// A 3 × 3 matrix for linear light.
struct ColorMatrix3: Equatable, Sendable {
    /// The columns of the matrix.
    var red: SIMD3<Double>
    var green: SIMD3<Double>
    var blue: SIMD3<Double>

    /// The matrix from linear light of these primaries to XYZ (SMPTE RP 177). White has a Y of 1.
    init(_ colors: Chromaticities) {
        func xyz(_ point: Chromaticities.Point) -> SIMD3<Double> {
            SIMD3(point.x / point.y, 1, (1 - point.x - point.y) / point.y)
        }
        let mixed = ColorMatrix3(red: xyz(colors.red), green: xyz(colors.green), blue: xyz(colors.blue))
        let share = mixed.inverse * xyz(colors.white)
        self.init(red: mixed.red * share.x, green: mixed.green * share.y, blue: mixed.blue * share.z)
    }

    init(red: SIMD3<Double>, green: SIMD3<Double>, blue: SIMD3<Double>) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// The matrix from linear light of `colors` to that of sRGB. Whites are not adapted: both are close to D65.
    static func toSRGB(_ colors: Chromaticities) -> ColorMatrix3 {
        ColorMatrix3(.standard).inverse * ColorMatrix3(colors)
    }

    /// The inverse matrix.
    ///
    /// - Precondition: The matrix is invertible; see ``Chromaticities/isUsable``.
    var inverse: ColorMatrix3 {
        let rows = [green.cross(blue), blue.cross(red), red.cross(green)]
        let scale = 1 / (red * rows[0]).sum()
        return ColorMatrix3(
            red: SIMD3(rows[0].x, rows[1].x, rows[2].x) * scale, green: SIMD3(rows[0].y, rows[1].y, rows[2].y) * scale,
            blue: SIMD3(rows[0].z, rows[1].z, rows[2].z) * scale)
    }

    static func * (matrix: ColorMatrix3, vector: SIMD3<Double>) -> SIMD3<Double> {
        matrix.red * vector.x + matrix.green * vector.y + matrix.blue * vector.z
    }

    static func * (left: ColorMatrix3, right: ColorMatrix3) -> ColorMatrix3 {
        ColorMatrix3(red: left * right.red, green: left * right.green, blue: left * right.blue)
    }
}

extension SIMD3<Double> {
    fileprivate func cross(_ other: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }
}
