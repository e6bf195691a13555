public import Foundation
public import TintypeCore

extension ICODecoder: SalvagingImageDecoder {
    /// A picture of the file that is whole, or what there is of one: first of that which would do for what is asked, then
    /// of the larger ones.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
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
            if let info = try? ICOPicture(bytes, entry).info(isComplete: false) { return info }
        }
        return nil
    }

    private static func part(
        _ bytes: Data, _ entry: ICOEntry, _ size: PixelSize, _ context: DecodeContext
    ) throws(TintypeError) -> PixelBuffer? {
        do throws(TintypeError) {
            return try ICOPicture(bytes, entry).decoded(size, context, keepsPart: true)
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}
