import CLibLCMS
import Foundation

/// A profile as lcms2 has it.
struct ColorProfile: ~Copyable {
    let handle: cmsHPROFILE

    private init?(_ handle: cmsHPROFILE?) {
        guard let handle else { return nil }
        self.handle = handle
    }

    deinit {
        cmsCloseProfile(handle)
    }

    /// What a file says; `nil` when it is damaged, is for other channels, or says nothing.
    init?(_ colors: SourceColors, _ channels: SourceChannels) {
        guard let handle = Self.opened(colors, channels) else { return nil }
        guard Self.suits(handle, channels) else {
            cmsCloseProfile(handle)
            return nil
        }
        self.init(handle)
    }

    private static func opened(_ colors: SourceColors, _ channels: SourceChannels) -> cmsHPROFILE? {
        switch colors {
        case .standard: return nil
        case .profile(let bytes):
            let handle = bytes.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, UInt32(clamping: $0.count)) }
            if let handle { leaveOutFloats(handle) }
            return handle
        case .codePoints(let primaries, let transfer):
            guard let places = Chromaticities(primaries: primaries) else { return nil }
            return made(places, curve(transfer))
        case .measured(let gamma, let places):
            guard places.isUsable, (0.01...20).contains(gamma ?? 1) else { return nil }
            return made(places, gamma.map { cmsBuildGamma(nil, 1 / $0) } ?? standardCurve)
        }
    }

    /// Takes out the chains of floats that a profile may have beside its tables (ICC.1:2022, 9.2.30). Browsers do not look
    /// at them either; a chain may have any number of links, all of them at one place of the file, so that a few bytes
    /// would take gigabytes and hours.
    private static func leaveOutFloats(_ handle: cmsHPROFILE) {
        for tag in [cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag] { cmsWriteTag(handle, tag, nil) }
    }

    static var standard: ColorProfile? { ColorProfile(cmsCreate_sRGBProfile()) }

    /// The colours of sRGB as light.
    static var light: ColorProfile? { ColorProfile(made(.standard, cmsBuildGamma(nil, 1))) }

    /// - Parameter curve: of all channels; released here.
    private static func made(_ places: Chromaticities, _ curve: OpaquePointer?) -> cmsHPROFILE? {
        guard let curve else { return nil }
        defer { cmsFreeToneCurve(curve) }
        var white = cmsCIExyY(x: places.white.x, y: places.white.y, Y: 1)
        func point(_ place: Chromaticities.Point) -> cmsCIExyY { cmsCIExyY(x: place.x, y: place.y, Y: 1) }
        var primaries = cmsCIExyYTRIPLE(
            Red: point(places.red), Green: point(places.green), Blue: point(places.blue))
        var curves: [OpaquePointer?] = [curve, curve, curve]
        return cmsCreateRGBProfile(&white, &primaries, &curves)
    }

    /// The light of a code (ITU-T H.273, table 3), for displays no brighter than paper.
    ///
    /// What is coded by the camera's curve of BT.709 and its relatives is meant to be seen on a display of about the curve
    /// of sRGB: browsers show it so, and so do we.
    private static func curve(_ transfer: Int) -> OpaquePointer? {
        switch transfer {
        case 4: cmsBuildGamma(nil, 2.2)
        case 5: cmsBuildGamma(nil, 2.8)
        case 8: cmsBuildGamma(nil, 1)
        case 17: cmsBuildGamma(nil, 2.6)
        case 1, 2, 6, 13, 14, 15: standardCurve
        default: nil
        }
    }

    /// IEC 61966-2-1, as lcms2 takes it: (a x + b)^g from d on, c x below.
    private static var standardCurve: OpaquePointer? {
        cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    }

    /// Whether it tells of such channels, and of single pixels alone.
    private static func suits(_ handle: cmsHPROFILE, _ channels: SourceChannels) -> Bool {
        let classes = [cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass]
        guard classes.contains(cmsGetDeviceClass(handle)) else { return false }
        let space = cmsGetColorSpace(handle)
        return switch channels {
        case .rgb: space == cmsSigRgbData
        case .grey: space == cmsSigGrayData || space == cmsSigRgbData
        case .cmyk: space == cmsSigCmykData
        }
    }

    var space: cmsColorSpaceSignature { cmsGetColorSpace(handle) }
}
