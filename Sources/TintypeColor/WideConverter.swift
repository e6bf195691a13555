import CLibLCMS
import Foundation
import TintypeCore

/// Makes of rows of straight 16-bit RGBA what is shown, and what is kept where a request wants the whole range.
///
/// Used by one thread at a time.
package final class WideConverter {
    private enum Way {
        /// Light is coded for bright displays.
        case highRange(HighRangeMapping)
        /// Colours as those of 8 bits.
        case standard(ColorConverter?)
    }

    private let way: Way
    /// How they become light: made where that is kept.
    private lazy var light = LightConverter(colors, channels)
    private let colors: SourceColors
    private let channels: SourceChannels

    /// - Parameters:
    ///   - colors: what the file says.
    ///   - peak: the brightest light of the picture, in cd/m², where the file says it.
    package init(_ colors: SourceColors, _ channels: SourceChannels, peak: Double? = nil) {
        (self.colors, self.channels) = (colors, channels)
        guard case .codePoints(let primaries, _) = colors, let transfer = colors.highRangeTransfer else {
            way = .standard(ColorConverter(colors, channels))
            return
        }
        // Those of BT.2100 where the file does not say.
        let places = Chromaticities(primaries: primaries) ?? Chromaticities(primaries: 9) ?? .standard
        way = .highRange(HighRangeMapping(transfer, places, peak: peak))
    }

    /// Makes a row of straight 8-bit sRGB RGBA.
    func show(_ words: UnsafeBufferPointer<UInt16>, in row: UnsafeMutableRawBufferPointer, width: Int) {
        switch way {
        case .highRange(let mapping):
            for x in 0..<width {
                let light = mapping.shown(SIMD3(words[4 * x], words[4 * x + 1], words[4 * x + 2]))
                for channel in 0..<3 { row[4 * x + channel] = StandardCodes.code(light[channel]) }
                row[4 * x + 3] = UInt8(truncatingIfNeeded: Self.narrowed(words[4 * x + 3]))
            }
        case .standard(let converter):
            for index in 0..<4 * width { row[index] = UInt8(truncatingIfNeeded: Self.narrowed(words[index])) }
            converter?.convert(row, count: 1, width: width, stride: 4 * width)
        }
    }

    /// Makes a row of halves: linear light, premultiplied.
    func keep(_ words: UnsafeBufferPointer<UInt16>, in row: UnsafeMutableRawBufferPointer, width: Int) {
        switch way {
        case .highRange(let mapping):
            for x in 0..<width {
                let light = mapping.kept(SIMD3(words[4 * x], words[4 * x + 1], words[4 * x + 2]))
                Self.store(light, alpha: words[4 * x + 3], at: x, in: row)
            }
        case .standard:
            light?.convert(words, width: width) { x, light in
                Self.store(light, alpha: words[4 * x + 3], at: x, in: row)
            }
        }
    }

    /// `round(v * 255 / 65535)`.
    private static func narrowed(_ word: UInt16) -> UInt32 { (UInt32(word) * 255 + 32895) >> 16 }

    private static func store(
        _ light: SIMD3<Float>, alpha: UInt16, at x: Int, in row: UnsafeMutableRawBufferPointer
    ) {
        let share = Float(alpha) / 65535
        row.storeBytes(
            of: SIMD4<Float16>(SIMD4(light * share, share)), toByteOffset: x * HighRangePixels.bytesPerPixel,
            as: SIMD4<Float16>.self)
    }
}

/// Brings rows of straight 16-bit RGBA to linear light of sRGB's primaries, unbounded.
final class LightConverter {
    private let transform: cmsHTRANSFORM
    private var light: [Float] = []

    /// `nil` only where lcms2 has no memory.
    init?(_ colors: SourceColors, _ channels: SourceChannels) {
        guard let light = ColorProfile.light else { return nil }
        guard let profile = ColorProfile(colors, channels) ?? ColorProfile.standard,
            let transform = Self.transform(profile, light)
        else { return nil }
        self.transform = transform
    }

    deinit {
        cmsDeleteTransform(transform)
    }

    func convert(_ words: UnsafeBufferPointer<UInt16>, width: Int, _ body: (Int, SIMD3<Float>) -> Void) {
        if light.count < 4 * width { light = [Float](repeating: 0, count: 4 * width) }
        cmsDoTransform(transform, words.baseAddress, &light, UInt32(width))
        for x in 0..<width { body(x, SIMD3(light[4 * x], light[4 * x + 1], light[4 * x + 2])) }
    }

    private static func transform(
        _ profile: borrowing ColorProfile, _ light: borrowing ColorProfile
    ) -> cmsHTRANSFORM? {
        let isGrey = profile.space == cmsSigGrayData
        return cmsCreateTransform(
            profile.handle, isGrey ? tintype_lcms_grey_of_rgba_16 : tintype_lcms_rgba_16, light.handle,
            tintype_lcms_rgba_float, cmsUInt32Number(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOOPTIMIZE))
    }
}

/// 8-bit sRGB of linear light (IEC 61966-2-1).
enum StandardCodes {
    /// So fine that no two neighbours of the darkest codes fall into one.
    private static let steps: Float = 16384

    private static let table: [UInt8] = (0...Int(steps)).map { step in
        let light = Double(step) / Double(steps)
        let code = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        return UInt8((code * 255).rounded())
    }

    /// What is below 0 or no number becomes 0, what is above 1 becomes 255.
    static func code(_ light: Float) -> UInt8 {
        guard light > 0 else { return 0 }
        return table[Int(min(light, 1) * steps + 0.5)]
    }
}
