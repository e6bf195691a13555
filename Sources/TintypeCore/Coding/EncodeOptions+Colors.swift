package import Foundation

extension EncodeOptions {
    /// A colour space in which an image is written.
    public enum ColorSpace: String, Hashable, Sendable, CaseIterable {
        /// sRGB (IEC 61966-2-1), which every program assumes for a file without a profile.
        case sRGB = "srgb"
        /// Display P3: the primaries of SMPTE RP 431-2, with the white point and the transfer function of sRGB. The
        /// file declares it, with an ICC profile if the format has no other field for it.
        case displayP3 = "display-p3"

        /// The formats that can be written in colour spaces other than sRGB.
        package static var formats: Set<ImageFormat> {
            ImageMetadata.writableFormats.filter { ImageMetadata.writableKinds(for: $0).contains(.icc) }
        }
    }

    /// The colour space in which a format is written.
    func usedColorSpace(for format: ImageFormat) -> ColorSpace {
        ColorSpace.formats.contains(format) ? colorSpace : .sRGB
    }

    /// The options for an HDR image, whose colours are declared without a profile.
    var withoutProfile: EncodeOptions {
        var options = self
        options.colorSpace = .sRGB
        options.metadata.remove(.icc)
        return options
    }
}

extension EncodeOptions {
    /// How a file holds the high range of an image, with ``EncodeOptions/range`` ``DecodeOptions/DynamicRange/high``.
    public enum HighRangeForm: String, Hashable, Sendable, CaseIterable {
        /// In PQ (``direct``) in formats that have it, otherwise as a gain map.
        case automatic
        /// An 8-bit image that every program shows, and a gain map, from which programs that know it make the HDR image
        /// (ISO 21496-1): JPEG (Ultra HDR), HEIC and AVIF. In other formats, PQ.
        case gainMap = "gain-map"
        /// In PQ, with the primaries of Rec. ITU-R BT.2100: AVIF, HEIC and JPEG XL. In other formats, a gain map.
        case direct = "pq"
    }

    /// An encoder, and the form of HDR images for which it is used.
    enum UsedForm {
        case direct(any HighRangeImageEncoder)
        case gainMap(any GainMapImageEncoder)
    }

    /// The form in which an encoder writes HDR images; `nil` if none is wanted or it has none.
    func usedForm(for encoder: any ImageEncoder) -> UsedForm? {
        guard range == .high else { return nil }
        let direct = (encoder as? any HighRangeImageEncoder).map(UsedForm.direct)
        let gainMap = (encoder as? any GainMapImageEncoder).map(UsedForm.gainMap)
        return highRangeForm == .gainMap ? gainMap ?? direct : direct ?? gainMap
    }
}

extension ImageCoderRegistry {
    /// Returns whether a format is written with the high range of an image, with ``EncodeOptions/range``
    /// ``DecodeOptions/DynamicRange/high``.
    package func keepsHighRange(_ format: ImageFormat) -> Bool {
        let encoder = try? encoder(for: format)
        return encoder is any HighRangeImageEncoder || encoder is any GainMapImageEncoder
    }
}

/// Encodes HDR images: still images with more than 8 bits per channel, which may be brighter than reference white.
package protocol HighRangeImageEncoder: ImageEncoder {
    /// Encodes a still image.
    ///
    /// - Parameters:
    ///   - highRange: Linear light; see ``HighRangePixels``.
    ///   - format: One of ``ImageEncoder/formats``.
    /// - Throws: ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``.
    func encode(
        _ highRange: HighRangePixels, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data
}

/// An encoder that converts an HDR image once, however often it is encoded to meet a byte limit.
package protocol PreparingHighRangeEncoder: HighRangeImageEncoder {
    /// Converts an image.
    ///
    /// - Returns: A closure that encodes the image, and throws the errors of
    ///   ``HighRangeImageEncoder/encode(_:as:options:)``.
    /// - Throws: ``TintypeError/Code/cancelled``.
    func prepare(_ highRange: HighRangePixels) throws(TintypeError) -> (EncodeOptions) throws(TintypeError) -> Data
}

extension HighRangeImageEncoder {
    /// Returns a closure that encodes an image.
    func encoding(
        of highRange: HighRangePixels, as format: ImageFormat
    ) throws(TintypeError) -> (EncodeOptions) throws(TintypeError) -> Data {
        if let encoder = self as? any PreparingHighRangeEncoder { return try encoder.prepare(highRange) }
        return { options throws(TintypeError) in try encode(highRange, as: format, options: options) }
    }
}

/// Converts colours from sRGB to Display P3.
struct DisplayP3Transformer: ImageTransformer {
    let identifier = "display-p3"

    /// The columns of the matrix from linear light with the primaries of sRGB to light with those of Display P3.
    private static let columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>) = (
        SIMD3(0.822462, 0.033194, 0.017083), SIMD3(0.177538, 0.966806, 0.072397), SIMD3(0, 0, 0.910520)
    )

    static func converted(_ light: SIMD3<Float>) -> SIMD3<Float> {
        columns.0 * light.x + columns.1 * light.y + columns.2 * light.z
    }

    /// Returns the same colours, which all lie in Display P3.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let isOpaque = pixels.isOpaque
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        var writer = try PixelWriter(size: pixels.size)
        for y in 0..<pixels.size.height {
            if y % 16 == 0 { try TransformContext.current.checkCancelled() }
            writer.withRows(from: y) { target in
                straight.withUnsafeRow(y) { row in
                    for start in stride(from: 0, to: 4 * pixels.size.width, by: 4) {
                        let light = Self.converted(
                            SIMD3(
                                SRGBCurve.light[Int(row[start])], SRGBCurve.light[Int(row[start + 1])],
                                SRGBCurve.light[Int(row[start + 2])]))
                        for channel in 0..<3 { target[start + channel] = SRGBCurve.code(light[channel]) }
                        target[start + 3] = row[start + 3]
                    }
                }
            }
        }
        if !isOpaque { writer.premultiply(rows: pixels.size.height) }
        return writer.finish()
    }

    /// Converts an HDR image to Display P3, including its colours outside of sRGB.
    ///
    /// - Returns: `nil` if a pixel is brighter than reference white. The 8-bit image is then tone-mapped, and its tones
    ///   differ from these.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func transform(_ highRange: HighRangePixels) throws(TintypeError) -> PixelBuffer? {
        var writer = try PixelWriter(size: highRange.size)
        for y in 0..<highRange.size.height {
            if y % 16 == 0 { try TransformContext.current.checkCancelled() }
            let isOrdinary = writer.withRows(from: y) { target in
                for x in 0..<highRange.size.width {
                    let pixel = highRange[x, y]
                    let light = Self.converted(SIMD3(pixel.x, pixel.y, pixel.z) / max(pixel.w, 1e-4))
                    guard pixel.w == 0 || light.max() < 1.01 else { return false }
                    for channel in 0..<3 { target[4 * x + channel] = SRGBCurve.code(light[channel]) }
                    // NaN compares as false and becomes 0.
                    target[4 * x + 3] = UInt8(((pixel.w > 0 ? min(pixel.w, 1) : 0) * 255).rounded())
                }
                return true
            }
            guard isOrdinary else { return nil }
        }
        writer.premultiply(rows: highRange.size.height)
        return writer.finish()
    }
}
