public import Foundation
public import TintypeCore

/// Decodes BMP, Windows' bitmap files: palettes, run lengths, 16, 24 and 32 bits with any masks, and those of OS/2.
///
/// A smaller size is resampled row by row; only a picture of run lengths is unpacked first, to a byte a pixel.
public struct BMPDecoder: PartialImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.bmp] }

    /// Bytes of the header of the file, before that of the bitmap.
    private static let fileHeaderLength = 14

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try BMPHeader(raw, at: Self.fileHeaderLength) else {
                if isComplete { throw .truncatedBMP }
                return nil
            }
            return Self.info(header)
        }
    }

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let image = try decoded(bytes, context, keepsPart: false) else { throw .truncatedBMP }
        return image
    }

    /// - Parameter keepsPart: whether not all rows have to be there.
    /// - Returns: `nil` when none is.
    func decoded(_ bytes: Data, _ context: DecodeContext, keepsPart: Bool) throws(TintypeError) -> Image? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try BMPHeader(raw, at: Self.fileHeaderLength) else { throw .truncatedBMP }
            let info = Self.info(header)
            if keepsPart {
                try context.limits.check(info)
            } else {
                try context.limits.check(info, byteCount: raw.count)
            }
            let target = try DecodeTarget(info, context.options)
            try context.checkCancelled()
            let stored = Int(raw.littleEndian32(at: 10))
            let pixels = try BMPPixels(
                header, raw, at: stored == 0 ? header.pixelPlace : stored, context, keepsPart: keepsPart)
            guard pixels.hasRows else { return nil }
            return Image(
                pixels: try pixels.decoded(target, context), info: info, scale: context.options.scale ?? 1)
        }
    }

    private static func info(_ header: BMPHeader) -> ImageInfo {
        ImageInfo(format: .bmp, size: header.size, hasAlpha: header.hasAlpha, density: header.density)
    }
}

extension BMPPixels {
    /// The part and size that are wanted, premultiplied.
    package func decoded(_ target: DecodeTarget, _ context: DecodeContext) throws(TintypeError) -> PixelBuffer {
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

    /// Fills the first `count` rows of a bitmap with those of the picture from `first` on.
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
    /// The rows that there are: of most files the lower ones, which are stored first.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try decoded(bytes, context, keepsPart: true)
    }
}

extension TintypeError {
    static let truncatedBMP = TintypeError(.undecodable, stage: .decode, "the BMP is cut short")

    static func damagedBMP(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the BMP is damaged: \(reason)")
    }

    static func unsupportedBMP(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "a BMP of an unsupported kind: \(reason)")
    }
}
