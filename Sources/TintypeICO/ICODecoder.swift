public import Foundation
import TintypeBMP
public import TintypeCore
import TintypePNG

/// Decodes ICO and CUR, Windows' icons and cursors: of the pictures that a file has, the smallest that has as many pixels
/// as are wanted.
///
/// What is told of a file is told of its largest picture.
public struct ICODecoder: ImageDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.ico] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let entry = try bytes.withTypedBytes { raw throws(TintypeError) in try ICODirectory(raw)?.largest }
        let info = try entry.flatMap { entry throws(TintypeError) in
            try ICOImage(bytes, entry).info(isComplete: isComplete)
        }
        if info == nil && isComplete { throw .truncatedICO }
        return info
    }

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let directory = try bytes.withTypedBytes { raw throws(TintypeError) in try ICODirectory(raw) }
        guard let directory, let info = try info(of: bytes, isComplete: true) else { throw .truncatedICO }
        try context.limits.check(info, byteCount: bytes.count)
        let wanted = context.options.size.target(for: info.size)
        guard directory.entries.allSatisfy({ $0.place.upperBound <= bytes.count }),
            let entry = directory.best(for: wanted)
        else { throw .truncatedICO }
        guard let pixels = try ICOImage(bytes, entry).decoded(wanted, context) else { throw .truncatedICO }
        return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
    }
}

extension ICODecoder: SalvagingImageDecoder {
    /// A picture of the file that is whole, or what there is of one: first of that which would do for what is asked, then
    /// of the larger ones.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        guard let directory = try bytes.withTypedBytes({ raw throws(TintypeError) in try ICODirectory(raw) }) else {
            return nil
        }
        guard let info = Self.told(bytes, directory) else { return nil }
        try context.limits.check(info)
        let wanted = context.options.size.target(for: info.size)
        for entry in [directory.best(for: wanted)].compactMap(\.self) + directory.largestFew {
            if let pixels = try Self.part(bytes, entry, wanted, context) {
                return Image(pixels: pixels, info: info, scale: context.options.scale ?? 1)
            }
        }
        return nil
    }

    /// What is told of the largest picture of which anything can be read.
    private static func told(_ bytes: Data, _ directory: ICODirectory) -> ImageInfo? {
        for entry in directory.largestFew {
            if let info = try? ICOImage(bytes, entry).info(isComplete: false) { return info }
        }
        return nil
    }

    private static func part(
        _ bytes: Data, _ entry: ICOEntry, _ size: PixelSize, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        do throws(TintypeError) {
            return try ICOImage(bytes, entry).decoded(size, context, keepsPart: true)
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}

extension TintypeError {
    static let truncatedICO = TintypeError(.undecodable, stage: .decode, "the ICO is cut short")

    static func damagedICO(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the ICO is damaged: \(reason)")
    }
}
