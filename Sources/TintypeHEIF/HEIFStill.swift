import Foundation
import TintypeCore

/// A still image of HEVC whose chroma has fewer samples than pixels: one coded image or a grid of them
/// (ISO/IEC 23008-12, 6.6.2.3), and its alpha.
///
/// libheif 1.15 takes the nearest sample of chroma for each pixel, and offers no planes. What is described here is
/// decoded with libde265 instead, and its chroma interpolated.
struct HEIFStill {
    /// One coded image.
    struct Tile {
        /// The byte ranges of the parameter sets, one NAL unit each.
        let parameterSets: [Range<Int>]
        /// The size in bytes of the length field before each NAL unit.
        let lengthSize: Int
        /// The ranges that form the coded image when joined.
        let extents: [Range<Int>]
    }

    /// What all tiles of an image have in common.
    struct Layout: Equatable {
        /// The size of a tile as decoded, in pixels.
        let size: PixelSize
        /// The sampling of chroma: 0 for none, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
        let chromaFormat: Int
        /// The matrix coefficients (ITU-T H.273, table 4); `nil` if only the stream tells.
        var matrix: Int?
        /// Whether samples use all values instead of the limited video range; `nil` if only the stream tells.
        var isFullRange: Bool?
    }

    /// An image of one tile or more.
    struct Coded {
        /// Row by row.
        let tiles: [Tile]
        let layout: Layout
        /// Tiles in a row.
        let columns: Int
        /// The size of the image in pixels, at most that of all tiles.
        let size: PixelSize
        /// The part of it that is shown, before rotation.
        let crop: PixelRect
        let orientation: Orientation
    }

    let color: Coded
    /// The transparency, whose size, crop and orientation are those of ``color``. `nil` if the image is opaque.
    let alpha: Coded?

    /// Describes an image.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - item: The number of the image; `nil` for the primary one.
    /// - Returns: `nil` for an image that libheif decodes as well: one of other samples, another composition of items,
    ///   or one that is cropped after it was rotated or between its pixels.
    /// - Throws: `TintypeError.Code.undecodable` for invalid boxes.
    init?(_ bytes: UnsafeRawBufferPointer, item: Int?) throws(TintypeError) {
        let items = try HEIFItems(ISOFile(bytes: bytes))
        let item = item ?? items.primaryItem
        guard let color = try items.coded(item), [1, 2].contains(color.layout.chromaFormat),
            color.layout.matrix.map(Self.isConvertible) ?? true
        else { return nil }
        let alphaItems = try items.alphaItems(of: item)
        guard let alphaItem = alphaItems.first else {
            (self.color, alpha) = (color, nil)
            return
        }
        guard alphaItems.count == 1, let alpha = try items.coded(alphaItem), alpha.size == color.size,
            alpha.crop == color.crop, alpha.orientation == color.orientation
        else { return nil }
        (self.color, self.alpha) = (color, alpha)
    }

    /// Whether ``YCbCrRows`` knows the equations of a matrix (ITU-T H.273, table 4). 2 is unspecified.
    static func isConvertible(matrix: Int) -> Bool { [1, 2, 4, 5, 6, 7, 9, 10].contains(matrix) }
}

extension HEIFItems {
    fileprivate func alphaItems(of item: Int) throws(TintypeError) -> [Int] {
        let alphas = properties.auxiliaryItems(of: HEIFSampleEntry.alphaKinds)
        return references.filter { $0.kind == "auxl" && $0.to.contains(item) && alphas.contains($0.from) }.map(\.from)
    }

    fileprivate func coded(_ item: Int) throws(TintypeError) -> HEIFStill.Coded? {
        switch all[item]?.kind {
        case "hvc1":
            guard let (tile, layout) = try tile(item) else { return nil }
            return try coded(item, [tile], layout, columns: 1, layout.size)
        case "grid":
            guard let grid = try grid(item) else { return nil }
            var (tiles, layout) = ([HEIFStill.Tile](), HEIFStill.Layout?.none)
            for number in inputs(of: item) ?? [] {
                guard let (tile, own) = try self.tile(number), own == layout ?? own, !properties.isTransformed(number)
                else { return nil }
                tiles.append(tile)
                layout = own
            }
            guard let layout, tiles.count == grid.columns * grid.rows, grid.isCovered(by: layout) else { return nil }
            return try coded(item, tiles, layout, columns: grid.columns, grid.size)
        default: return nil
        }
    }

    private func coded(
        _ item: Int, _ tiles: [HEIFStill.Tile], _ layout: HEIFStill.Layout, columns: Int, _ size: PixelSize
    ) throws(TintypeError) -> HEIFStill.Coded? {
        guard let crop = try properties.crop(of: item, size) else { return nil }
        return HEIFStill.Coded(
            tiles: tiles, layout: layout, columns: columns, size: size, crop: crop,
            orientation: properties.orientation(of: item))
    }

    /// Reads the configuration of a coded image (`hvcC`: ISO/IEC 14496-15, 8.3.2.1).
    private func tile(_ item: Int) throws(TintypeError) -> (HEIFStill.Tile, HEIFStill.Layout)? {
        guard let item = all[item], item.kind == "hvc1",
            let body = properties.property("hvcC", of: item.identifier)?.body, body.count > 23,
            let size = try properties.size(of: item.identifier), size.isPositive
        else { return nil }
        func byte(_ offset: Int) -> Int { Int(file.bytes[body.lowerBound + offset]) }
        let tile = HEIFStill.Tile(
            parameterSets: try HEIFSampleEntry.parameterSets(file, body), lengthSize: byte(21) & 3 + 1,
            extents: item.extents)
        var layout = HEIFStill.Layout(size: size, chromaFormat: byte(16) & 3)
        for box in properties.all(of: item.identifier) where box.kind == "colr" && box.body.count >= 11 {
            guard file.bytes[box.body.prefix(4)].elementsEqual("nclx".utf8) else { continue }
            layout.matrix = try file.number(at: box.body.lowerBound + 8, size: 2, in: box.body)
            layout.isFullRange = file.bytes[box.body.lowerBound + 10] & 0x80 != 0
        }
        return (tile, layout)
    }

    /// The layout of a grid of images.
    private struct Grid {
        let (rows, columns): (Int, Int)
        let size: PixelSize

        /// Whether tiles of a layout cover the grid, and samples of chroma no pixels of two tiles.
        func isCovered(by layout: HEIFStill.Layout) -> Bool {
            let tile = layout.size
            let isEven = (columns == 1 || tile.width % 2 == 0) && (rows == 1 || tile.height % 2 == 0)
            return size.isPositive && isEven && columns * tile.width >= size.width && rows * tile.height >= size.height
        }
    }

    private func grid(_ item: Int) throws(TintypeError) -> Grid? {
        guard let extents = all[item]?.extents, extents.count == 1, extents[0].count >= 8 else { return nil }
        let part = extents[0]
        func number(_ offset: Int, _ size: Int) throws(TintypeError) -> Int {
            try file.number(at: part.lowerBound + offset, size: size, in: part)
        }
        let length = try number(1, 1) & 1 == 1 ? 4 : 2
        return Grid(
            rows: try number(2, 1) + 1, columns: try number(3, 1) + 1,
            size: PixelSize(width: try number(4, length), height: try number(4 + length, length)))
    }
}
