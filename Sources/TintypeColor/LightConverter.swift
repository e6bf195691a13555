import CLibLCMS
import Foundation

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
