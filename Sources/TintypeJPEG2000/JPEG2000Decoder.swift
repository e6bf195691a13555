package import Foundation
import TintypeColor
public import TintypeCore

extension ImageFormat {
    /// JPEG 2000 (ITU-T T.800), as a file (JP2, JPX) or a bare codestream.
    public static let jpeg2000 = ImageFormat(
        rawValue: "jp2", mediaType: "image/jp2", fileExtensions: ["jp2", "j2k", "jpf", "jpx", "j2c", "jpc", "jpm"])
}

extension ImageCoderRegistry {
    /// The decoder of JPEG 2000.
    public static let jpeg2000 = ImageCoderRegistry(decoders: [JPEG2000Decoder()])
}

/// Decodes JPEG 2000 with OpenJPEG: up to 16 bits per channel (more are reduced), palettes, alpha, subsampled channels,
/// sYCC, CMYK, ICC profiles, and high throughput (Part 15) with OpenJPEG 2.5.
///
/// Add it to the coders of a pipeline; it is not among those of `ImageCoderRegistry.standard`:
///
///     configuration.coders = .standard.adding(.jpeg2000).sandboxed()
///
/// A smaller size is decoded from as few wavelet levels as suffice. OpenJPEG is loaded when the first JPEG 2000 is
/// decoded: install `libopenjp2-7` on Debian, `openjpeg2` on Fedora. Decoders hold no state; any thread may use one.
package struct JPEG2000Decoder: RecognizingImageDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// JPEG 2000.
    package var formats: Set<ImageFormat> { [.jpeg2000] }

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Loads OpenJPEG.
    package static func prepareWorker() {
        _ = JPEG2000Library.standard
    }

    private static let signatures: [[UInt8]] = [
        // The signature box (ITU-T T.800, I.5.1), then the markers SOC and SIZ of a codestream (A.4.1, A.5.1).
        [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], [0xFF, 0x4F, 0xFF, 0x51],
    ]

    /// Whether an image begins like a JPEG 2000.
    package func recognizes(_ head: Data) -> Bool { Self.signatures.contains { head.starts(with: $0) } }

    /// Reads the header.
    ///
    /// - Returns: `nil` if the bytes may end within the header.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.outOfMemory`, `TintypeError.Code.noCoder` if
    ///   OpenJPEG is not installed.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in try JPEG2000Reader(raw).info }
        } catch {
            guard !isComplete, error.code == .undecodable else { throw error }
            return nil
        }
    }

    /// Decodes the image, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded`, before anything is allocated, `TintypeError.Code.noCoder` if OpenJPEG
    ///   is not installed, `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try JPEG2000Reader(raw, isCancelled: context.isCancelled)
            let info = reader.info
            try context.limits.check(info, byteCount: raw.count)
            let target = try DecodeTarget(info, options: context.options)
            let reduction = Self.reduction(target, of: info.size, maximum: reader.maximumReduction)
            let size = Self.reduced(info.size, by: reduction)
            let isWide = info.bitDepth > 8
            // OpenJPEG holds each sample in 4 bytes, once in a tile and once in the image.
            try context.limits.checkMemory(
                bytesPerPixel: PixelBuffer.bytesPerPixel + 8 * reader.channels.count
                    + context.highRangeBytesPerPixel(isWide: isWide), of: size)
            let colors = try reader.colors(context.limits)
            try reader.decode(reduction: reduction)
            try context.checkCancelled()
            let image = try Self.image(
                reader, colors, size, reduction == 0 ? target : DecodeTarget(whole: size, size: target.size),
                isWide: isWide, context)
            return Image(
                pixels: image.pixels, info: info, scale: context.options.scale ?? 1, highRange: image.highRange)
        }
    }

    /// Returns how often the size is halved while decoding, so that at least the target's size remains.
    private static func reduction(_ target: DecodeTarget, of size: PixelSize, maximum: Int) -> Int {
        guard target.part.size == size else { return 0 }
        return (0...maximum).last { step in
            let reduced = reduced(size, by: step)
            return reduced.width >= target.size.width && reduced.height >= target.size.height
        } ?? 0
    }

    private static func reduced(_ size: PixelSize, by reduction: Int) -> PixelSize {
        let step = 1 << reduction
        return PixelSize(width: (size.width + step - 1) / step, height: (size.height + step - 1) / step)
    }

    private static func image(
        _ reader: borrowing JPEG2000Reader, _ colors: SourceColors, _ size: PixelSize, _ target: DecodeTarget,
        isWide: Bool, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let layout = reader.layout
        let keepsCMYK = layout.model == .cmyk && ColorConverter(colors, .cmyk) != nil
        var context = context
        if !isWide || layout.model == .cmyk { context.options.range = .standard }
        let rows = try JPEG2000Rows(layout, reader.channels, size, keepsCMYK: keepsCMYK)
        let channels: SourceChannels = keepsCMYK ? .cmyk : layout.model == .grey ? .grey : .rgb
        // The profile of CMYK that cannot be used says nothing about RGB.
        let source = layout.model == .cmyk && !keepsCMYK ? SourceColors.standard : colors
        return try WideRows(size, target, WideConverter(source, channels), context).image {
            (first, count, words) throws(TintypeError) in
            let length = size.width * 4
            for y in 0..<count {
                rows.write(first + y, to: UnsafeMutableBufferPointer(rebasing: words[y * length..<(y + 1) * length]))
            }
        }
    }
}
