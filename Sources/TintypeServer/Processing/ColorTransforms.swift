import TintypeCore

extension ColorAdjustment {
    /// The transforms: at most one matrix.
    var transforms: [any ImageTransformer] {
        var matrix = ColorMatrix.identity
        if brightness != 0 { matrix = matrix.then(.brightness(Float(brightness) / 255)) }
        if contrast != 1 { matrix = matrix.then(.contrast(Float(contrast))) }
        if saturation != 1 { matrix = matrix.then(.saturation(Float(saturation))) }
        if monochrome.intensity > 0 {
            let black = RGBColor(red: 0, green: 0, blue: 0)
            matrix = matrix.then(Self.ramp(black, monochrome.color, monochrome.intensity))
        }
        if duotone.intensity > 0 { matrix = matrix.then(Self.ramp(duotone.dark, duotone.light, duotone.intensity)) }
        return matrix == .identity ? [] : [ColorTransformer(matrix)]
    }

    /// Returns the matrix that mixes a colour with one between `dark` and `light`, chosen by its luminance (the weights
    /// of Rec. ITU-R BT.709).
    private static func ramp(_ dark: RGBColor, _ light: RGBColor, _ intensity: Double) -> ColorMatrix {
        let luminance: [Double] = [0.2126, 0.7152, 0.0722]
        func row(_ channel: Int, _ dark: UInt8, _ light: UInt8) -> [Float] {
            let (low, high) = (Double(dark) / 255, Double(light) / 255)
            let weights = luminance.enumerated().map { index, weight in
                Float(weight * (high - low) * intensity + (index == channel ? 1 - intensity : 0))
            }
            return weights + [0, Float(low * intensity)]
        }
        let rows =
            row(0, dark.red, light.red) + row(1, dark.green, light.green) + row(2, dark.blue, light.blue)
            + [0, 0, 0, 1, 0]
        return ColorMatrix(rows) ?? .identity
    }
}

extension FilterOptions {
    /// How much of the difference to the blurred image sharpening adds, and the difference below which it adds none:
    /// near to what libvips does in its default setting.
    private static let sharpening = (amount: 1.5, threshold: 3)

    /// The transforms, in the order in which they are applied.
    var transforms: [any ImageTransformer] {
        var list: [any ImageTransformer] = []
        if blur > 0 { list.append(BlurTransformer(radius: blur)) }
        if sharpen > 0 {
            list.append(
                SharpenTransformer(
                    radius: sharpen, amount: Self.sharpening.amount, threshold: Self.sharpening.threshold))
        }
        if pixelate > 1 { list.append(PixelateTransformer(side: pixelate)) }
        return list
    }
}
