import Foundation
import TintypeColor
import TintypeCore

/// The gain map of a still HEIC, which makes a brighter rendition of its primary image: an input of a tone-mapped image
/// (`tmap`: ISO/IEC 23008-12:2022, amendment 1; ISO 21496-1), or an auxiliary image of Apple's.
///
/// libheif 1.15 does not support tone-mapped images. A copy of the file presents the map as the primary image.
struct HEIFGainMap {
    private let bytes: UnsafeRawBufferPointer
    private let item: Int
    /// `nil` for a map of Apple's, whose headroom is in the metadata.
    private let parameters: GainMapParameters?
    private let context: DecodeContext

    /// Finds the gain map of the primary image.
    ///
    /// - Parameters:
    ///   - bytes: The file. It must outlive this value.
    ///   - context: The options of the decode.
    /// - Returns: `nil` if there is none.
    /// - Throws: `TintypeError.Code.undecodable` for invalid boxes.
    init?(_ bytes: UnsafeRawBufferPointer, _ context: DecodeContext) throws(TintypeError) {
        let file = ISOFile(bytes: bytes)
        let meta = try file.itemMetaBox()
        let (primary, references) = (try file.primaryItem(meta), try file.references(in: meta))
        var candidate = try ToneMappedItem(file, meta, of: primary, references).map { image -> Map in
            (item: image.map, parameters: image.parameters)
        }
        let kinds = try ISOItems.kinds(file, meta)
        if !(candidate.map { Self.decodableKinds.contains(kinds[$0.item] ?? "") } ?? false) {
            candidate = try Self.appleMap(file, meta, of: primary, references)
        }
        guard let map = candidate else { return nil }
        (item, parameters) = (map.item, map.parameters)
        (self.bytes, self.context) = (bytes, context)
    }

    /// The types of items that are coded with HEVC, or made of such items.
    private static let decodableKinds: Set<String> = ["hvc1", "grid", "iden", "iovl"]

    private typealias Map = (item: Int, parameters: GainMapParameters?)

    private static let appleKinds: Set<String> = ["urn:com:apple:photo:2020:aux:hdrgainmap"]

    /// Returns the first map of Apple's that is auxiliary to the primary image.
    private static func appleMap(
        _ file: ISOFile, _ meta: Range<Int>, of primary: Int, _ references: [ISOFile.Reference]
    ) throws(TintypeError) -> Map? {
        let maps = try HEIFProperties(file, meta).auxiliaryItems(of: appleKinds)
        let reference = references.first {
            $0.kind == "auxl" && $0.to.contains(primary) && maps.contains($0.from)
        }
        return reference.map { (item: $0.from, parameters: nil) }
    }

    // MARK: Pixels

    /// Returns the bright rendition of the image, in linear light.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - reader: The reader that decoded it.
    ///   - target: The part and size of it.
    /// - Returns: `nil` if the map is damaged, exceeds a limit, states no headroom or does not belong to the image, and
    ///   for an image in PQ or HLG.
    /// - Throws: `TintypeError.Code.cancelled`.
    func applied(
        to image: WideImage, of reader: borrowing HEIFReader, _ target: DecodeTarget
    ) throws(TintypeError) -> HighRangePixels? {
        try GainMap.brightened(image, context) { () throws(TintypeError) in
            guard try !reader.colors(context.limits).isHighRange else { return nil }
            return try decodeMap(of: reader, target)
        }
    }

    private func decodeMap(
        of reader: borrowing HEIFReader, _ target: DecodeTarget
    ) throws(TintypeError) -> (gains: PixelBuffer, map: GainMap)? {
        let mapReader = try HEIFReader(bytes, context.limits, item: item)
        let stored = mapReader.info.size
        try context.limits.check(mapReader.info, byteCount: bytes.count)
        guard let scale = GainMap.scale(of: stored, to: reader.info.size), let map = map(mapReader, reader) else {
            return nil
        }
        try context.checkCancelled()
        var plain = context
        plain.options = DecodeOptions()
        // As sRGB: gains are not colours.
        let gains = try mapReader.decodeImage(DecodeTarget(whole: stored, size: stored), .standard, plain).pixels
        try context.checkCancelled()
        return (gains: try GainMap.part(of: gains, target, scale: scale), map: map)
    }

    /// Returns the meaning of the codes of the map. Newer maps of Apple's state their headroom; of older ones, the
    /// camera states it in the Exif data of the image.
    private func map(_ mapReader: borrowing HEIFReader, _ reader: borrowing HEIFReader) -> GainMap? {
        if let parameters { return GainMap(parameters) }
        let stated = mapReader.xmp(atMost: context.limits.exifBytes).flatMap(XMPPacket.init)?.appleHeadroom
        let headroom = stated ?? reader.exif.flatMap(AppleNotes.init)?.headroom
        return headroom.flatMap(GainMap.init(appleHeadroom:))
    }
}
