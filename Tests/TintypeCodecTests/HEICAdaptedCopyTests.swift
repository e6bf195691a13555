import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// HEIC files that libheif 1.15 alone refuses, because an auxiliary image, a thumbnail or metadata belong to several
/// items.
@Suite struct HEICAdaptedCopyTests {
    private static let exif = Data("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{1}\0\0\0\0\0\0".utf8)

    /// An image, its gain map, which is hidden, the tone-mapped image, Exif data, and references as iOS 18 writes them.
    private static func builder() throws -> HEICBuilder {
        let image = HEICBuilder.Item(data: Data([0, 0, 0, 0]))
        let map = HEICBuilder.Item(data: Data([0, 0, 0, 0]), isHidden: true)
        let toneMap = HEICBuilder.Item(kind: "tmap", data: Data(count: 62))
        return HEICBuilder(
            items: [image, map, toneMap, HEICBuilder.exif(exif)],
            references: [("dimg", 3, [1, 2]), ("auxl", 2, [1, 3]), ("cdsc", 4, [3, 1])])
    }

    /// The references and the primary item of a file, and whether its second item is hidden.
    private struct Contents {
        var references: [ISOFile.Reference] = []
        var primary = 0
        var isHidden = false

        init(_ raw: UnsafeRawBufferPointer) throws {
            let file = ISOFile(bytes: raw)
            let meta = try file.itemMetaBox()
            references = try file.references(in: meta)
            primary = try file.primaryItem(meta)
            let entry = try #require(try ISOItems.entries(file, meta)[2])
            isHidden = raw[entry.body.lowerBound + 3] & 1 == 1
        }
    }

    /// Returns the contents of a file's copy, which has the same size and the same items; `nil` if none is needed.
    private func adaptedContents(_ data: Data, showing item: Int? = nil) throws -> Contents? {
        try data.withUnsafeBytes { raw in
            guard let adapted = try HEIFAdaptedCopy.ifNeeded(raw, showing: item) else { return nil }
            let (file, copy) = (ISOFile(bytes: raw), ISOFile(bytes: adapted.bytes))
            #expect(copy.bytes.count == raw.count)
            let items = try ISOItems(copy, copy.itemMetaBox()).all
            let own = try ISOItems(file, file.itemMetaBox()).all
            #expect(items.map(\.extents) == own.map(\.extents) && items.map(\.kind) == own.map(\.kind))
            return try Contents(adapted.bytes)
        }
    }

    @Test(arguments: [false, true]) func referencesToSeveralItemsBecomeReferencesToOne(_ areLong: Bool) throws {
        var builder = try Self.builder()
        builder.hasLongReferences = areLong
        let contents = try #require(try adaptedContents(builder.file))
        let expected = [("auxl", 2, [1]), ("cdsc", 4, [1])] as [(String, Int, [Int])]
        #expect(contents.references == expected.map { ISOFile.Reference(kind: $0.0, from: $0.1, to: $0.2) })
        #expect(contents.primary == 1 && contents.isHidden)
    }

    @Test func aFileThatServesIsNotCopied() throws {
        var builder = try Self.builder()
        builder.references = [("dimg", 3, [1, 2]), ("auxl", 2, [1]), ("cdsc", 4, [1])]
        #expect(try adaptedContents(builder.file) == nil)
    }

    @Test func anotherItemIsShown() throws {
        var builder = try Self.builder()
        builder.references[2].to = [1, 2]
        let contents = try #require(try adaptedContents(builder.file, showing: 2))
        #expect(contents.primary == 2 && !contents.isHidden)
        #expect(contents.references.map(\.to) == [[1], [2]])
        expectError(.undecodable) { try adaptedContents(builder.file, showing: 9) }
        expectError(.undecodable) { try adaptedContents(builder.file, showing: 65_538) }
    }

    /// A reference that is two bytes shorter leaves no room for the box that would have to follow.
    @Test func referencesThatLeaveNoRoomStay() throws {
        var builder = try Self.builder()
        builder.references = [("cdsc", 4, [1, 2])]
        #expect(try adaptedContents(builder.file) == nil)
        expectError(.undecodable) { try adaptedContents(builder.file, showing: 2) }
        // Two of them leave enough.
        builder.references = [("cdsc", 4, [1, 2, 3]), ("thmb", 2, [1, 3, 3])]
        #expect(try adaptedContents(builder.file)?.references.map(\.to) == [[1], [1]])
    }

    @Test func anImageWhoseMetadataBelongToSeveralItemsIsRead() throws {
        let size = PixelSize(width: 128, height: 64)
        var builder = try Self.builder()
        builder.items[0] = try HEICBuilder.grey(188, size)
        builder.items[1] = try HEICBuilder.image(of: FixtureManifest.named("grey.heic").data)
        builder.items[1].properties.append(HEICBuilder.auxiliaryType("urn:com:apple:photo:2020:aux:hdrgainmap"))
        #expect(try HEIFDecoder().info(of: builder.file, isComplete: true)?.size == size)
        let context = DecodeContext(options: DecodeOptions(keepsExif: true))
        let image = try HEIFDecoder().decode(builder.file, context: context)
        #expect(image.highRange == nil && image.size == size)
        #expect(abs(Int(image.pixels[9, 9].red) - 188) < 4)
        #expect(image.exif?.bytes == Self.exif)
    }
}
