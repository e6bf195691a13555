import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeHEIF

/// HEIC files whose shown image depends on other items, or that have other items too.
@Suite struct HEICDependencyTests {
    private let decoder = HEIFDecoder()

    /// An image, item 1, and its alpha, item 2, each with its own decoder configuration.
    private func alphaFile() throws -> Data { try FixtureManifest.named("alpha.heic").data }

    private func decode(_ data: Data) throws(TintypeError) -> Image {
        try decoder.decode(data, context: DecodeContext())
    }

    private func error(_ data: Data) -> TintypeError? {
        expectError(.undecodable) { try decoder.decode(data, context: DecodeContext()) }
    }

    private static let gainMap = ("auxid:1", "auxid:9")

    // MARK: Items that are not HEVC

    /// Changes the type of an item from HEVC to AV1.
    private func recoded(_ data: Data, item: Int) throws -> Data {
        try data.replacing("hvc1", "av01", at: item - 1).replacing("hvcC", "av1C", at: item - 1)
    }

    @Test func anUnrelatedItemIsNotDecoded() throws {
        let data = try alphaFile().replacing(Self.gainMap.0, Self.gainMap.1)
        let expected = try decode(data)
        let image = try decode(recoded(data, item: 2))
        #expect(!image.info.hasAlpha && image.size == expected.size)
        #expect(PixelDifference(between: image.pixels, and: expected.pixels)?.maximum == 0)
    }

    /// It is coded as something else than it states, or with another size.
    @Test(arguments: [false, true]) func insteadOfAThumbnailThatIsDamagedTheImageIsDecoded(_ isOther: Bool) throws {
        var data = try alphaFile().replacing("auxl", "thmb")
        let half = try #require(data.ranges(of: Data("ispe".utf8)).last).upperBound + 4
        data.setNumber(data.number(at: half) / 2, at: half)
        data.setNumber(data.number(at: half + 4) / 2, at: half + 4)
        if isOther { data = try recoded(data, item: 2) }
        let hasThumbnail = try data.withUnsafeBytes { raw in
            try HEIFReader(raw, DecodeLimits()).thumbnail(atLeast: PixelSize(width: 1, height: 1)) != nil
        }
        #expect(hasThumbnail)
        var options = DecodeOptions(size: .fit(PixelSize(width: 8, height: 8)))
        let expected = try decoder.decode(data, context: DecodeContext(options: options))
        options.embeddedThumbnail = .whereLargeEnough
        let image = try decoder.decode(data, context: DecodeContext(options: options))
        #expect(PixelDifference(between: image.pixels, and: expected.pixels)?.maximum == 0)
    }

    // MARK: Dependencies

    /// libheif ignores the size of a reference and would read other references in the rest of it.
    @Test func aReferenceWhoseSizeDiffersFromItsContentsIsRefused() throws {
        for extra in [1, 2, 40] {
            let reference = Data.box("dimg", Data([0, 1, 0, 1, 0, 2]) + Data(count: extra))
            let data = Data.box("iref", Data(count: 4) + reference)
            expectError(.undecodable) {
                try data.withUnsafeBytes { try ISOFile(bytes: $0).references(in: 0..<data.count) }
            }
        }
    }

    // MARK: The meta box

    private static let emptyMeta = Data.box("meta", Data(count: 4) + Data.box("free", Data(count: 8)))

    /// A meta box without items precedes the real one; item locations are moved accordingly.
    @Test(arguments: ["alpha.heic", "orientation-6.heic"]) func aMetaBoxWithoutItemsIsSkipped(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let expected = try decode(data)
        let meta = try #require(data.firstRange(of: Data("meta".utf8))).lowerBound - 4
        var moved = data
        moved.insert(contentsOf: Self.emptyMeta, at: meta)
        try moved.moveItems(by: Self.emptyMeta.count)
        let image = try decode(moved)
        #expect(PixelDifference(between: image.pixels, and: expected.pixels)?.maximum == 0)
        #expect(image.info.orientation == expected.info.orientation)
    }

    /// Readers disagree about which of two meta boxes counts.
    @Test func twoMetaBoxesWithItemsAreRefused() throws {
        let data = try alphaFile()
        let start = try #require(data.firstRange(of: Data("meta".utf8))).lowerBound - 4
        let meta = data[start..<start + data.number(at: start)]
        #expect(error(data + meta)?.message == TintypeError.suspectStructure.message)
        // libheif takes the last meta box, which has no items.
        #expect(error(data + Self.emptyMeta)?.code == .undecodable)
    }

    // MARK: Parameter sets

    @Test func emptyUnitsOfAConfigurationAreSkipped() throws {
        let body = Data(count: 22) + Data([1, 0x21, 0, 3, 0, 0, 0, 2, 7, 8, 0, 0])
        let sets = try body.withUnsafeBytes { try HEIFSampleEntry.parameterSets(ISOFile(bytes: $0), 0..<body.count) }
        #expect(sets == [30..<32])
        for count in 23..<body.count {
            expectError(.undecodable) {
                try body.prefix(count).withUnsafeBytes {
                    try HEIFSampleEntry.parameterSets(ISOFile(bytes: $0), 0..<count)
                }
            }
        }
    }
}

extension Data {
    fileprivate static func box(_ kind: String, _ body: Data) -> Data {
        PNGBuilder.bigEndian(UInt32(body.count + 8)) + Data(kind.utf8) + body
    }

    /// Replaces one occurrence of `letters` by others of the same length.
    fileprivate func replacing(_ letters: String, _ others: String, at index: Int = 0) throws -> Data {
        let all = ranges(of: Data(letters.utf8))
        try #require(all.indices.contains(index) && letters.utf8.count == others.utf8.count)
        var copy = self
        copy.replaceSubrange(all[index], with: Data(others.utf8))
        return copy
    }

    /// Moves the locations of all items, except those in the item data box.
    fileprivate mutating func moveItems(by count: Int) throws {
        let start = try #require(firstRange(of: Data("iloc".utf8))).upperBound
        // libheif writes four bytes for offsets, lengths and base offsets.
        try #require(self[start] < 2 && self[start + 4] == 0x44 && self[start + 5] == 0x40)
        let hasKinds = self[start] == 1
        var entry = start + 8
        for _ in 0..<Int(self[start + 7]) {
            let isInBox = hasKinds && self[entry + 3] == 1
            entry += hasKinds ? 10 : 8
            let pieces = Int(self[entry + 1])
            for piece in 0..<pieces where !isInBox {
                let offset = entry + 2 + 8 * piece
                setNumber(number(at: offset) + count, at: offset)
            }
            entry += 2 + 8 * pieces
        }
    }
}
