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
