import CTintypePNG
public import Foundation
public import TintypeCore

extension PNGDecoder: SalvagingImageDecoder {
    /// The rows or passes before the damage; of an animation, the frames.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        let opened = try PNGReader(context)
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try opened.open(raw, isComplete: false) }
        guard let header else { return nil }
        let info = ImageInfo(header)
        try context.limits.check(info)
        if info.frameCount > 1 { return try salvagedAnimation(bytes, context) }
        let reader = try PNGPreviewReader(
            header, info, try Self.converter(bytes, header, context.limits), context)
        return try reader.salvaged(bytes)
    }
}
