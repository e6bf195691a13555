import Foundation
import TintypeBMP
import TintypeCore
import TintypePNG

/// One picture of an icon: a whole PNG, or a bitmap without the header of a file and with a mask below it.
struct ICOImage {
    private let bytes: Data

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// What of a file's bytes, or their beginning, is this picture.
    init(_ file: Data, _ entry: ICOEntry) {
        let place = entry.place.clamped(to: 0..<file.count)
        bytes = file[file.startIndex + place.lowerBound..<file.startIndex + place.upperBound]
    }

    private var isPNG: Bool { bytes.starts(with: Self.signature) }

    /// - Returns: `nil` when the bytes end too early.
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
        return header.map { ImageInfo(format: .ico, size: $0.size, hasAlpha: true) }
    }

    /// The picture, brought to a size.
    ///
    /// - Parameter keepsPart: whether it need not be whole.
    /// - Returns: `nil` when nothing of it is there.
    func decoded(
        _ size: PixelSize, _ context: DecodeContext, keepsPart: Bool = false
    ) throws(TintypeError) -> PixelBuffer? {
        let whole = try isPNG ? png(size, context, keepsPart: keepsPart) : bitmap(context, keepsPart: keepsPart)
        return try whole?.resampled(to: size, filter: .lanczos3)
    }

    private func png(
        _ size: PixelSize, _ context: DecodeContext, keepsPart: Bool
    ) throws(TintypeError) -> PixelBuffer? {
        var whole = context
        whole.options = DecodeOptions(size: .shrink(size), frames: .first)
        do throws(TintypeError) {
            return try PNGDecoder().decode(bytes, context: whole).pixels
        } catch {
            guard keepsPart, error.code == .undecodable else { throw error }
            return try PNGDecoder().salvage(bytes, context: whole)?.pixels
        }
    }

    private func bitmap(_ context: DecodeContext, keepsPart: Bool) throws(TintypeError) -> PixelBuffer? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try BMPHeader(raw, at: 0, isIcon: true) else { throw .truncatedICO }
            let info = ImageInfo(format: .ico, size: header.size)
            if keepsPart {
                try context.limits.check(info)
            } else {
                try context.limits.check(info, byteCount: raw.count)
            }
            return try ICOBitmap(header, raw, context).pixels(keepsPart: keepsPart)
        }
    }
}

/// A bitmap of an icon, whose mask of one bit a pixel says what is not to be seen.
struct ICOBitmap {
    private let header: BMPHeader
    private let bytes: UnsafeRawBufferPointer
    private let context: DecodeContext

    init(_ header: BMPHeader, _ bytes: UnsafeRawBufferPointer, _ context: DecodeContext) {
        self.header = header
        self.bytes = bytes
        self.context = context
    }

    /// Premultiplied. What has alpha needs no mask; but where no pixel has any, old programs did not know of it, and the
    /// mask counts.
    ///
    /// - Parameter keepsPart: whether not all rows have to be there, nor the mask, without which what is there is opaque.
    /// - Returns: `nil` when no row is there.
    func pixels(keepsPart: Bool = false) throws(TintypeError) -> PixelBuffer? {
        let source = try BMPPixels(header, bytes, at: header.pixelPlace, context, keepsPart: keepsPart)
        guard source.hasRows else { return nil }
        let usesAlpha = header.hasAlpha && !isClear(source)
        guard usesAlpha || hasMask || keepsPart else { throw .truncatedICO }
        var writer = try PixelWriter(size: header.size)
        for y in 0..<header.size.height {
            if y % 16 == 0 { try context.checkCancelled() }
            writer.withRows(from: y) { rows in
                let row = UnsafeMutableBufferPointer(rebasing: rows.bindMemory(to: Pixel.self)[..<header.size.width])
                source.read(y, into: row)
                if !usesAlpha && hasMask { mask(row, y) }
            }
        }
        writer.premultiply(rows: header.size.height)
        return writer.finish()
    }

    private func isClear(_ source: BMPPixels) -> Bool {
        withUnsafeTemporaryAllocation(of: Pixel.self, capacity: header.size.width) { row in
            (0..<header.size.height).allSatisfy { y in
                source.read(y, into: row)
                return row.allSatisfy { $0.alpha == 0 }
            }
        }
    }

    private var maskPlace: Int { header.pixelPlace + header.bytesPerRow * header.size.height }
    private var maskRowLength: Int { (header.size.width + 31) / 32 * 4 }
    private var hasMask: Bool { maskPlace + maskRowLength * header.size.height <= bytes.count }

    /// The mask's rows begin with the lowest, as those of the picture do.
    private func mask(_ row: UnsafeMutableBufferPointer<Pixel>, _ y: Int) {
        let start = maskPlace + (header.size.height - 1 - y) * maskRowLength
        for x in row.indices {
            let isHidden = bytes[start + (x >> 3)] >> (7 - (x & 7)) & 1 == 1
            row[x].alpha = isHidden ? 0 : 255
        }
    }
}
