package import Foundation
import TintypeBMP
public import TintypeCore
import TintypePNG

extension ImageCoderRegistry {
    /// The decoder of ICO and CUR.
    public static let ico = ImageCoderRegistry(decoders: [ICODecoder()])
}

/// Decodes ICO and CUR, the icons and cursors of Windows.
///
/// Decodes the smallest image in a file that has at least as many pixels as requested. The information
/// about a file describes its largest image. Decoders hold no state; any thread may use one.
package struct ICODecoder: SandboxableImageDecoder {
    /// Creates an ICO decoder.
    package init() {}

    /// The formats that this decoder reads: ICO, which includes CUR.
    package var formats: Set<ImageFormat> { [.ico] }

    /// Reads the directory and the header of the largest image.
    ///
    /// - Returns: `nil` if `bytes` is a prefix that ends too early.
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or has no images.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let entry = try bytes.withTypedBytes { raw throws(TintypeError) in try ICODirectory(raw)?.largest }
        let info = try entry.flatMap { entry throws(TintypeError) in
            try ICOImage(bytes, entry).info(isComplete: isComplete)
        }
        if info == nil && isComplete { throw .truncatedICO }
        return info
    }

    /// Decodes the image that fits the requested size best.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded` if the image is too large, before it is allocated,
    ///   `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let directory = try bytes.withTypedBytes { raw throws(TintypeError) in try ICODirectory(raw) }
        guard let directory, let info = try info(of: bytes, isComplete: true) else { throw .truncatedICO }
        try context.limits.check(info, byteCount: bytes.count)
        let wanted = context.options.size.target(for: info.size)
        guard directory.entries.allSatisfy({ $0.range.upperBound <= bytes.count }),
            let entry = directory.bestMatch(for: wanted)
        else { throw .truncatedICO }
        guard let pixels = try ICOImage(bytes, entry).decode(wanted, context) else { throw .truncatedICO }
        return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
    }
}

extension ICODecoder: ImageCollectionDecoder {
    /// Decodes every image of the file. An image to which several directory entries refer is decoded once.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if an image is damaged or lies beyond the end of the file,
    ///   `TintypeError.Code.limitExceeded`, `TintypeError.Code.cancelled`.
    package func verifyImages(in bytes: Data, context: DecodeContext) throws(TintypeError) {
        guard let directory = try bytes.withTypedBytes({ raw throws(TintypeError) in try ICODirectory(raw) }) else {
            throw .truncatedICO
        }
        var verified: Set<Range<Int>> = []
        for entry in directory.entries where verified.insert(entry.range).inserted {
            try context.checkCancelled()
            guard entry.range.upperBound <= bytes.count,
                try ICOImage(bytes, entry).decode(entry.size, context) != nil
            else { throw .truncatedICO }
        }
    }
}

extension ICODecoder: SalvagingImageDecoder {
    /// Decodes one image of the file, whole or in part.
    ///
    /// It tries the image that fits the requested size best, then the others from the largest down.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        guard let directory = try bytes.withTypedBytes({ raw throws(TintypeError) in try ICODirectory(raw) }) else {
            return nil
        }
        guard let info = Self.largestReadableInfo(bytes, directory) else { return nil }
        try context.limits.check(info)
        let wanted = context.options.size.target(for: info.size)
        for entry in [directory.bestMatch(for: wanted)].compactMap(\.self) + directory.largestCandidates {
            if let pixels = try Self.decodePartially(bytes, entry, wanted, context) {
                return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
            }
        }
        return nil
    }

    /// Returns the information about the largest image whose header is readable.
    private static func largestReadableInfo(_ bytes: Data, _ directory: ICODirectory) -> ImageInfo? {
        for entry in directory.largestCandidates {
            if let info = try? ICOImage(bytes, entry).info(isComplete: false) { return info }
        }
        return nil
    }

    private static func decodePartially(
        _ bytes: Data, _ entry: ICOEntry, _ size: PixelSize, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        do throws(TintypeError) {
            return try ICOImage(bytes, entry).decode(size, context, allowsPartial: true)
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}

extension TintypeError {
    static let truncatedICO = TintypeError(.undecodable, stage: .decode, "the ICO is truncated")

    static func damagedICO(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the ICO is damaged: \(reason)")
    }
}
