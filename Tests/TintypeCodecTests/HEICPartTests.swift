import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeHEIF

/// HEIC files in which there is more than the picture that is shown, or less.
@Suite struct HEICPartTests {
    private let decoder = HEIFDecoder()

    /// A picture, number 1, and its alpha, number 2, each with a configuration of its own.
    private func alpha() throws -> Data { try FixtureManifest.named("alpha.heic").data }

    private func decode(_ data: Data) throws(TintypeError) -> Image {
        try decoder.decode(data, context: DecodeContext())
    }

    private func error(_ data: Data) -> TintypeError? {
        #expect(throws: TintypeError.self) { try decoder.decode(data, context: DecodeContext()) }
    }

    private static let gainMap = ("auxid:1", "auxid:9")

    // MARK: Pictures that are coded otherwise

    /// The same file, whose item of that number says that it is coded with AV1.
    private func recoded(_ data: Data, item: Int) throws -> Data {
        try data.replacing("hvc1", "av01", at: item - 1).replacing("hvcC", "av1C", at: item - 1)
    }

    @Test func whatStandsBesideThePictureIsNotDecoded() throws {
        let data = try alpha().replacing(Self.gainMap.0, Self.gainMap.1)
        let expected = try decode(data)
        let image = try decode(recoded(data, item: 2))
        #expect(!image.info.hasAlpha && image.size == expected.size)
        #expect(PixelDifference(image.pixels, expected.pixels)?.maximum == 0)
    }

    @Test func alphaThatIsCodedOtherwiseIsNeeded() throws {
        let data = try recoded(alpha(), item: 2)
        #expect(error(data)?.message.contains("not coded with HEVC alone") == true)
    }

    @Test func aPictureThatIsCodedOtherwiseIsRefused() throws {
        let data = try recoded(alpha(), item: 1)
        #expect(error(data)?.message.contains("not coded with HEVC alone") == true)
    }

    /// The second item is the one that is shown, and is made of the first.
    @Test func whatAPictureIsMadeOfIsNeeded() throws {
        let pointer = Data("pitm".utf8) + Data([0, 0, 0, 0, 0])
        var data = try alpha().replacing("hvc1", "iden", at: 1).replacing("auxl", "dimg")
        data[try #require(data.firstRange(of: pointer)).upperBound] = 2
        #expect(try decode(data).size == decode(alpha()).size)
        data = try data.replacing("hvc1", "av01").replacing("hvcC", "av1C")
        #expect(error(data)?.message.contains("not coded with HEVC alone") == true)
    }

    @Test(arguments: [false, true]) func aThumbnailThatIsCodedOtherwiseIsPassedOver(_ isOther: Bool) throws {
        var data = try alpha().replacing("auxl", "thmb")
        let half = try #require(data.ranges(of: Data("ispe".utf8)).last).upperBound + 4
        data.setNumber(data.number(at: half) / 2, at: half)
        data.setNumber(data.number(at: half + 4) / 2, at: half + 4)
        if isOther { data = try recoded(data, item: 2) }
        try data.withUnsafeBytes { raw in
            let dependencies = try HEIFCodedImages.check(raw, limits: DecodeLimits())
            let reader = try HEIFReader(raw, DecodeLimits())
            let isThere = reader.thumbnail(atLeast: PixelSize(width: 1, height: 1), dependencies) != nil
            #expect(isThere != isOther)
        }
    }

    // MARK: What is made of what

    /// The items of a file of these references, each of a kind, from 1; the alphas say so.
    private func parts(
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

    @Test func derivedPicturesAreFollowedToTheirEnds() throws {
        let kinds = ["grid", "iovl", "hvc1", "av01", "hvc1"]
        #expect(try parts(kinds, [("dimg", 1, [2, 3]), ("dimg", 2, [5])]).isSafe(1))
        #expect(try !parts(kinds, [("dimg", 1, [2, 3]), ("dimg", 2, [5, 4])]).isSafe(1))
        // One that is not there is none that is checked.
        #expect(try !parts(kinds, [("dimg", 1, [9])]).isSafe(1))
        #expect(try !parts(["jpeg"], []).isSafe(1))
    }

    /// libheif would follow them until its stack or its memory ends, or for ever.
    @Test func whatIsMadeOfItselfOrOfTooMuchIsRefused() throws {
        #expect(try !parts(["iden"], [("dimg", 1, [1])]).isSafe(1))
        #expect(try !parts(["grid", "iovl"], [("dimg", 1, [2]), ("dimg", 2, [1])]).isSafe(1))
        let alphas = [(kind: "auxl", from: 2, to: [1]), (kind: "auxl", from: 1, to: [2])]
        #expect(try !parts(["hvc1", "hvc1"], alphas, alphas: [1, 2]).isSafe(1))
        let chain = (1...5).map { (kind: "dimg", from: $0, to: [$0 + 1]) }
        #expect(try !parts([String](repeating: "iden", count: 5) + ["hvc1"], chain).isSafe(1))
        let doubling = (1...3).map { (kind: "dimg", from: $0, to: [$0 + 1, $0 + 1]) }
        #expect(try !parts([String](repeating: "iovl", count: 3) + ["hvc1"], doubling).isSafe(1))
        let tiles = [(kind: "dimg", from: 1, to: [Int](repeating: 2, count: 16_384))]
        #expect(try parts(["grid", "hvc1"], tiles).isSafe(1))
        #expect(try !parts(["grid", "hvc1"], tiles + [("dimg", 1, [2])]).isSafe(1))
        // Four times the pixels that are allowed, however many there are.
        let most = HEIFDependencies.maxPixels(DecodeLimits())
        #expect(try parts(["hvc1"], [], minimumPixels: most).isSafe(1))
        #expect(try !parts(["grid", "hvc1"], [("dimg", 1, [2, 2])], minimumPixels: most / 2 + 1).isSafe(1))
    }

    /// A file whose picture is made of itself is refused before libheif sees it, which would overrun its stack.
    @Test func aFileWhosePictureIsMadeOfItselfIsRefused() throws {
        let pointer = Data("pitm".utf8) + Data([0, 0, 0, 0, 0])
        var data = try alpha().replacing("hvc1", "iden", at: 1).replacing("auxl", "dimg")
        data[try #require(data.firstRange(of: pointer)).upperBound] = 2
        // The reference from 2 to 1 becomes one from 2 to 2.
        let target = try #require(data.firstRange(of: Data("dimg".utf8) + Data([0, 2, 0, 1, 0]))).upperBound
        data[target] = 2
        #expect(error(data)?.message.contains("has too many parts") == true)
        #expect(throws: TintypeError.self) { try decoder.info(of: data, isComplete: true) }
    }

    @Test func onlyAlphaIsFollowedFromAPictureToWhatIsBesideIt() throws {
        let references = [(kind: "auxl", from: 2, to: [1])]
        #expect(try parts(["hvc1", "av01"], references).isSafe(1))
        #expect(try !parts(["hvc1", "av01"], references, alphas: [2]).isSafe(1))
        #expect(try !parts(["hvc1", "grid", "av01"], references + [("dimg", 2, [3])], alphas: [2]).isSafe(1))
        #expect(try parts(["hvc1", "hvc1"], references, alphas: [2]).isSafe(1))
        #expect(try parts(["hvc1", "av01"], [("thmb", 2, [1])], alphas: [2]).isSafe(1))
    }

    /// libheif reads what is in a reference, whatever size it says it has, and would see others in the rest.
    @Test func aReferenceOfAnotherSizeThanItsContentsIsRefused() throws {
        for extra in [1, 2, 40] {
            let reference = Data.box("dimg", Data([0, 1, 0, 1, 0, 2]) + Data(count: extra))
            let data = Data.box("iref", Data(count: 4) + reference)
            #expect(throws: TintypeError.self) {
                try data.withUnsafeBytes { try ISOFile(bytes: $0).references(in: 0..<data.count) }
            }
        }
    }

    @Test func numbersInListsAreBounded() throws {
        let many = [(kind: "dimg", from: 1, to: [Int](repeating: 1, count: 60_000))]
        #expect(throws: Never.self) { try parts(["grid"], many) }
        #expect(throws: TintypeError.self) { try parts(["grid"], many + many) }
        #expect(throws: TintypeError.self) { try parts(["hvc1"], [], alphas: [Int](repeating: 1, count: 60_000)) }
    }

    // MARK: Which box tells of them

    private static let empty = Data.box("meta", Data(count: 4) + Data.box("free", Data(count: 8)))

    /// A box that tells of no items in front of the one that does; where the pixels lie is moved with them.
    @Test(arguments: ["alpha.heic", "orientation-6.heic"]) func aBoxWithoutItemsHidesNothing(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let expected = try decode(data)
        let meta = try #require(data.firstRange(of: Data("meta".utf8))).lowerBound - 4
        var moved = data
        moved.insert(contentsOf: Self.empty, at: meta)
        try moved.moveItems(by: Self.empty.count)
        let image = try decode(moved)
        #expect(PixelDifference(image.pixels, expected.pixels)?.maximum == 0)
        #expect(image.info.orientation == expected.info.orientation)
        let tooLarge = #expect(throws: TintypeError.self) {
            try moved.withUnsafeBytes { try HEIFCodedImages.check($0, limits: DecodeLimits(pixels: 0)) }
        }
        #expect(tooLarge?.limit == .pixels)
    }

    /// Of two that tell of items, others may take the other one.
    @Test func twoBoxesWithItemsAreRefused() throws {
        let data = try alpha()
        let start = try #require(data.firstRange(of: Data("meta".utf8))).lowerBound - 4
        let meta = data[start..<start + data.number(at: start)]
        #expect(error(data + meta)?.message == TintypeError.suspectStructure.message)
        // libheif takes the last, and has none.
        #expect(error(data + Self.empty)?.code == .undecodable)
    }

    // MARK: Parameter sets

    /// The configuration of an item with empty units in front of the others.
    @Test func emptyUnitsOfAConfigurationArePassedOver() throws {
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

    /// One of the places where some letters stand has others, as many.
    fileprivate func replacing(_ letters: String, _ others: String, at index: Int = 0) throws -> Data {
        let all = ranges(of: Data(letters.utf8))
        try #require(all.indices.contains(index) && letters.utf8.count == others.utf8.count)
        var copy = self
        copy.replaceSubrange(all[index], with: Data(others.utf8))
        return copy
    }

    /// Says that all items lie elsewhere, but for those in a box of their own.
    fileprivate mutating func moveItems(by count: Int) throws {
        let place = try #require(firstRange(of: Data("iloc".utf8))).upperBound
        // As libheif writes it: four bytes for offsets, lengths and what offsets are counted from.
        try #require(self[place] < 2 && self[place + 4] == 0x44 && self[place + 5] == 0x40)
        let hasKinds = self[place] == 1
        var entry = place + 8
        for _ in 0..<Int(self[place + 7]) {
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
