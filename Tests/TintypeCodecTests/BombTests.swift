import Foundation
import Testing
import Tintype

/// Headers that promise 60,000 × 60,000 pixels, and little after them, are refused for what they promise.
@Suite struct BombTests {
    private let side: UInt32 = 60_000

    private func expectRefused(_ bomb: Data) throws {
        let error = #expect(throws: TintypeError.self) {
            try DecodeTests.coders.decoder(for: bomb).decode(bomb, DecodeContext())
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
}
