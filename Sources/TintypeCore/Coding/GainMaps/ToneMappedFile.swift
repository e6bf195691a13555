package import Foundation

/// Joins a still image and its gain map, two HEIC or AVIF files, into one with a tone-mapped image (`tmap`: ISO/IEC
/// 23008-12, amendment 1; ISO 21496-1).
///
/// The still image stays the primary one, so that every program shows it. The map is hidden, and both are the inputs of
/// the tone-mapped image, which is the preferred alternative (`altr`) of programs that know it.
package struct ToneMappedFile {
    private var items: [Item] = []
    private var properties: [Data] = []
    private var references: [ISOItemReference] = []
    private let primary: Int
    private let map: Int
    private let size: PixelSize
    private let parameters: WrittenGainMap
    private let type: Data
    private let handler: Data

    private struct Item {
        var identifier: Int
        let kind: String
        /// The entry after the number of the item and its protection: type, name and more.
        let entry: Data
        var isHidden: Bool
        let data: Data
        /// Indices into the properties, and whether each is essential.
        var properties: [(index: Int, isEssential: Bool)] = []
    }

    /// Joins two files that one of Tintype's encoders has written.
    ///
    /// - Parameters:
    ///   - base: The still image.
    ///   - map: The map.
    ///   - parameters: The meaning of the map.
    ///   - size: The size of the still image in pixels.
    /// - Throws: ``TintypeError/Code/encodeFailed`` if a file is not built as expected.
    package init(
        base: Data, map: Data, _ parameters: WrittenGainMap, size: PixelSize
    ) throws(TintypeError) {
        do throws(TintypeError) {
            let (image, gains) = (try ISOStill(base), try ISOStill(map))
            let shift = image.items.map(\.identifier).max() ?? 0
            (primary, self.map) = (image.primary, gains.primary + shift)
            (self.size, self.parameters, type, handler) = (size, parameters, image.type, image.handler)
            add(image, shift: 0)
            add(gains, shift: shift)
        } catch {
            throw TintypeError(
                .encodeFailed, stage: .encode, "cannot add a gain map: \(error.message)", underlying: error)
        }
    }

    private mutating func add(_ still: ISOStill, shift: Int) {
        let first = properties.count
        properties += still.properties
        for item in still.items {
            items.append(
                Item(
                    identifier: item.identifier + shift, kind: item.kind, entry: item.entry,
                    isHidden: item.isHidden || shift > 0, data: item.data,
                    properties: item.properties.map { ($0.index + first, $0.isEssential) }))
        }
        references += still.references.map {
            ISOItemReference(kind: $0.kind, from: $0.from + shift, to: $0.to.map { $0 + shift })
        }
    }

    /// The file.
    package var data: Data {
        var all = items
        let toneMapped = (items.map(\.identifier).max() ?? 0) + 1
        // A version, and the same parameters as in a JPEG.
        var image = Item(
            identifier: toneMapped, kind: "tmap", entry: Data("tmap\0".utf8), isHidden: false,
            data: Data([0]) + parameters.binary)
        image.properties = (properties.count..<properties.count + 3).map { ($0, false) }
        all.append(image)
        let links = references + [ISOItemReference(kind: "dimg", from: toneMapped, to: [primary, map])]
        let media = all.reduce(into: Data()) { $0 += $1.data }
        // The boxes before the media are as long with other offsets.
        let length = meta(all, links, toneMapped, mediaOffset: 0).count
        let start = type.count + length + 8
        return type + meta(all, links, toneMapped, mediaOffset: start) + .isoBox("mdat", media)
    }

    private func meta(_ all: [Item], _ links: [ISOItemReference], _ toneMapped: Int, mediaOffset: Int) -> Data {
        var location = Data.bigEndian([0x4400, all.count], size: 2)
        var offset = mediaOffset
        for item in all {
            // The number, the file itself, and one extent.
            location += Data.bigEndian([item.identifier, 0, 1], size: 2)
            location += Data.bigEndian([offset, item.data.count])
            offset += item.data.count
        }
        let entries = all.map { item -> Data in
            let number = Data.bigEndian([item.identifier, 0], size: 2)
            return Data.isoBox("infe", version: 2, flags: item.isHidden ? 1 : 0, number + item.entry)
        }
        let group = Data.bigEndian([toneMapped + 1, 2, toneMapped, primary])
        let boxes: [Data] = [
            handler,
            Data.isoBox("pitm", version: 0, flags: 0, Data.bigEndian([primary], size: 2)),
            Data.isoBox("iloc", version: 0, flags: 0, location),
            Data.isoBox("iinf", version: 0, flags: 0, Data.bigEndian([all.count], size: 2) + entries.joinedData),
            Data.isoBox("iref", version: 0, flags: 0, links.map(\.box).joinedData),
            Data.isoBox("iprp", Data.isoBox("ipco", toneMappedProperties) + associations(all)),
            Data.isoBox("grpl", Data.isoBox("altr", version: 0, flags: 0, group)),
        ]
        return Data.isoBox("meta", version: 0, flags: 0, boxes.joinedData)
    }

    /// The properties of both files, and those of the tone-mapped image: its size, ten bits, and its colours, PQ with
    /// the primaries of sRGB.
    private var toneMappedProperties: Data {
        let colors = Data("nclx".utf8) + Data.bigEndian([1, 16, 6], size: 2) + Data([0x80])
        let own: [Data] = [
            Data.isoBox("ispe", version: 0, flags: 0, Data.bigEndian([size.width, size.height])),
            Data.isoBox("pixi", version: 0, flags: 0, Data([3, 10, 10, 10])),
            Data.isoBox("colr", colors),
        ]
        return (properties + own).joinedData
    }

    private func associations(_ all: [Item]) -> Data {
        let list = all.filter { !$0.properties.isEmpty }
        var body = Data.bigEndian([list.count])
        for item in list {
            body += Data.bigEndian([item.identifier], size: 2) + Data([UInt8(clamping: item.properties.count)])
            for property in item.properties {
                body += Data.bigEndian([(property.isEssential ? 0x8000 : 0) | (property.index + 1)], size: 2)
            }
        }
        return .isoBox("ipma", version: 0, flags: 1, body)
    }
}

extension [Data] {
    fileprivate var joinedData: Data { reduce(into: Data()) { $0.append($1) } }
}

extension Data {
    /// Returns a box (ISO/IEC 14496-12, 4.2).
    static func isoBox(_ kind: String, _ contents: Data) -> Data {
        bigEndian([contents.count + 8]) + Data(kind.utf8) + contents
    }

    /// Returns a box whose contents begin with a version and flags.
    static func isoBox(_ kind: String, version: Int, flags: Int, _ contents: Data) -> Data {
        isoBox(kind, bigEndian([version << 24 | flags]) + contents)
    }

    /// Returns numbers, the most significant byte first.
    static func bigEndian(_ numbers: [Int], size: Int = 4) -> Data {
        numbers.reduce(into: Data()) { $0.append(bigEndian: $1, size) }
    }
}
