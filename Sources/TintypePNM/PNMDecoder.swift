package import Foundation
import TintypeColor
public import TintypeCore

extension ImageFormat {
    /// The portable bitmaps of netpbm: PBM, PGM, PPM and PAM.
    public static let pnm = ImageFormat(
        rawValue: "pnm", mediaType: "image/x-portable-anymap", fileExtensions: ["pnm", "ppm", "pgm", "pbm", "pam"])
}

extension ImageCoderRegistry {
    /// The decoder of PBM, PGM, PPM and PAM.
    public static let pnm = ImageCoderRegistry(decoders: [PNMDecoder()])
}

/// Decodes PBM, PGM, PPM and PAM, as text or binary, with any maximum up to 65535, with or without alpha.
///
/// If a file contains several images, it decodes the first. Colours are sRGB, as all common programs have it, and not
/// the BT.709 that the specification names.
///
/// Add it to the coders of a pipeline; it is not among those of `ImageCoderRegistry.standard`:
///
///     configuration.coders = .standard.adding(.pnm).sandboxed()
///
/// Decoders hold no state; any thread may use one.
package struct PNMDecoder: RecognizingImageDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// PNM.
    package var formats: Set<ImageFormat> { [.pnm] }

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Whether an image begins like a PNM: P, a digit, white space, and the start of a number, a comment or a PAM
    /// header.
    package func recognizes(_ head: Data) -> Bool {
        let start = Array(head.prefix(FormatSniffer.length))
        guard start.count >= 4, start[0] == UInt8(ascii: "P"), (0x31...0x37).contains(start[1]) else { return false }
        if start[1] == UInt8(ascii: "7") {
            // XV's thumbnails begin with "P7 332".
            return start[2] == 0x0A || start[2] == 0x0D
        }
        let next = start.dropFirst(2).drop(while: PNMHeaderReader.isSpace)
        let isSpaced = PNMHeaderReader.isSpace(start[2])
        return start[2] == UInt8(ascii: "#")
            || isSpaced && (next.first.map { $0 == UInt8(ascii: "#") || PNMHeaderReader.digit($0) != nil } ?? false)
    }

    /// Reads the header.
    ///
    /// - Returns: `nil` if the bytes end within the header.
    /// - Throws: `TintypeError.Code.undecodable`.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in try Self.header(raw, isComplete: isComplete)?.info }
    }

    /// Decodes the image, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded`, before anything is allocated, `TintypeError.Code.outOfMemory`,
    ///   `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let image = try Self.decode(bytes, context, allowsPartial: false) else { throw .truncatedPNM }
        return image
    }

    private static func header(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool
    ) throws(TintypeError) -> PNMHeader? {
        var reader = PNMHeaderReader(bytes)
        do throws(PNMHeaderReader.Failure) {
            return try reader.read()
        } catch {
            switch error {
            case .incomplete where !isComplete: return nil
            case .incomplete: throw .truncatedPNM
            case .damaged(let reason):
                throw TintypeError(.undecodable, stage: .decode, "the header of the PNM is damaged: \(reason)")
            }
        }
    }

    /// - Returns: `nil` if there is no row.
    private static func decode(
        _ bytes: Data, _ context: DecodeContext, allowsPartial: Bool
    ) throws(TintypeError) -> Image? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try header(raw, isComplete: true) else { return nil }
            let info = header.info
            try context.limits.check(info, byteCount: raw.count)
            try context.limits.checkMemory(
                bytesPerPixel: PixelBuffer.bytesPerPixel + context.highRangeBytesPerPixel(isWide: header.isWide),
                of: info.size)
            var context = context
            if !header.isWide { context.options.range = .standard }
            let target = try DecodeTarget(info, options: context.options)
            let converter = WideConverter(.standard, header.channels.isGrey ? .grey : .rgb)
            var samples = PNMSamples(header, raw)
            var count = 0
            let image = try WideRows(header.size, target, converter, context).image {
                (_, rows, words) throws(TintypeError) in
                let length = header.size.width * 4
                for y in 0..<rows {
                    let row = UnsafeMutableBufferPointer(rebasing: words[y * length..<(y + 1) * length])
                    guard try !samples.readRow(row) else {
                        count += 1
                        continue
                    }
                    guard allowsPartial else { throw .truncatedPNM }
                    row.update(repeating: 0)
                }
            }
            guard count > 0 else { return nil }
            return Image(
                pixels: image.pixels, info: info, scale: context.options.scale ?? 1, highRange: image.highRange)
        }
    }
}

extension PNMDecoder: SalvagingImageDecoder {
    /// Decodes the rows of a truncated image.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try Self.decode(bytes, context, allowsPartial: true)
    }
}

extension TintypeError {
    fileprivate static let truncatedPNM = TintypeError(.undecodable, stage: .decode, "the PNM is truncated")
}
