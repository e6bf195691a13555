import CLibLCMS
package import TintypeCore

/// Brings rows of a picture to sRGB, by lcms2.
///
/// Used by one thread at a time. Pictures of one camera or one editor have one profile; what was made of it for one is
/// used again for the next.
package final class ColorConverter {
    private let key: ColorTransformKey
    private let transform: ColorTransform
    /// Whether it converts inks.
    package var isCMYK: Bool { key.channels == .cmyk }

    private static let cache = Locked(ColorTransformCache())

    /// - Returns: `nil` when there is nothing to do: the colours are sRGB already, as far as 8 bits tell, or what the file
    ///   says of them cannot be used.
    package init?(_ colors: SourceColors, _ channels: SourceChannels) {
        if case .standard = colors { return nil }
        let key = ColorTransformKey(colors, channels)
        switch Self.cache.withLock({ $0.take(key) }) {
        case .identity: return nil
        case .transform(let kept): transform = kept
        case nil:
            guard let made = ColorTransform(colors, channels) else {
                Self.keep(key, .identity)
                return nil
            }
            transform = made
        }
        self.key = key
    }

    deinit {
        Self.keep(key, .transform(transform))
    }

    private static func keep(_ key: ColorTransformKey, _ conversion: ColorTransformCache.Conversion) {
        // What goes dies here, after the lock.
        _ = cache.withLock { $0.put(key, conversion) }
    }

    /// Converts rows where they stand: straight RGBA, of which alpha stays, or inks, which become opaque RGBA.
    package func convert(_ rows: UnsafeMutableRawBufferPointer, count: Int, width: Int, stride: Int) {
        guard let base = rows.baseAddress, count > 0, (count - 1) * stride + width * 4 <= rows.count else { return }
        for y in 0..<count {
            let row = base + y * stride
            transform.convert(row, width: width)
            guard isCMYK else { continue }
            for x in 0..<width { row.storeBytes(of: 255, toByteOffset: x * 4 + 3, as: UInt8.self) }
        }
    }
}

extension PixelWriter {
    /// Brings the first rows to sRGB, before they are multiplied by alpha.
    package mutating func convert(rows count: Int, from first: Int = 0, by converter: ColorConverter?) {
        guard let converter else { return }
        let (stride, width) = (bytesPerRow, size.width)
        withRows(from: first) { converter.convert($0, count: count, width: width, stride: stride) }
    }

    /// The same for rows that are multiplied by alpha already; they are divided by it meanwhile.
    package mutating func convertPremultiplied(rows count: Int, from first: Int = 0, by converter: ColorConverter?) {
        guard let converter else { return }
        unpremultiply(rows: count, from: first)
        convert(rows: count, from: first, by: converter)
        premultiply(rows: count, from: first)
    }
}

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
        guard channels == .cmyk || !Self.changesNothing(profile, format, standard),
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
        case .cmyk: tintype_lcms_cmyk_8
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
