import CLibLCMS
import TintypeCore

/// Converts rows of straight 16-bit RGBA to 8-bit sRGB, and to linear light for requests with
/// ``DecodeOptions/DynamicRange/high``.
///
/// One thread at a time may use a converter.
package final class WideConverter {
    /// The kind of conversion.
    private enum Mode {
        /// Tone mapping of PQ or HLG.
        case highRange(HighRangeMapping)
        /// The conversion that 8-bit images have.
        case standard(ColorConverter?)
    }

    private let mode: Mode
    /// The conversion to linear light, made at first use.
    private lazy var light = LightConverter(colors, channels)
    private let colors: SourceColors
    private let channels: SourceChannels

    /// Creates a converter.
    ///
    /// - Parameters:
    ///   - colors: The colours that the file states.
    ///   - peak: The brightest light of the image in cd/m², or `nil` if the file does not state it.
    package init(_ colors: SourceColors, _ channels: SourceChannels, peak: Double? = nil) {
        (self.colors, self.channels) = (colors, channels)
        guard case .codePoints(let primaries, _) = colors, let transfer = colors.highRangeTransfer else {
            mode = .standard(ColorConverter(colors, channels))
            return
        }
        // BT.2100 uses the primaries of BT.2020 (9), the default for unknown numbers.
        let chromaticities = Chromaticities(primaries: primaries) ?? Chromaticities(primaries: 9) ?? .standard
        mode = .highRange(HighRangeMapping(transfer, chromaticities, peak: peak))
    }

    /// Writes a row of straight 8-bit sRGB RGBA.
    func writeStandard(_ words: UnsafeBufferPointer<UInt16>, to row: UnsafeMutableRawBufferPointer, width: Int) {
        switch mode {
        case .highRange(let mapping):
            for x in 0..<width {
                let light = mapping.toneMappedLight(SIMD3(words[4 * x], words[4 * x + 1], words[4 * x + 2]))
                for channel in 0..<3 { row[4 * x + channel] = SRGBCurve.code(light[channel]) }
                row[4 * x + 3] = UInt8(truncatingIfNeeded: Self.narrow(words[4 * x + 3]))
            }
        case .standard(let converter):
            for index in 0..<4 * width { row[index] = UInt8(truncatingIfNeeded: Self.narrow(words[index])) }
            converter?.convert(row, count: 1, width: width, stride: 4 * width)
        }
    }

    /// Writes a row of premultiplied linear light in 16-bit floating point.
    func writeHighRange(_ words: UnsafeBufferPointer<UInt16>, to row: UnsafeMutableRawBufferPointer, width: Int) {
        switch mode {
        case .highRange(let mapping):
            for x in 0..<width {
                let light = mapping.linearLight(SIMD3(words[4 * x], words[4 * x + 1], words[4 * x + 2]))
                Self.store(light, alpha: words[4 * x + 3], at: x, in: row)
            }
        case .standard where colors == .standard:
            let table = Self.standardLight
            for x in 0..<width {
                let light = SIMD3(
                    table[Int(words[4 * x])], table[Int(words[4 * x + 1])], table[Int(words[4 * x + 2])])
                Self.store(light, alpha: words[4 * x + 3], at: x, in: row)
            }
        case .standard:
            light?.convert(words, width: width) { x, light in
                Self.store(light, alpha: words[4 * x + 3], at: x, in: row)
            }
        }
    }

    /// The light of each 16-bit code of sRGB, computed once per process. lcms2 interpolates between fewer codes.
    private static let standardLight: [Float] = (0...65535).map { Float(SRGBCurve.light(of: Double($0) / 65535)) }

    /// Returns `round(word * 255 / 65535)`.
    private static func narrow(_ word: UInt16) -> UInt32 { (UInt32(word) * 255 + 32895) >> 16 }

    private static func store(
        _ light: SIMD3<Float>, alpha: UInt16, at x: Int, in row: UnsafeMutableRawBufferPointer
    ) {
        let opacity = Float(alpha) / 65535
        row.storeBytes(
            of: SIMD4<Float16>(SIMD4(light * opacity, opacity)), toByteOffset: x * HighRangePixels.bytesPerPixel,
            as: SIMD4<Float16>.self)
    }
}

/// Converts rows of straight 16-bit RGBA to linear light in the primaries of sRGB, not limited to 0…1.
final class LightConverter {
    private let transform: cmsHTRANSFORM
    private var light: [Float] = []

    /// - Returns: `nil` if lcms2 cannot allocate memory.
    init?(_ colors: SourceColors, _ channels: SourceChannels) {
        guard let light = ColorProfile.light else { return nil }
        guard let profile = ColorProfile(colors, channels) ?? ColorProfile.standard,
            let transform = Self.makeTransform(profile, light)
        else { return nil }
        self.transform = transform
    }

    deinit {
        cmsDeleteTransform(transform)
    }

    /// Converts a row, and calls `body` with the index and light of each pixel.
    func convert(_ words: UnsafeBufferPointer<UInt16>, width: Int, _ body: (Int, SIMD3<Float>) -> Void) {
        if light.count < 4 * width { light = [Float](repeating: 0, count: 4 * width) }
        cmsDoTransform(transform, words.baseAddress, &light, UInt32(width))
        for x in 0..<width { body(x, SIMD3(light[4 * x], light[4 * x + 1], light[4 * x + 2])) }
    }

    private static func makeTransform(
        _ profile: borrowing ColorProfile, _ light: borrowing ColorProfile
    ) -> cmsHTRANSFORM? {
        let isGrey = profile.space == cmsSigGrayData
        return cmsCreateTransform(
            profile.handle, isGrey ? tintype_lcms_grey_of_rgba_16 : tintype_lcms_rgba_16, light.handle,
            tintype_lcms_rgba_float, cmsUInt32Number(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOOPTIMIZE))
    }
}
