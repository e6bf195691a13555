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
    /// - Throws: `TintypeError.Code.encodeFailed` if the file is not built as expected.
    init(_ file: Data) throws(TintypeError) {
        do throws(TintypeError) {
            (color, alpha) = try file.withTypedBytes { raw throws(TintypeError) in
                let items = try HEIFItems(ISOFile(bytes: raw))
                return (try items.coded(items.primaryItem), try items.alphaItem.map(items.coded))
            }
        } catch {
            guard error.code != .encodeFailed else { throw error }
            throw .unexpectedStill("the items cannot be read", underlying: error)
        }
    }
}

extension HEIFItems {
    /// The alpha of the primary item, the only auxiliary image that libheif writes.
    fileprivate var alphaItem: Int? {
        references.first { $0.kind == "auxl" && $0.to.contains(primaryItem) }?.from
    }

    /// Returns the coded image of an item. libheif 1.15 crops it by a grid of one tile, later versions by a property.
    fileprivate func coded(_ item: Int) throws(TintypeError) -> HEIFCodedStill.Coded {
        let tiles = inputs(of: item) ?? [item]
        guard tiles.count == 1, let coded = all[tiles[0]], coded.kind == "hvc1", coded.extents.count == 1,
            let configuration = properties.property("hvcC", of: coded.identifier)?.body,
            let size = try properties.size(of: coded.identifier)
        else { throw .unexpectedStill("item \(item) is not one image that is coded with HEVC") }
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
