import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeHEIF

/// Code points of still HEIC images that libheif does not know. `make fuzz` found that libheif leaks memory for them.
@Suite struct HEICCodePointTests {
    private func areKnown(_ data: Data) -> Bool { data.withUnsafeBytes { HEIFCodePoints.areKnown(in: $0) } }

    /// `pq.heic` with other primaries, transfer or matrix.
    private func file(changing code: Int, to value: UInt16) throws -> Data {
        var data = try FixtureManifest.named("pq.heic").data
        let start = try #require(data.firstRange(of: Data("nclx".utf8))).upperBound + 2 * code
        data.replaceSubrange(start..<start + 2, with: withUnsafeBytes(of: value.bigEndian) { Data($0) })
        return data
    }

    @Test(arguments: ["pq.heic", "p3.heic", "alpha.heic", "orientation-6.heic", "sequence.heics"])
    func codePointsOfValidImagesAreKnown(_ name: String) throws {
        #expect(areKnown(try FixtureManifest.named(name).data))
    }

    @Test(arguments: 0..<3, [3, 15, 64, 0x100, 0xFFFF] as [UInt16])
    func unknownCodePointsAreNotRequested(_ code: Int, _ value: UInt16) throws {
        // Transfer 15 is 12-bit BT.2020.
        let isKnown = code == 1 && value == 15
        let data = try file(changing: code, to: value)
        #expect(areKnown(data) == isKnown)
        do throws(TintypeError) {
            let image = try HEIFDecoder().decode(data, context: DecodeContext(options: DecodeOptions(range: .high)))
            #expect(image.size == PixelSize(width: 64, height: 64))
        } catch {
            #expect(error.code == .undecodable)
        }
    }

    @Test func truncatedAndExtendedFilesAreHandled() throws {
        let data = try FixtureManifest.named("pq.heic").data
        #expect(areKnown(data + Data(repeating: 0xFF, count: 40)))
        #expect(!areKnown(try file(changing: 2, to: 64) + Data(repeating: 0xFF, count: 40)))
        for count in data.indices { _ = areKnown(data.prefix(count)) }
    }
}
