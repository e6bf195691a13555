import Foundation

/// Makes of light that is coded for bright displays what ordinary ones show, and what is kept of it.
struct HighRangeMapping: Sendable {
    private let light: [Float]
    private let isOfScene: Bool
    /// From light of the file's primaries to that of sRGB, by columns.
    private let red: SIMD3<Float>
    private let green: SIMD3<Float>
    private let blue: SIMD3<Float>
    /// How much each primary counts for luminance.
    private let luma: SIMD3<Float>
    private let scales: [Float]

    /// - Parameter peak: the brightest light of the picture, in cd/m², where the file says it.
    init(_ transfer: HighRangeTransfer, _ colors: Chromaticities, peak: Double?) {
        light = transfer.table
        isOfScene = transfer == .hlg
        let matrix = ColorMatrix3.toStandard(colors)
        (red, green, blue) = (SIMD3(matrix.red), SIMD3(matrix.green), SIMD3(matrix.blue))
        let own = ColorMatrix3(colors)
        luma = SIMD3(Float(own.red.y), Float(own.green.y), Float(own.blue.y))
        scales = ToneCurve(peak: peak ?? HighRangeTransfer.nominalPeak).scales()
    }

    /// Display light of a pixel in the primaries of the file, in multiples of white.
    private func displayed(_ code: SIMD3<UInt16>) -> SIMD3<Float> {
        let light = SIMD3(light[Int(code.x)], light[Int(code.y)], light[Int(code.z)])
        guard isOfScene else { return light }
        let luminance = (light * luma).sum()
        guard luminance > 0 else { return .zero }
        // Rec. ITU-R BT.2100-2, table 5: the OOTF.
        let gain = Float(HighRangeTransfer.nominalPeak / HighRangeTransfer.referenceWhite)
        return light * (gain * pow(luminance, Float(HighRangeTransfer.systemExponent)))
    }

    /// Linear light of sRGB's primaries, of any brightness.
    func kept(_ code: SIMD3<UInt16>) -> SIMD3<Float> { inStandard(displayed(code)) }

    /// The same, brought below white.
    func shown(_ code: SIMD3<UInt16>) -> SIMD3<Float> {
        let light = displayed(code)
        return inStandard(light * scale(light.max()))
    }

    private func inStandard(_ light: SIMD3<Float>) -> SIMD3<Float> {
        red * light.x + green * light.y + blue * light.z
    }

    private func scale(_ brightest: Float) -> Float {
        let place = (brightest / ToneCurve.brightest).squareRoot() * Float(ToneCurve.steps)
        let index = min(Int(place), ToneCurve.steps - 1)
        let share = min(place - Float(index), 1)
        return scales[index] * (1 - share) + scales[index + 1] * share
    }
}

/// A matrix over linear light.
struct ColorMatrix3: Equatable, Sendable {
    /// Its columns.
    var red: SIMD3<Double>
    var green: SIMD3<Double>
    var blue: SIMD3<Double>

    /// From light mixed of primaries to XYZ (SMPTE RP 177). What is mixed to white has a Y of 1.
    init(_ colors: Chromaticities) {
        func light(_ point: Chromaticities.Point) -> SIMD3<Double> {
            SIMD3(point.x / point.y, 1, (1 - point.x - point.y) / point.y)
        }
        let mixed = ColorMatrix3(red: light(colors.red), green: light(colors.green), blue: light(colors.blue))
        let share = mixed.inverse * light(colors.white)
        self.init(red: mixed.red * share.x, green: mixed.green * share.y, blue: mixed.blue * share.z)
    }

    init(red: SIMD3<Double>, green: SIMD3<Double>, blue: SIMD3<Double>) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// From light of these primaries to that of sRGB. Both have a white of about D65 where it matters.
    static func toStandard(_ colors: Chromaticities) -> ColorMatrix3 {
        ColorMatrix3(.standard).inverse * ColorMatrix3(colors)
    }

    /// - Precondition: it has one: see ``Chromaticities/isUsable``.
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
