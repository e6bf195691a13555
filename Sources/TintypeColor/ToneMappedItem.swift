import Foundation
package import TintypeCore

/// The gain map that a tone-mapped image of a HEIC or AVIF has as an input (`tmap`: ISO/IEC 23008-12:2022, amendment 1;
/// ISO 21496-1).
package struct ToneMappedItem {
    /// The number of the item that is the map.
    package let map: Int
    package let parameters: GainMapParameters

    /// The number of bytes that the parameters of a tone-mapped image may have. Those of three channels have 142.
    private static let maximumParameterBytes = 4096

    /// Finds the map of the first readable tone-mapped image whose base is an item.
    ///
    /// - Parameters:
    ///   - meta: The body of the `meta` box, after its version.
    ///   - primary: The number of the base.
    /// - Returns: `nil` if there is none.
    /// - Throws: `TintypeError.Code.undecodable` for invalid boxes.
    package init?(
        _ file: ISOFile, _ meta: Range<Int>, of primary: Int, _ references: [ISOFile.Reference]
    ) throws(TintypeError) {
        // By number: a hostile file has thousands of items and of references.
        let images = Dictionary(
            try ISOItems(file, meta).all.filter { $0.kind == "tmap" }.map { ($0.identifier, $0) },
            uniquingKeysWith: { first, _ in first })
        for reference in references where reference.kind == "dimg" {
            guard reference.to.count == 2, reference.to[0] == primary,
                let image = images[reference.from],
                image.extents.reduce(0, { $0 + $1.count }) <= Self.maximumParameterBytes
            else { continue }
            let body = image.extents.reduce(into: Data()) { $0.append(contentsOf: file.bytes[$1]) }
            // A version, and the same parameters as in a JPEG.
            guard body.first == 0, let parameters = GainMapParameters(body.dropFirst()) else { continue }
            (map, self.parameters) = (reference.to[1], parameters)
            return
        }
        return nil
    }
}
