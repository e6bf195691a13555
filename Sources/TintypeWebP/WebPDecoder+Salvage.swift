import CTintypeWebP
public import Foundation
public import TintypeCore

extension WebPDecoder: SalvagingImageDecoder {
    /// The rows before the damage; of an animation, the frames.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header else { return nil }
        if header.is_animated { return try salvagedAnimation(bytes, context) }
        let info = ImageInfo(header)
        try context.limits.check(info)
        let reader = try WebPPreviewReader(info, context)
        do throws(TintypeError) {
            _ = try reader.append(bytes)
        } catch {
            guard error.code == .undecodable else { throw error }
        }
        return try reader.preview()
    }
}
