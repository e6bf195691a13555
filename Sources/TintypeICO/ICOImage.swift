import Foundation
import TintypeBMP
import TintypeCore
import TintypePNG

/// One image of an icon: a PNG file, or a bitmap that has no file header and is followed by a mask.
struct ICOImage {
    private let bytes: Data

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Takes the bytes from the beginning of an image to that of the next one, as far as `file` holds them.
    init(_ file: Data, _ entry: ICOEntry) {
        let range = entry.room.clamped(to: 0..<file.count)
        bytes = file[file.startIndex + range.lowerBound..<file.startIndex + range.upperBound]
    }

    private var isPNG: Bool { bytes.starts(with: Self.signature) }

    /// Reads the header of the image.
    ///
    /// - Returns: `nil` if the bytes end within the header.
    func info(isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        guard bytes.count >= Self.signature.count else { return nil }
        if isPNG {
            var info = try PNGDecoder().info(of: bytes, isComplete: isComplete)
            info?.format = .ico
            return info.map {
                ImageInfo(format: .ico, size: $0.size, orientation: $0.orientation, hasAlpha: $0.hasAlpha)
            }
        }
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try BMPHeader(raw, at: 0, isIcon: true) }
        return header.map { header in
            var info = ImageInfo(format: .ico, size: header.size, hasAlpha: true)
            if isComplete && !header.hasAlpha && !header.hasMask(bytes.count) { info.warnings = [.missingMask] }
            return info
        }
    }

    /// Decodes the image and resizes it to `size` pixels.
    ///
    /// - Parameter allowsPartial: Whether missing rows are accepted.
    /// - Returns: `nil` if no row is present.
    func decode(
        _ size: PixelSize, _ context: DecodeContext, allowsPartial: Bool = false
    ) throws(TintypeError) -> PixelBuffer? {
        let pixels =
            try isPNG
            ? decodePNG(size, context, allowsPartial: allowsPartial)
            : decodeBitmap(context, allowsPartial: allowsPartial)
        return try pixels?.resampled(to: size, filter: .lanczos3)
    }

    private func decodePNG(
        _ size: PixelSize, _ context: DecodeContext, allowsPartial: Bool
    ) throws(TintypeError) -> PixelBuffer? {
        var pngContext = context
        pngContext.options = DecodeOptions(size: .shrink(size), frames: .first)
        do throws(TintypeError) {
            return try PNGDecoder().decode(bytes, context: pngContext).pixels
        } catch {
            guard allowsPartial, error.code == .undecodable else { throw error }
            return try PNGDecoder().salvage(bytes, context: pngContext)?.pixels
        }
    }

    private func decodeBitmap(_ context: DecodeContext, allowsPartial: Bool) throws(TintypeError) -> PixelBuffer? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try BMPHeader(raw, at: 0, isIcon: true) else { throw .truncatedICO }
            let info = ImageInfo(format: .ico, size: header.size)
            if allowsPartial {
                try context.limits.check(info)
            } else {
                try context.limits.check(info, byteCount: raw.count)
            }
            try context.limits.checkMemory(bytesPerPixel: header.decodedBytesPerPixel, of: header.size)
            guard allowsPartial || header.hasMask(raw.count) || context.options.damageTolerance == .minor else {
                throw .damagedICO("it has no mask")
            }
            return try ICOBitmap(header, raw, context).decode(allowsPartial: allowsPartial)
        }
    }
}

/// A bitmap of an icon, followed by a mask of one bit per pixel that marks transparent pixels.
struct ICOBitmap {
    private let header: BMPHeader
    private let bytes: UnsafeRawBufferPointer
    private let context: DecodeContext

    init(_ header: BMPHeader, _ bytes: UnsafeRawBufferPointer, _ context: DecodeContext) {
        self.header = header
        self.bytes = bytes
        self.context = context
    }

    /// Decodes the bitmap as premultiplied pixels.
    ///
    /// A bitmap with alpha needs no mask. If all its alpha values are 0, it was written by a program that ignores
    /// alpha, and the mask applies. Without a mask all pixels are opaque.
    ///
    /// - Parameter allowsPartial: Whether missing rows are accepted.
    /// - Returns: `nil` if no row is present.
    func decode(allowsPartial: Bool = false) throws(TintypeError) -> PixelBuffer? {
        let source = try BMPPixels(header, bytes, at: header.pixelOffset, context, allowsPartial: allowsPartial)
        guard source.hasRows else { return nil }
        let usesAlpha = header.hasAlpha && !isFullyTransparent(source)
        let hasMask = header.hasMask(bytes.count)
        var writer = try PixelWriter(size: header.size)
        for y in 0..<header.size.height {
            if y % 16 == 0 { try context.checkCancelled() }
            writer.withRows(from: y) { rows in
                let row = UnsafeMutableBufferPointer(rebasing: rows.bindMemory(to: Pixel.self)[..<header.size.width])
                source.read(y, into: row)
                if !usesAlpha { applyMask(hasMask ? header.maskOffset : nil, to: row, y) }
            }
        }
        writer.premultiply(rows: header.size.height)
        return writer.finish()
    }

    /// Returns whether every pixel has an alpha of 0.
    private func isFullyTransparent(_ source: BMPPixels) -> Bool {
        withUnsafeTemporaryAllocation(of: Pixel.self, capacity: header.size.width) { row in
            (0..<header.size.height).allSatisfy { y in
                source.read(y, into: row)
                return row.allSatisfy { $0.alpha == 0 }
            }
        }
    }

    /// Sets the alpha of row `y` from the mask at an offset, which is stored from the bottom row up like the pixels;
    /// without one, the row is opaque.
    private func applyMask(_ offset: Int?, to row: UnsafeMutableBufferPointer<Pixel>, _ y: Int) {
        let start = offset.map { $0 + (header.size.height - 1 - y) * header.maskRowLength }
        for x in row.indices {
            let isHidden = start.map { bytes[$0 + (x >> 3)] >> (7 - (x & 7)) & 1 == 1 } ?? false
            row[x].alpha = isHidden ? 0 : 255
        }
    }
}

extension BMPHeader {
    fileprivate var maskOffset: Int { pixelOffset + bytesPerRow * size.height }
    fileprivate var maskRowLength: Int { (size.width + 31) / 32 * 4 }

    /// Whether an image of so many bytes has its mask.
    fileprivate func hasMask(_ byteCount: Int) -> Bool { maskOffset + maskRowLength * size.height <= byteCount }
}
