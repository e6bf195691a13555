import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeJPEG
import TintypeTesting

/// The proof that a JPEG is whole, which reads all codes without decoding: whatever it accepts must decode without
/// damage.
@Suite struct JPEGWholenessTests {
    private static let valid = DecodeTests.valid.filter { $0.name.hasSuffix(".jpg") }
    private static let decoder = JPEGDecoder()

    private func verified(_ data: Data, _ context: DecodeContext = DecodeContext()) throws(TintypeError) -> ImageInfo? {
        try Self.decoder.verifiedInfo(of: data, context: context)
    }

    /// Returns whether a file decodes at a scale without a warning, when no damage is tolerated.
    private func decodesWithoutDamage(_ data: Data, _ size: DecodeOptions.Size) -> Bool {
        var options = DecodeOptions(size: size)
        options.damageTolerance = .none
        return (try? Self.decoder.decode(data, context: DecodeContext(options: options))) != nil
    }

    /// Baseline and progressive, of all sampling factors and colour models, with restart markers and without.
    @Test(arguments: valid) func intactFilesAreProvenWhole(_ fixture: FixtureManifest.Fixture) throws {
        let data = try fixture.data
        // libjpeg accepts a missing end marker where all codes are there.
        let hasEnd = data.suffix(2) == Data([0xFF, 0xD9])
        #expect(try verified(data) == (hasEnd ? Self.decoder.info(of: data, isComplete: true) : nil))
    }

    @Test(arguments: ["large-baseline.jpg", "large-progressive.jpg", "restart.jpg"])
    func filesThatAreCutShortAreNotProvenWhole(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        for count in stride(from: 1, to: data.count, by: max(1, data.count / 97)) {
            #expect((try? verified(data.prefix(count))) == nil, "\(count) bytes")
        }
    }

    @Test func aRestartMarkerOutOfOrderIsNoProof() throws {
        var data = try FixtureManifest.named("restart.jpg").data
        let offset = try #require(data.indices.dropLast().first { data[$0] == 0xFF && data[$0 + 1] == 0xD1 })
        data[offset + 1] = 0xD3
        #expect(try verified(data) == nil)
    }

    /// Each round changes, removes or adds a few bytes, in the headers as often as in the codes.
    @Test(arguments: valid.filter { !$0.name.hasPrefix("large") }, [SeededRandom.printedSeed("JPEG wholeness")])
    func whateverIsProvenWholeDecodesWithoutDamage(_ fixture: FixtureManifest.Fixture, _ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let data = try fixture.data
        var proven = 0
        for round in 0..<200 {
            var changed = data
            for _ in 0..<Int.random(in: 1...3, using: &random) { changed.damage(&random) }
            guard let info = try? verified(changed) else { continue }
            let sizes = [DecodeOptions.Size.full, .fit(PixelSize(width: 8, height: 8)), .atMost(bytes: info.size.area)]
            for size in sizes { #expect(decodesWithoutDamage(changed, size), "seed \(seed), round \(round), \(size)") }
            proven += 1
        }
        // Changes of metadata and of most codes do no harm.
        #expect(proven > 0 || fixture.name == "no-eoi.jpg", "seed \(seed)")
    }

    @Test func limitsHoldWithoutDecoding() throws {
        let data = try FixtureManifest.named("large-progressive.jpg").data
        for limit in [\DecodeLimits.pixels, \.scans] {
            var limits = DecodeLimits()
            limits[keyPath: limit] = 1
            expectError(.limitExceeded) { try verified(data, DecodeContext(limits: limits)) }
        }
    }

    /// Only decoding notices that a part lies outside the image.
    @Test func aPartIsDecoded() throws {
        var options = DecodeOptions(size: .noPixels)
        options.crop = PixelRect(x: 9_000, y: 9_000, size: PixelSize(width: 1, height: 1))
        expectError(.transformFailed) { try decodeChecked("orientation-7.jpg", options) }
    }

    @Test func metadataComeWithoutPixels() throws {
        var options = DecodeOptions(size: .noPixels)
        #expect(try decodeChecked("orientation-7.jpg", options).exif == nil)
        options.keepsExif = true
        let image = try decodeChecked("orientation-7.jpg", options)
        #expect(image.size == PixelSize(width: 1, height: 1) && image.exif != nil)
    }

    private func decodeChecked(_ name: String, _ options: DecodeOptions) throws -> Image {
        let data = try FixtureManifest.named(name).data
        return try Self.decoder.decodeChecked(data, context: DecodeContext(options: options))
    }

    @Test func damageIsReportedWithoutPixelsAsWithThem() throws {
        let data = try FixtureManifest.named("large-progressive.jpg").data
        let damaged = try #require(Self.damagedFiles(data).first { !decodesWithoutDamage($0, .full) })
        var options = DecodeOptions(size: .noPixels)
        let image = try Self.decoder.decodeChecked(damaged, context: DecodeContext(options: options))
        #expect(image.info.warnings == [.damagedPixels] && image.size == PixelSize(width: 1, height: 1))
        options.damageTolerance = .none
        expectError(.undecodable) {
            try Self.decoder.decodeChecked(damaged, context: DecodeContext(options: options))
        }
    }

    /// Returns copies of a file, each with one changed bit in its last scan. None of them gets a new marker.
    private static func damagedFiles(_ data: Data) -> [Data] {
        (data.count * 3 / 4..<data.count - 2).filter { data[$0] & 0xFE != 0xFE && data[$0] != 0 }.prefix(200).map {
            offset in
            var damaged = data
            damaged[offset] ^= 1
            return damaged
        }
    }

    @Test func aCancelledProofIsNone() throws {
        let data = try FixtureManifest.named("large-baseline.jpg").data
        #expect(try verified(data, DecodeContext(isCancelled: { true })) == nil)
    }
}

extension Data {
    /// Changes, removes or inserts one byte.
    mutating func damage(_ random: inout SeededRandom) {
        let reach = Bool.random(using: &random) ? count : Swift.min(count, 700)
        let offset = startIndex + Int.random(in: 0..<reach, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: self[offset] = .random(in: 0...255, using: &random)
        case 2: remove(at: offset)
        default: insert(.random(in: 0...255, using: &random), at: offset)
        }
    }
}
