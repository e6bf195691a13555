import Foundation
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
        #expect(throws: TintypeError.self) { try decoder.decode(data, context: DecodeContext()) }
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

    @Test func alphaThatIsNotHEVCIsRefused() throws {
        let data = try recoded(alphaFile(), item: 2)
        #expect(error(data)?.message.contains("not coded with HEVC alone") == true)
    }

    @Test func anImageThatIsNotHEVCIsRefused() throws {
        let data = try recoded(alphaFile(), item: 1)
        #expect(error(data)?.message.contains("not coded with HEVC alone") == true)
    }

    /// The primary item is the second one, which is derived from the first.
    @Test func theInputsOfADerivedImageMustBeHEVC() throws {
        let pointer = Data("pitm".utf8) + Data([0, 0, 0, 0, 0])
        var data = try alphaFile().replacing("hvc1", "iden", at: 1).replacing("auxl", "dimg")
        data[try #require(data.firstRange(of: pointer)).upperBound] = 2
        #expect(try decode(data).size == decode(alphaFile()).size)
        data = try data.replacing("hvc1", "av01").replacing("hvcC", "av1C")
        #expect(error(data)?.message.contains("not coded with HEVC alone") == true)
    }

    @Test(arguments: [false, true]) func aThumbnailThatIsNotHEVCIsSkipped(_ isOther: Bool) throws {
        var data = try alphaFile().replacing("auxl", "thmb")
        let half = try #require(data.ranges(of: Data("ispe".utf8)).last).upperBound + 4
        data.setNumber(data.number(at: half) / 2, at: half)
        data.setNumber(data.number(at: half + 4) / 2, at: half + 4)
        if isOther { data = try recoded(data, item: 2) }
        try data.withUnsafeBytes { raw in
            let dependencies = try HEIFCodedImages.check(raw, limits: DecodeLimits())
            let reader = try HEIFReader(raw, DecodeLimits())
            let size = PixelSize(width: 1, height: 1)
            // It is coded with more than one pixel.
            for (maxPixels, isFound) in [(Int.max, !isOther), (1, false)] {
                let hasThumbnail = reader.thumbnail(atLeast: size, maxPixels: maxPixels, dependencies) != nil
                #expect(hasThumbnail == isFound)
            }
        }
    }

    // MARK: Dependencies

    /// The dependencies of a file with items of these types, numbered from 1. `alphas` are marked as alpha.
    private func dependencies(
        _ kinds: [String], _ references: [(kind: String, from: Int, to: [Int])], alphas: [Int] = [],
        minimumPixels: Int = 0
    ) throws -> HEIFDependencies {
        let auxiliary = Data.box("auxC", Data(count: 4) + Data("urn:mpeg:hevc:2015:auxid:1\0".utf8))
        let own = alphas.map { Data([0, UInt8($0), 1, 1]) }.reduce(Data(), +)
        let associations = Data.box("ipma", Data(count: 4) + PNGBuilder.bigEndian(UInt32(alphas.count)) + own)
        let properties = Data.box("iprp", Data.box("ipco", auxiliary) + associations)
        let data = properties + Data.references(references)
        let named = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($0.offset + 1, $0.element) })
        return try data.withUnsafeBytes {
            try HEIFDependencies(
                ISOFile(bytes: $0), 0..<data.count, named, DecodeLimits(), minimumPixels: minimumPixels)
        }
    }

    @Test func derivedImagesAreFollowedToTheirInputs() throws {
        let kinds = ["grid", "iovl", "hvc1", "av01", "hvc1"]
        #expect(try dependencies(kinds, [("dimg", 1, [2, 3]), ("dimg", 2, [5])]).isSafe(1))
        #expect(try !dependencies(kinds, [("dimg", 1, [2, 3]), ("dimg", 2, [5, 4])]).isSafe(1))
        // A missing item is not safe.
        #expect(try !dependencies(kinds, [("dimg", 1, [9])]).isSafe(1))
        #expect(try !dependencies(["jpeg"], []).isSafe(1))
    }

    /// libheif would recurse until its stack or memory is exhausted, or forever.
    @Test func cyclesAndExcessiveDependenciesAreRefused() throws {
        #expect(try !dependencies(["iden"], [("dimg", 1, [1])]).isSafe(1))
        #expect(try !dependencies(["grid", "iovl"], [("dimg", 1, [2]), ("dimg", 2, [1])]).isSafe(1))
        let alphas = [(kind: "auxl", from: 2, to: [1]), (kind: "auxl", from: 1, to: [2])]
        #expect(try !dependencies(["hvc1", "hvc1"], alphas, alphas: [1, 2]).isSafe(1))
        let chain = (1...5).map { (kind: "dimg", from: $0, to: [$0 + 1]) }
        #expect(try !dependencies([String](repeating: "iden", count: 5) + ["hvc1"], chain).isSafe(1))
        let doubling = (1...3).map { (kind: "dimg", from: $0, to: [$0 + 1, $0 + 1]) }
        #expect(try !dependencies([String](repeating: "iovl", count: 3) + ["hvc1"], doubling).isSafe(1))
        let tiles = [(kind: "dimg", from: 1, to: [Int](repeating: 2, count: 16_384))]
        #expect(try dependencies(["grid", "hvc1"], tiles).isSafe(1))
        #expect(try !dependencies(["grid", "hvc1"], tiles + [("dimg", 1, [2])]).isSafe(1))
        // Four times the pixel limit, and a million.
        let most = HEIFDependencies.maxPixels(DecodeLimits())
        #expect(try dependencies(["hvc1"], [], minimumPixels: most).isSafe(1))
        #expect(try !dependencies(["grid", "hvc1"], [("dimg", 1, [2, 2])], minimumPixels: most / 2 + 1).isSafe(1))
    }

    /// The check runs before libheif, whose stack would overflow.
    @Test func anImageDerivedFromItselfIsRefused() throws {
        let pointer = Data("pitm".utf8) + Data([0, 0, 0, 0, 0])
        var data = try alphaFile().replacing("hvc1", "iden", at: 1).replacing("auxl", "dimg")
        data[try #require(data.firstRange(of: pointer)).upperBound] = 2
        // Redirects the reference from item 2 to itself.
        let target = try #require(data.firstRange(of: Data("dimg".utf8) + Data([0, 2, 0, 1, 0]))).upperBound
        data[target] = 2
        #expect(error(data)?.message.contains("has too many parts") == true)
        #expect(throws: TintypeError.self) { try decoder.info(of: data, isComplete: true) }
    }

    @Test func onlyAuxiliaryImagesThatAreAlphaAreFollowed() throws {
        let references = [(kind: "auxl", from: 2, to: [1])]
        #expect(try dependencies(["hvc1", "av01"], references).isSafe(1))
        #expect(try !dependencies(["hvc1", "av01"], references, alphas: [2]).isSafe(1))
        #expect(try !dependencies(["hvc1", "grid", "av01"], references + [("dimg", 2, [3])], alphas: [2]).isSafe(1))
        #expect(try dependencies(["hvc1", "hvc1"], references, alphas: [2]).isSafe(1))
        #expect(try dependencies(["hvc1", "av01"], [("thmb", 2, [1])], alphas: [2]).isSafe(1))
    }

    /// libheif ignores the size of a reference and would read other references in the rest of it.
    @Test func aReferenceWhoseSizeDiffersFromItsContentsIsRefused() throws {
        for extra in [1, 2, 40] {
            let reference = Data.box("dimg", Data([0, 1, 0, 1, 0, 2]) + Data(count: extra))
            let data = Data.box("iref", Data(count: 4) + reference)
            #expect(throws: TintypeError.self) {
                try data.withUnsafeBytes { try ISOFile(bytes: $0).references(in: 0..<data.count) }
            }
        }
    }

    @Test func listEntriesAreBounded() throws {
        let many = [(kind: "dimg", from: 1, to: [Int](repeating: 1, count: 60_000))]
        #expect(throws: Never.self) { try dependencies(["grid"], many) }
        #expect(throws: TintypeError.self) { try dependencies(["grid"], many + many) }
        #expect(throws: TintypeError.self) {
            try dependencies(["hvc1"], [], alphas: [Int](repeating: 1, count: 60_000))
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
        let tooLarge = #expect(throws: TintypeError.self) {
            try moved.withUnsafeBytes { try HEIFCodedImages.check($0, limits: DecodeLimits(pixels: 0)) }
        }
        #expect(tooLarge?.limit == .pixels)
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
            #expect(throws: TintypeError.self) {
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

    fileprivate static func references(_ all: [(kind: String, from: Int, to: [Int])]) -> Data {
        func short(_ number: Int) -> Data { Data([UInt8(number >> 8), UInt8(number & 255)]) }
        let boxes = all.map { box($0.kind, short($0.from) + short($0.to.count) + $0.to.map(short).joined()) }
        return box("iref", Data(count: 4) + boxes.joined())
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
