package import Foundation
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of BMP.
    public static let bmp = ImageCoderRegistry(decoders: [BMPDecoder()], encoders: [BMPEncoder()])
}

/// Decodes BMP files: palettes, run lengths, 16, 24 and 32 bits per pixel with any channel masks, and OS/2 bitmaps.
///
/// A smaller size is resampled row by row. Only a run-length image is first unpacked into memory, at one byte per
/// pixel. Decoders hold no state; any thread may use one.
package struct BMPDecoder: PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a BMP decoder.
    package init() {}

    /// The formats that this decoder reads: BMP.
    package var formats: Set<ImageFormat> { [.bmp] }

    /// The number of bytes of the file header, which precedes the bitmap header.
    private static let fileHeaderLength = 14

    /// Reads the file header and the bitmap header.
    ///
    /// - Returns: `nil` if `bytes` is a prefix that ends within the headers.
    /// - Throws: `TintypeError.Code.undecodable` if the header is damaged or uses an unsupported feature.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try BMPHeader(raw, at: Self.fileHeaderLength) else {
                if isComplete { throw .truncatedBMP }
                return nil
            }
            return Self.info(header)
        }
    }

    /// Decodes the whole image, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded` if the image is too large, before it is allocated,
    ///   `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let image = try decodeImage(bytes, context, allowsPartial: false) else { throw .truncatedBMP }
        return image
    }

    /// Decodes the image, or the rows of it that are present.
    ///
    /// - Parameter allowsPartial: Whether a file with missing rows is accepted.
    /// - Returns: `nil` if `allowsPartial` is true and the file holds no row.
    private func decodeImage(
        _ bytes: Data, _ context: DecodeContext, allowsPartial: Bool
    ) throws(TintypeError) -> Image? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try BMPHeader(raw, at: Self.fileHeaderLength) else { throw .truncatedBMP }
            let info = Self.info(header)
            if allowsPartial {
                try context.limits.check(info)
            } else {
                try context.limits.check(info, byteCount: raw.count)
            }
            try context.limits.checkMemory(bytesPerPixel: header.decodedBytesPerPixel, of: info.size)
            let target = try DecodeTarget(info, options: context.options)
            try context.checkCancelled()
            let stored = Int(raw.littleEndian32(at: 10))
            let pixels = try BMPPixels(
                header, raw, at: stored == 0 ? header.pixelOffset : stored, context, allowsPartial: allowsPartial)
            guard pixels.hasRows else { return nil }
            return Image(
                pixels: try pixels.decode(to: target, context), info: info, scale: context.options.scale ?? 1)
        }
    }

    private static func info(_ header: BMPHeader) -> ImageInfo {
        ImageInfo(format: .bmp, size: header.size, hasAlpha: header.hasAlpha, density: header.density)
    }
}

extension BMPPixels {
    /// Decodes the part and size that `target` names, as premultiplied pixels.
    func decode(to target: DecodeTarget, _ context: DecodeContext) throws(TintypeError) -> PixelBuffer {
        guard !target.isAll(of: size) else {
            var writer = try PixelWriter(size: size)
            try fill(&writer, from: 0, size.height, context)
            return writer.finish()
        }
        var next = 0
        return try RowResampler.resampled(size, crop: target.part, to: target.size) {
            (count, strip) throws(TintypeError) in
            try fill(&strip, from: next, count, context)
            next += count
            return count
        }
    }

    /// Fills the first `count` rows of `writer` with the image's rows from `first` on.
    private func fill(
        _ writer: inout PixelWriter, from first: Int, _ count: Int, _ context: DecodeContext
    ) throws(TintypeError) {
        let (stride, width) = (writer.bytesPerRow, size.width)
        for row in 0..<count {
            if row % 16 == 0 { try context.checkCancelled() }
            writer.withRows(from: row) { rows in
                let bytes = UnsafeMutableRawBufferPointer(rebasing: rows[..<min(stride, rows.count)])
                read(
                    first + row, into: UnsafeMutableBufferPointer(rebasing: bytes.bindMemory(to: Pixel.self)[..<width]))
            }
        }
        if hasAlpha { writer.premultiply(rows: count) }
    }
}

extension BMPDecoder: SalvagingImageDecoder {
    /// Decodes the rows that are present. In most files these are the lower ones, which are stored first.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try decodeImage(bytes, context, allowsPartial: true)
    }
}

extension TintypeError {
    static let truncatedBMP = TintypeError(.undecodable, stage: .decode, "the BMP is truncated")

    static func damagedBMP(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the BMP is damaged: \(reason)")
    }

    static func unsupportedBMP(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the BMP uses an unsupported feature: \(reason)")
    }
}
