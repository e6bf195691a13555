import CLibLCMS
package import TintypeCore

/// Converts rows of an image to sRGB with lcms2.
///
/// Images of one camera or editor share a profile, so the transform goes back to a process-wide cache when the
/// converter is freed. One thread at a time may use a converter.
package final class ColorConverter {
    private let key: ColorTransformKey
    private let transform: ColorTransform
    /// Whether the source channels are cyan, magenta, yellow and black.
    package var isCMYK: Bool { key.channels == .cmyk }

    /// Transforms that no converter uses at the moment.
    private static let cache = Locked(ColorTransformCache())

    /// Takes an idle transform from the cache, or makes one.
    ///
    /// - Returns: `nil` if no conversion is needed or possible: the colours equal sRGB at 8 bits, or the file's
    ///   description of them is unusable.
    package init?(_ colors: SourceColors, _ channels: SourceChannels) {
        if case .standard = colors { return nil }
        let key = ColorTransformKey(colors, channels)
        switch Self.cache.withLock({ $0.take(key) }) {
        case .identity: return nil
        case .transform(let idle): transform = idle
        case nil:
            guard let new = ColorTransform(colors, channels) else {
                Self.store(key, .identity)
                return nil
            }
            transform = new
        }
        self.key = key
    }

    deinit {
        Self.store(key, .transform(transform))
    }

    private static func store(_ key: ColorTransformKey, _ conversion: ColorTransformCache.Conversion) {
        // Evicted transforms are freed here, after the lock is released.
        _ = cache.withLock { $0.put(key, conversion) }
    }

    /// Converts rows in place: straight RGBA, whose alpha stays, or CMYK, which becomes opaque RGBA.
    ///
    /// - Parameters:
    ///   - count: The number of rows.
    ///   - width: The number of pixels per row.
    ///   - stride: The distance between rows in bytes.
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
    /// Converts rows of straight RGBA or CMYK to sRGB in place; does nothing if `converter` is `nil`.
    package mutating func convert(rows count: Int, from first: Int = 0, by converter: ColorConverter?) {
        guard let converter else { return }
        let (stride, width) = (bytesPerRow, size.width)
        withRows(from: first) { converter.convert($0, count: count, width: width, stride: stride) }
    }

    /// Converts rows of premultiplied RGBA to sRGB in place, by dividing by alpha and multiplying again.
    package mutating func convertPremultiplied(rows count: Int, from first: Int = 0, by converter: ColorConverter?) {
        guard let converter else { return }
        unpremultiply(rows: count, from: first)
        convert(rows: count, from: first, by: converter)
        premultiply(rows: count, from: first)
    }
}

/// An lcms2 transform from the colours of a file to sRGB. Building its tables costs as much as decoding a small image.
///
/// `@unchecked Sendable` because exactly one ``ColorConverter`` owns it at a time, and nothing uses it while it is
/// cached.
final class ColorTransform: @unchecked Sendable {
    private let handle: cmsHTRANSFORM

    /// - Returns: `nil` if no conversion is needed or possible, as for ``ColorConverter/init(_:_:)``.
    init?(_ colors: SourceColors, _ channels: SourceChannels) {
        guard let profile = ColorProfile(colors, channels), let standard = ColorProfile.standard else { return nil }
        let format = Self.format(profile.space, channels)
        guard channels == .cmyk || !Self.isIdentity(profile, format, standard),
            let handle = Self.makeTransform(profile, format, standard)
        else { return nil }
        self.handle = handle
    }

    deinit {
        cmsDeleteTransform(handle)
    }

    /// Converts a row of `width` pixels in place.
    func convert(_ row: UnsafeMutableRawPointer, width: Int) {
        cmsDoTransform(handle, row, row, UInt32(width))
    }

    private static func format(_ space: cmsColorSpaceSignature, _ channels: SourceChannels) -> cmsUInt32Number {
        switch channels {
        case .cmyk: tintype_lcms_cmyk_8
        case .rgb, .grey: space == cmsSigGrayData ? tintype_lcms_grey_of_rgba_8 : tintype_lcms_rgba_8
        }
    }

    private static func makeTransform(
        _ profile: borrowing ColorProfile, _ format: cmsUInt32Number, _ standard: borrowing ColorProfile,
        flags: UInt32 = 0
    ) -> cmsHTRANSFORM? {
        cmsCreateTransform(
            profile.handle, format, standard.handle, tintype_lcms_rgba_8, cmsUInt32Number(INTENT_PERCEPTUAL), flags)
    }

    /// Returns whether the transform leaves a few hundred sample colours unchanged, except for rounding.
    private static func isIdentity(
        _ profile: borrowing ColorProfile, _ format: cmsUInt32Number, _ standard: borrowing ColorProfile
    ) -> Bool {
        let isGrey = format == tintype_lcms_grey_of_rgba_8
        var probes: [UInt8] = stride(from: 0, through: 255, by: 5).flatMap { [$0, $0, $0, 255] as [UInt8] }
        let levels: [UInt8] = isGrey ? [] : [0, 51, 102, 153, 204, 255]
        for red in levels {
            for green in levels { for blue in levels { probes += [red, green, blue, 255] } }
        }
        // Unoptimized: building tables for all colours costs more than converting these few.
        guard let handle = makeTransform(profile, format, standard, flags: UInt32(cmsFLAGS_NOOPTIMIZE)) else {
            return false
        }
        defer { cmsDeleteTransform(handle) }
        var converted = probes
        cmsDoTransform(handle, probes, &converted, UInt32(probes.count / 4))
        return zip(probes, converted).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }
}
