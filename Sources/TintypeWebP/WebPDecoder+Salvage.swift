import CTintypeWebP
public import Foundation
import TintypeColor
public import TintypeCore

extension WebPDecoder: SalvagingImageDecoder {
    /// The rows before the damage; of an animation, the frames.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header else { return nil }
        if header.is_animated { return try salvagedAnimation(bytes, context) }
        let info = ImageInfo(header)
        try context.limits.check(info)
        let colors = try Self.arrivedColors(bytes, context.limits) ?? .standard
        let reader = try WebPPreviewReader(info, ColorConverter(colors, .rgb), context)
        return try reader.salvaged(bytes)
    }

    /// What the first bytes say of colours, before the pixels; `nil` when a profile that they announce has not arrived.
    static func arrivedColors(_ bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> SourceColors? {
        // The flags of an extended file (RFC 9649, 2.7).
        let isExtended = bytes.count > 20 && bytes.dropFirst(12).starts(with: "VP8X".utf8)
        let hasProfile = isExtended && bytes[bytes.startIndex + 20] & 0x20 != 0
        guard hasProfile else { return .standard }
        let colors = try bytes.withTypedBytes { raw throws(TintypeError) in
            try WebPFile(raw, isComplete: false, limits).colors(limits)
        }
        return colors == .standard ? nil : colors
    }
}
