import CLibLCMS

/// What lcms2 makes to bring the colours of a file to sRGB: tables, which cost as much as a small picture to make.
///
/// `@unchecked Sendable` because one ``ColorConverter`` at a time has it, and nothing touches it while it lies idle.
final class ColorTransform: @unchecked Sendable {
    private let handle: cmsHTRANSFORM

    /// - Returns: `nil` when there is nothing to do: the colours are sRGB already, as far as 8 bits tell, or what the file
    ///   says of them cannot be used.
    init?(_ colors: SourceColors, _ channels: SourceChannels) {
        guard let profile = ColorProfile(colors, channels), let standard = ColorProfile.standard else { return nil }
        let format = Self.format(profile.space, channels)
        guard channels == .inks || !Self.changesNothing(profile, format, standard),
            let handle = Self.make(profile, format, standard)
        else { return nil }
        self.handle = handle
    }

    deinit {
        cmsDeleteTransform(handle)
    }

    /// Converts a row where it stands.
    func convert(_ row: UnsafeMutableRawPointer, width: Int) {
        cmsDoTransform(handle, row, row, UInt32(width))
    }

    private static func format(_ space: cmsColorSpaceSignature, _ channels: SourceChannels) -> cmsUInt32Number {
        switch channels {
        case .inks: tintype_lcms_cmyk_8
        case .rgb, .grey: space == cmsSigGrayData ? tintype_lcms_grey_of_rgba_8 : tintype_lcms_rgba_8
        }
    }

    private static func make(
        _ profile: borrowing ColorProfile, _ format: cmsUInt32Number, _ standard: borrowing ColorProfile,
        flags: UInt32 = 0
    ) -> cmsHTRANSFORM? {
        cmsCreateTransform(
            profile.handle, format, standard.handle, tintype_lcms_rgba_8, cmsUInt32Number(INTENT_PERCEPTUAL), flags)
    }

    /// Whether no colour of a few hundred all over changes by more than what rounding does.
    private static func changesNothing(
        _ profile: borrowing ColorProfile, _ format: cmsUInt32Number, _ standard: borrowing ColorProfile
    ) -> Bool {
        let isGrey = format == tintype_lcms_grey_of_rgba_8
        var probes: [UInt8] = stride(from: 0, through: 255, by: 5).flatMap { [$0, $0, $0, 255] as [UInt8] }
        let levels: [UInt8] = isGrey ? [] : [0, 51, 102, 153, 204, 255]
        for red in levels {
            for green in levels { for blue in levels { probes += [red, green, blue, 255] } }
        }
        // Unoptimized: tables for all colours cost more than asking for these.
        guard let handle = make(profile, format, standard, flags: UInt32(cmsFLAGS_NOOPTIMIZE)) else { return false }
        defer { cmsDeleteTransform(handle) }
        var shown = probes
        cmsDoTransform(handle, probes, &shown, UInt32(probes.count / 4))
        return zip(probes, shown).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }
}
