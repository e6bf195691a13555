import Foundation
import TintypeCore

/// The coded image and its alpha in a still HEIC that libheif has written, for the tracks of a sequence.
struct HEIFCodedStill {
    /// One coded image.
    struct Coded {
        /// The bytes of its sample, in the file.
        let sample: Range<Int>
        let parameters: Parameters
    }

    /// The parameters that a decoder needs before the samples. All images of a track share them.
    struct Parameters: Equatable {
        /// The body of its decoder configuration (`hvcC`).
        let configuration: [UInt8]
        /// The size of the decoded image in pixels. libheif encodes at least 64 × 64 pixels, and whole pairs of pixels.
        let size: PixelSize
    }

    let color: Coded
    /// `nil` if the image is opaque.
    let alpha: Coded?

    /// Finds the coded images of a file.
    ///
    /// - Throws: ``TintypeError/Code/encodeFailed`` if the file is not built as expected.
    init(_ file: Data) throws(TintypeError) {
        do throws(TintypeError) {
            (color, alpha) = try file.withTypedBytes { raw throws(TintypeError) in
                let reader = try HEIFCodedReader(ISOFile(bytes: raw))
                return (try reader.coded(reader.primaryItem), try reader.alphaItem.map(reader.coded))
            }
        } catch {
            guard error.code != .encodeFailed else { throw error }
            throw .unexpectedStill("the items cannot be read", underlying: error)
        }
    }
}

/// Follows the references between the items of a still HEIC.
private struct HEIFCodedReader {
    let primaryItem: Int
    private let file: ISOFile
    private let items: ISOItems
    private let properties: HEIFProperties
    private let references: [ISOFile.Reference]

    init(_ file: ISOFile) throws(TintypeError) {
        self.file = file
        let meta = try file.itemMetaBox()
        primaryItem = try file.primaryItem(meta)
        items = try ISOItems(file, meta)
        properties = try HEIFProperties(file, meta)
        references = try file.references(in: meta)
    }

    /// The alpha of the primary item, the only auxiliary image that libheif writes.
    var alphaItem: Int? {
        references.first { $0.kind == "auxl" && $0.to.contains(primaryItem) }?.from
    }

    /// Returns the coded image of an item. libheif 1.15 crops it by a grid of one tile, later versions by a property.
    func coded(_ item: Int) throws(TintypeError) -> HEIFCodedStill.Coded {
        let tiles = references.first { $0.kind == "dimg" && $0.from == item }?.to ?? [item]
        guard tiles.count == 1, let coded = items.all.first(where: { $0.identifier == tiles[0] }),
            coded.kind == "hvc1", coded.extents.count == 1,
            let configuration = properties.property("hvcC", of: coded.identifier)?.body,
            let extents = properties.property("ispe", of: coded.identifier)?.fullBody
        else { throw .unexpectedStill("item \(item) is not one image that is coded with HEVC") }
        let size = PixelSize(
            width: try file.number(at: extents.lowerBound, in: extents),
            height: try file.number(at: extents.lowerBound + 4, in: extents))
        return HEIFCodedStill.Coded(
            sample: coded.extents[0],
            parameters: HEIFCodedStill.Parameters(configuration: [UInt8](file.bytes[configuration]), size: size))
    }
}

extension TintypeError {
    /// Returns the error for a still image of libheif that is not built as expected.
    ///
    /// - Parameter reason: What is wrong in the image.
    static func unexpectedStill(_ reason: String, underlying: (any Error)? = nil) -> TintypeError {
        TintypeError(
            .encodeFailed, stage: .encode, "cannot encode a HEIC sequence: in an image of libheif, \(reason)",
            underlying: underlying)
    }
}
