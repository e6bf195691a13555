import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Headers that state 60,000 × 60,000 pixels with little after them are refused.
@Suite struct BombTests {
    private let side: UInt32 = 60_000

    private func expectRefused(_ bomb: Data) throws {
        let error = #expect(throws: TintypeError.self) {
            try DecodeTests.coders.decoder(for: bomb).decode(bomb, context: DecodeContext())
        }
        #expect(error?.code == .limitExceeded, "\(String(describing: error))")
        let headerError = #expect(throws: TintypeError.self) { try DecodeTests.coders.info(of: bomb) }
        #expect(headerError?.code == .limitExceeded, "\(String(describing: headerError))")
    }

    private func words(_ words: [UInt32]) -> Data {
        var data = Data()
        for word in words { withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) } }
        return data
    }

    @Test func aBMPIsRefused() throws {
        let file = Data("BM".utf8) + words([60, 0, 54])
        try expectRefused(file + words([40, side, side, 24 << 16 | 1, 0, 0, 0, 0, 0, 0]))
    }

    @Test func anIconIsRefused() throws {
        let directory = Data([0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 24, 0]) + words([100, 22])
        let bitmap = words([40, side, 2 * side, 24 << 16 | 1, 0, 0, 0, 0, 0, 0])
        try expectRefused(directory + bitmap + Data(count: 60))
    }

    @Test func aTIFFIsRefused() throws {
        let long: UInt32 = 4 << 16
        let sides = words([long | 256, 1, side, long | 257, 1, side, 3 << 16 | 258, 1, 8])
        let strips = words([long | 273, 1, 8, long | 279, 1, 50])
        try expectRefused(Data([0x49, 0x49, 0x2A, 0]) + words([8]) + Data([5, 0]) + sides + strips + words([0]))
    }

    // MARK: Known bombs

    static let known: [(name: String, limit: DecodeLimit, data: Data)] = [
        ("a PNG of 225,000²", .side, Bomb.png(PixelSize(width: 225_000, height: 225_000))),
        (
            "a GIF of 65,535² with many tiny frames", .pixels,
            Bomb.gif(PixelSize(width: 65_535, height: 65_535), frames: 20_000)
        ),
        ("a JPEG of 10,000 scans", .scans, Bomb.jpeg(scans: 10_000)),
        (
            "a WebP animation of 16,383² frames", .pixels,
            Bomb.webP(PixelSize(width: 16_383, height: 16_383), frames: 1000)
        ),
        (
            "a PNG with a huge ICC chunk", .profileBytes,
            Bomb.png(PixelSize(width: 9, height: 9), chunks: [("iCCP", Data(count: 5 << 20))])
        ),
    ]

    @Test(arguments: known.indices) func knownBombsAreRefusedBeforeAnyPixelIsDecoded(_ index: Int) throws {
        let (name, limit, data) = Self.known[index]
        let checks = CancellationChecks()
        let context = DecodeContext(isCancelled: checks.isCancelled)
        // Decoders check for cancellation only once decoding of pixels has begun.
        let decoder = try DecodeTests.coders.decoder(for: data)
        let error = #expect(throws: TintypeError.self) { try decoder.decode(data, context: context) }
        #expect(error?.limit == limit, "\(name): \(String(describing: error))")
        #expect(checks.count == 0, "\(name)")
        let headerError = #expect(throws: TintypeError.self) { try DecodeTests.coders.info(of: data) }
        #expect(headerError?.code == .limitExceeded, "\(name): \(String(describing: headerError))")
    }

    @Test(arguments: known.indices) func previewsOfKnownBombsAreRefusedToo(_ index: Int) throws {
        let (_, _, data) = Self.known[index]
        guard let previews = try DecodeTests.coders.decoder(for: data).makeIncrementalDecoder(context: DecodeContext())
        else {
            return
        }
        expectError(.limitExceeded) { _ = try previews.append(data) }
    }
}
