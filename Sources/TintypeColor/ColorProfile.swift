import CLibLCMS
import Foundation

/// An open lcms2 profile, closed when this value is destroyed.
struct ColorProfile: ~Copyable {
    let handle: cmsHPROFILE

    private init?(_ handle: cmsHPROFILE?) {
        guard let handle else { return nil }
        self.handle = handle
    }

    deinit {
        cmsCloseProfile(handle)
    }

    /// Opens the profile that describes `colors`.
    ///
    /// - Returns: `nil` if the description is absent or damaged, or does not fit `channels`.
    init?(_ colors: SourceColors, _ channels: SourceChannels) {
        guard let handle = Self.open(colors, channels) else { return nil }
        guard Self.isUsable(handle, for: channels) else {
            cmsCloseProfile(handle)
            return nil
        }
        self.init(handle)
    }

    private static func open(_ colors: SourceColors, _ channels: SourceChannels) -> cmsHPROFILE? {
        switch colors {
        case .standard: return nil
        case .profile(let bytes):
            let handle = bytes.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, UInt32(clamping: $0.count)) }
            if let handle { removeFloatTags(handle) }
            return handle
        case .codePoints(let primaries, let transfer):
            guard let chromaticities = Chromaticities(primaries: primaries) else { return nil }
            return makeRGBProfile(chromaticities, toneCurve(transfer))
        case .measured(let gamma, let primaries):
            guard primaries.isUsable, (0.01...20).contains(gamma ?? 1) else { return nil }
            return makeRGBProfile(primaries, gamma.map { cmsBuildGamma(nil, 1 / $0) } ?? standardCurve)
        }
    }

    /// Removes the floating-point transforms (DToB tags) that a profile may have in addition to its tables (ICC.1:2022,
    /// 9.2.30).
    ///
    /// Browsers ignore them too. Such a transform may chain any number of elements that all lie at one offset of the
    /// file, so that a few bytes would cost gigabytes and hours.
    private static func removeFloatTags(_ handle: cmsHPROFILE) {
        for tag in [cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag] { cmsWriteTag(handle, tag, nil) }
    }

    /// The sRGB profile.
    static var standard: ColorProfile? { ColorProfile(cmsCreate_sRGBProfile()) }

    /// A profile with the primaries of sRGB and linear light.
    static var light: ColorProfile? { ColorProfile(makeRGBProfile(.standard, cmsBuildGamma(nil, 1))) }

    /// Makes a matrix profile.
    ///
    /// - Parameter curve: The tone curve of all channels; this function frees it.
    private static func makeRGBProfile(_ primaries: Chromaticities, _ curve: OpaquePointer?) -> cmsHPROFILE? {
        guard let curve else { return nil }
        defer { cmsFreeToneCurve(curve) }
        var white = cmsCIExyY(x: primaries.white.x, y: primaries.white.y, Y: 1)
        func point(_ point: Chromaticities.Point) -> cmsCIExyY { cmsCIExyY(x: point.x, y: point.y, Y: 1) }
        var triple = cmsCIExyYTRIPLE(
            Red: point(primaries.red), Green: point(primaries.green), Blue: point(primaries.blue))
        var curves: [OpaquePointer?] = [curve, curve, curve]
        return cmsCreateRGBProfile(&white, &triple, &curves)
    }

    /// Returns the tone curve of a transfer characteristic (ITU-T H.273, table 3) for displays no brighter than paper,
    /// or `nil` if unknown.
    ///
    /// Content coded with the camera curve of BT.709 and its relatives is meant for a display with about the curve of
    /// sRGB. Browsers show it so, and so does this function.
    private static func toneCurve(_ transfer: Int) -> OpaquePointer? {
        switch transfer {
        case 4: cmsBuildGamma(nil, 2.2)
        case 5: cmsBuildGamma(nil, 2.8)
        case 8: cmsBuildGamma(nil, 1)
        case 17: cmsBuildGamma(nil, 2.6)
        case 1, 2, 6, 13, 14, 15: standardCurve
        default: nil
        }
    }

    /// The curve of IEC 61966-2-1 in the form that lcms2 takes: (a x + b)^g from d on, c x below.
    private static var standardCurve: OpaquePointer? {
        cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    }

    /// Returns whether the profile is for `channels`, and maps single pixels.
    private static func isUsable(_ handle: cmsHPROFILE, for channels: SourceChannels) -> Bool {
        let classes = [cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass]
        guard classes.contains(cmsGetDeviceClass(handle)) else { return false }
        let space = cmsGetColorSpace(handle)
        return switch channels {
        case .rgb: space == cmsSigRgbData
        case .grey: space == cmsSigGrayData || space == cmsSigRgbData
        case .cmyk: space == cmsSigCmykData
        }
    }

    /// The colour space of the profile's input.
    var space: cmsColorSpaceSignature { cmsGetColorSpace(handle) }
}
