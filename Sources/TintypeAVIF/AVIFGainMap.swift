import Foundation
import TintypeColor
import TintypeCore

/// The gain map of a still AVIF, which makes a brighter rendition of its primary image (`tmap`: ISO 21496-1).
///
/// libavif reads gain maps from version 1.1 on. For all versions, a copy of the file presents the map as the primary
/// image.
struct AVIFGainMap {
    private let bytes: UnsafeRawBufferPointer
    private let image: ToneMappedItem
    /// The position and the length of the number of the primary item.
    private let pointer: Range<Int>
    private let context: DecodeContext

    /// Finds the gain map of the primary image.
    ///
    /// - Parameters:
    ///   - bytes: The file. It must outlive this value.
    ///   - context: The options of the decode.
    /// - Returns: `nil` if there is none, and if the items of the file cannot be read: the image can be shown without
    ///   it.
    init?(_ bytes: UnsafeRawBufferPointer, _ context: DecodeContext) {
        let file = ISOFile(bytes: bytes)
        guard let meta = try? file.itemMetaBox(), let primary = try? file.primaryItem(meta),
            let references = try? file.references(in: meta),
            let image = try? ToneMappedItem(file, meta, of: primary, references),
            let box = try? file.requiredBox("pitm", in: meta).body, box.count >= 6
        else { return nil }
        let start = box.lowerBound + 4
        pointer = start..<start + (bytes[box.lowerBound] > 0 ? 4 : 2)
        guard pointer.upperBound <= box.upperBound, image.map < 1 << (8 * pointer.count) else { return nil }
        (self.bytes, self.image, self.context) = (bytes, image, context)
    }

    /// Returns the bright rendition of the image, in linear light.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - reader: The reader that decoded it.
    ///   - info: The properties of the image.
    /// - Returns: `nil` if the map is damaged, exceeds a limit or does not belong to the image, and for an image in PQ
    ///   or HLG.
    /// - Throws: `TintypeError.Code.cancelled`.
    func applied(
        to image: WideImage, of reader: borrowing AVIFReader, _ info: ImageInfo
    ) throws(TintypeError) -> HighRangePixels? {
        guard !reader.codedColors.isHighRange else { return nil }
        let stored = reader.storedSize
        return try GainMap.brightened(image, context) { () throws(TintypeError) in
            try decodeMap(of: stored, info)
        }
    }

    private func decodeMap(
        of stored: PixelSize, _ info: ImageInfo
    ) throws(TintypeError) -> (gains: PixelBuffer, map: GainMap)? {
        var copy = Data(bytes)
        for (index, position) in pointer.reversed().enumerated() {
            copy[position] = UInt8(truncatingIfNeeded: image.map >> (8 * index))
        }
        let gains = try copy.withTypedBytes { raw throws(TintypeError) -> PixelBuffer? in
            let reader = try AVIFReader(raw, limits: context.limits)
            let map = try ImageInfo(reader)
            try context.limits.check(map, byteCount: raw.count)
            guard GainMap.scale(of: reader.storedSize, to: stored) != nil else { return nil }
            try context.checkCancelled()
            try reader.decode(frame: 0)
            var plain = context
            plain.options = DecodeOptions()
            // As sRGB: gains are not colours.
            let whole = DecodeTarget(whole: reader.storedSize, size: reader.storedSize)
            return try reader.convertFrame(whole, .narrow(nil), plain).pixels
        }
        guard let gains, let scale = GainMap.scale(of: gains.size, to: stored) else { return nil }
        try context.checkCancelled()
        let target = try DecodeTarget(info, options: context.options)
        let part = try GainMap.part(of: gains, target, scale: scale)
        return (gains: try part.oriented(info.orientation), map: GainMap(image.parameters))
    }
}
