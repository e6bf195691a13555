public import Foundation
public import TintypeCore

extension JXLDecoder: SalvagingImageDecoder {
    /// What libjxl has of the picture before the damage; of an animation, the frames that are whole, or else what there is
    /// of the first.
    public func salvage(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .nothing, context.limits)
        }
        guard let header else { return nil }
        if header.isAnimated, let animation = try? salvagedAnimation(bytes, context) { return animation }
        try context.checkCancelled()
        let reader = try JXLPreviewReader(header, context)
        guard let sound = try Self.soundBytes(bytes, reader) else { return try reader.preview() }
        // What has met damage is not asked again.
        let second = try JXLPreviewReader(header, context)
        _ = try second.append(bytes.prefix(sound))
        return try second.preview()
    }

    /// How many of the first bytes make sense; `nil` where all do.
    private static func soundBytes(_ bytes: Data, _ reader: JXLPreviewReader) throws(TintypeError) -> Int? {
        let step = max(1024, bytes.count / 64)
        for start in stride(from: 0, to: bytes.count, by: step) {
            do throws(TintypeError) {
                let piece = bytes.dropFirst(start).prefix(step)
                _ = try reader.append(piece)
            } catch {
                guard error.code == .undecodable else { throw error }
                return start
            }
        }
        return nil
    }
}
