import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// Writes still HEIC files with any items and references (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12).
struct HEICBuilder {
    struct Item {
        /// The item type, four letters.
        var kind = "hvc1"
        var data = Data()
        /// Boxes.
        var properties: [Data] = []
        var isHidden = false
        /// The parts of `data` that form the item when joined; `nil` for all in one.
        var extents: [Range<Int>]?
    }

    /// The items, numbered from 1. The first is the primary one.
    var items: [Item] = []
    var references: [(kind: String, from: Int, to: [Int])] = []
    /// Whether references have numbers of four bytes.
    var hasLongReferences = false

    // MARK: Items

    /// Returns the image of a file with one.
    static func image(of file: Data) throws -> Item {
        try file.withUnsafeBytes { raw in
            let file = ISOFile(bytes: raw)
            let meta = try file.itemMetaBox()
            let image = try #require(try ISOItems(file, meta).all.first { $0.kind == "hvc1" })
            let container = try file.requiredBox("ipco", in: file.requiredBox("iprp", in: meta).body).body
            let properties = try ["hvcC", "ispe"].map { kind in
                box(kind, Data(raw[try file.requiredBox(kind, in: container).body]))
            }
            let data = image.extents.reduce(into: Data()) { $0.append(contentsOf: raw[$1]) }
            return Item(data: data, properties: properties)
        }
    }

    /// Returns an image of one grey.
    static func grey(_ level: UInt8, _ size: PixelSize) throws -> Item {
        let pixels = try PixelBuffer.filled(Pixel(red: level, green: level, blue: level), size: size)
        return try image(of: HEIFEncoder().encode(pixels, as: .heic, options: EncodeOptions(quality: 0.95)))
    }

    static func exif(_ exif: Data) -> Item { Item(kind: "Exif", data: Data(count: 4) + exif) }

    static func xmp(_ properties: String) -> Item {
        Item(
            kind: "mime",
            data: Data("<rdf:RDF><rdf:Description \(properties)></rdf:Description></rdf:RDF>".utf8))
    }

    // MARK: Properties

    static func auxiliaryType(_ type: String) -> Data { box("auxC", Data(count: 4) + Data("\(type)\0".utf8)) }

    static func size(_ size: PixelSize) -> Data { box("ispe", Data(count: 4) + long(size.width) + long(size.height)) }

    /// Turns an image counterclockwise.
    static func rotation(quarterTurns: UInt8) -> Data { box("irot", Data([quarterTurns])) }

    /// Shows the middle of an image.
    static func cleanAperture(_ size: PixelSize) -> Data {
        box("clap", [size.width, 1, size.height, 1, 0, 1, 0, 1].reduce(Data()) { $0 + long($1) })
    }

    // MARK: Boxes

    var file: Data {
        let type = Self.box("ftyp", Data("heic\0\0\0\0mif1heic".utf8))
        // The second time with the right offsets, which do not change the size.
        let length = type.count + meta(from: 0).count + 8
        return type + meta(from: length) + Self.box("mdat", Data(items.map(\.data).joined()))
    }

    private func meta(from start: Int) -> Data {
        let handler = Self.box("hdlr", Data(count: 8) + Data("pict".utf8) + Data(count: 13))
        let pointer = Self.box("pitm", Data(count: 4) + Self.short(1))
        let list = Self.box("iinf", Data(count: 4) + Self.short(items.count) + entries.joined())
        let all = items.flatMap(\.properties)
        let properties = Self.box("iprp", Self.box("ipco", Data(all.joined())) + associations)
        let boxes = [Data(count: 4), handler, pointer, list, properties, links, locations(from: start)]
        return Self.box("meta", Data(boxes.joined()))
    }

    private var entries: [Data] {
        items.enumerated().map { index, item in
            let content = item.kind == "mime" ? "\0application/rdf+xml\0" : "\0"
            let flags = Data([2, 0, 0, item.isHidden ? 1 : 0])
            let fields = [flags, Self.short(index + 1), Self.short(0), Data(item.kind.utf8), Data(content.utf8)]
            return Self.box("infe", Data(fields.joined()))
        }
    }

    private var associations: Data {
        var (body, next) = (Data(count: 4) + Self.long(items.count), UInt8(1))
        for (index, item) in items.enumerated() {
            body += Self.short(index + 1) + Data([UInt8(item.properties.count)])
            for _ in item.properties {
                body.append(next)
                next += 1
            }
        }
        return Self.box("ipma", body)
    }

    private var links: Data {
        let number = hasLongReferences ? Self.long : Self.short
        let boxes = references.map { reference in
            let targets = Data(reference.to.map(number).joined())
            return Self.box(reference.kind, number(reference.from) + Self.short(reference.to.count) + targets)
        }
        return Self.box("iref", Data([hasLongReferences ? 1 : 0, 0, 0, 0]) + boxes.joined())
    }

    private func locations(from start: Int) -> Data {
        var (body, offset) = (Data([0, 0, 0, 0, 0x44, 0]) + Self.short(items.count), start)
        for (index, item) in items.enumerated() {
            let extents = item.extents ?? [0..<item.data.count]
            for number in [index + 1, 0, extents.count] { body += Self.short(number) }
            for extent in extents {
                for number in [offset + extent.lowerBound, extent.count] { body += Self.long(number) }
            }
            offset += item.data.count
        }
        return Self.box("iloc", body)
    }

    private static func box(_ kind: String, _ body: Data) -> Data { long(body.count + 8) + Data(kind.utf8) + body }

    private static func short(_ number: Int) -> Data { Data([UInt8(number >> 8 & 255), UInt8(number & 255)]) }

    private static func long(_ number: Int) -> Data { PNGBuilder.bigEndian(UInt32(number)) }
}
