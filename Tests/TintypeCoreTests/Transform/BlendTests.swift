import Testing
import TintypeTesting

@testable import TintypeCore

/// Compares all modes with the formulas of W3C Compositing and Blending Level 1, in double precision.
@Suite struct BlendTests {
    private func blended(_ over: Pixel, _ under: Pixel, _ mode: BlendMode) throws -> Pixel {
        try OverlayTransformer(.filled(over), mode: mode).transform(.filled(under))[0, 0]
    }

    private func parts(_ pixel: Pixel) -> [Double] {
        [pixel.red, pixel.green, pixel.blue, pixel.alpha].map { Double($0) / 255 }
    }

    @Test(arguments: BlendFormulas.separable.keys.map(\.self)) func separableModesFollowTheirFormula(_ mode: BlendMode)
        throws
    {
        let formula = try #require(BlendFormulas.separable[mode])
        try compare(mode) { over, under in
            (0..<3).map { index in
                let (front, back) = (
                    over[3] > 0 ? over[index] / over[3] : 0, under[3] > 0 ? under[index] / under[3] : 0
                )
                return over[index] * (1 - under[3]) + under[index] * (1 - over[3])
                    + over[3] * under[3] * formula(back, front)
            } + [over[3] + under[3] - over[3] * under[3]]
        }
    }

    @Test(arguments: BlendFormulas.parts.keys.map(\.self)) func porterDuffModesFollowTheirFormula(_ mode: BlendMode)
        throws
    {
        let formula = try #require(BlendFormulas.parts[mode])
        try compare(mode) { over, under in
            let (front, back) = formula(over[3], under[3])
            return (0..<4).map { min(1, over[$0] * front + under[$0] * back) }
        }
    }

    /// A mode of Core Graphics: the complements of both colours are added.
    @Test func plusDarkerFollowsItsFormula() throws {
        try compare(.plusDarker) { over, under in
            let alpha = min(1, over[3] + under[3])
            let color = (0..<3).map { index -> Double in
                let missing = over[3] - over[index] + under[3] - under[index]
                return max(0, alpha - missing)
            }
            return color + [alpha]
        }
    }

    @Test func nonSeparableModesKeepTheirNamedComponent() throws {
        func luminosity(_ color: [Double]) -> Double { 0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2] }
        func range(_ color: [Double]) -> Double {
            max(color[0], color[1], color[2]) - min(color[0], color[1], color[2])
        }
        let (over, under) = (Pixel(red: 200, green: 40, blue: 90), Pixel(red: 30, green: 120, blue: 100))
        for mode in [BlendMode.hue, .saturation, .color] {
            let result = parts(try blended(over, under, mode))
            #expect(abs(luminosity(result) - luminosity(parts(under))) < 0.01, "\(mode)")
        }
        let light = parts(try blended(over, under, .luminosity))
        #expect(abs(luminosity(light) - luminosity(parts(over))) < 0.01)
        #expect(abs(range(parts(try blended(over, under, .hue))) - range(parts(under))) < 0.01)
        let grey = try blended(Pixel(red: 80, green: 80, blue: 80), under, .saturation)
        #expect(grey.red == grey.green && grey.green == grey.blue)
    }

    @Test(arguments: BlendFormulas.together.keys.map(\.self)) func nonSeparableModesFollowTheirFormula(
        _ mode: BlendMode
    )
        throws
    {
        let formula = try #require(BlendFormulas.together[mode])
        try compare(mode) { over, under in
            func straight(_ pixel: [Double]) -> [Double] { pixel[..<3].map { pixel[3] > 0 ? $0 / pixel[3] : 0 } }
            let mixed = formula(straight(under), straight(over))
            return (0..<3).map { index in
                over[index] * (1 - under[3]) + under[index] * (1 - over[3]) + over[3] * under[3] * mixed[index]
            } + [over[3] + under[3] - over[3] * under[3]]
        }
    }

    @Test(arguments: BlendMode.allCases) func everyModeYieldsPremultipliedPixels(_ mode: BlendMode) throws {
        var random = SeededRandom.printed("modes")
        let (over, under) = try (PixelBuffer.noise(40, 40, &random), PixelBuffer.noise(40, 40, &random))
        #expect(try OverlayTransformer(over, gravity: .topLeft, mode: mode).transform(under).isPremultiplied)
    }

    private func compare(_ mode: BlendMode, _ formula: ([Double], [Double]) -> [Double]) throws {
        var random = SeededRandom.printed("formula")
        for _ in 0..<300 {
            let (over, under) = try (PixelBuffer.noise(1, 1, &random)[0, 0], PixelBuffer.noise(1, 1, &random)[0, 0])
            let result = parts(try blended(over, under, mode))
            let expected = formula(parts(over), parts(under))
            for index in 0..<4 {
                #expect(abs(result[index] - expected[index]) * 255 <= 1, "\(mode): \(over) on \(under)")
            }
        }
    }
}

private enum BlendFormulas {
    typealias Formula = @Sendable (_ under: Double, _ over: Double) -> Double
    typealias Parts = @Sendable (_ over: Double, _ under: Double) -> (Double, Double)

    static let separable: [BlendMode: Formula] = [
        .multiply: { $0 * $1 },
        .screen: { $0 + $1 - $0 * $1 },
        .overlay: { $0 <= 0.5 ? 2 * $0 * $1 : 1 - 2 * (1 - $0) * (1 - $1) },
        .darken: { min($0, $1) },
        .lighten: { max($0, $1) },
        .colorDodge: { $0 == 0 ? 0 : $1 == 1 ? 1 : min(1, $0 / (1 - $1)) },
        .colorBurn: { $0 == 1 ? 1 : $1 == 0 ? 0 : 1 - min(1, (1 - $0) / $1) },
        .hardLight: { $1 <= 0.5 ? 2 * $0 * $1 : 1 - 2 * (1 - $0) * (1 - $1) },
        .softLight: { under, over in
            let lit = under <= 0.25 ? ((16 * under - 12) * under + 4) * under : under.squareRoot()
            return over <= 0.5
                ? under - (1 - 2 * over) * under * (1 - under) : under + (2 * over - 1) * (lit - under)
        },
        .difference: { abs($0 - $1) },
        .exclusion: { $0 + $1 - 2 * $0 * $1 },
        .normal: { _, over in over },
    ]

    // The non-separable modes, section 10.4 of the recommendation: SetLum, SetSat and ClipColor.

    private static func luminosity(_ color: [Double]) -> Double {
        0.3 * color[0] + 0.59 * color[1] + 0.11 * color[2]
    }

    private static func saturation(_ color: [Double]) -> Double { (color.max() ?? 0) - (color.min() ?? 0) }

    private static func settingLuminosity(_ color: [Double], to light: Double) -> [Double] {
        let moved = color.map { $0 + light - luminosity(color) }
        let (low, high) = (moved.min() ?? 0, moved.max() ?? 0)
        let raised = low < 0 ? moved.map { light + (($0 - light) * light) / (light - low) } : moved
        return high > 1 ? raised.map { light + (($0 - light) * (1 - light)) / (high - light) } : raised
    }

    private static func settingSaturation(_ color: [Double], to range: Double) -> [Double] {
        guard let low = color.min(), let high = color.max(), high > low else { return [0, 0, 0] }
        return color.map { ($0 - low) * range / (high - low) }
    }

    static let together: [BlendMode: @Sendable (_ under: [Double], _ over: [Double]) -> [Double]] = [
        .hue: {
            settingLuminosity(settingSaturation($1, to: saturation($0)), to: luminosity($0))
        },
        .saturation: {
            settingLuminosity(settingSaturation($0, to: saturation($1)), to: luminosity($0))
        },
        .color: { settingLuminosity($1, to: luminosity($0)) },
        .luminosity: { settingLuminosity($0, to: luminosity($1)) },
    ]

    /// The fractions of source and backdrop that remain, from the alphas of both.
    static let parts: [BlendMode: Parts] = [
        .clear: { _, _ in (0, 0) }, .copy: { _, _ in (1, 0) }, .sourceIn: { _, under in (under, 0) },
        .sourceOut: { _, under in (1 - under, 0) }, .sourceAtop: { over, under in (under, 1 - over) },
        .destinationOver: { _, under in (1 - under, 1) }, .destinationIn: { over, _ in (0, over) },
        .destinationOut: { over, _ in (0, 1 - over) }, .destinationAtop: { over, under in (1 - under, over) },
        .xor: { over, under in (1 - under, 1 - over) }, .plusLighter: { _, _ in (1, 1) },
    ]
}
