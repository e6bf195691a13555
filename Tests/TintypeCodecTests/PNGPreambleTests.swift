import Foundation
import Testing
import TintypeCore

@testable import TintypePNG

/// The chunks of an animated PNG that are copied for each frame.
@Suite struct PNGPreambleTests {
    private func preamble(_ data: Data) throws -> [PNGChunk.Kind?] {
        let header = try data.withUnsafeBytes { try PNGReader(DecodeContext()).open($0, isComplete: true) }
        return try PNGAnimation(data, #require(header)).preamble.map(\.kind)
    }

    /// Inserts chunks between the pixels and the end chunk, where libpng reads none before a frame is requested.
    private func inserting(_ chunks: [Data], into png: Data) -> Data {
        png.dropLast(12) + chunks.reduce(Data(), +) + png.suffix(12)
    }

    @Test func onlyTheFirstChunkOfEachKindIsCopied() throws {
        let png = try PNGBuilder.image(with: ("tRNS", Data(count: 6)))
        let repeated = [Data](repeating: PNGBuilder.chunk("tRNS", Data(count: 6)), count: 1000)
        #expect(try preamble(inserting(repeated, into: png)) == [.header, .transparency])
    }

    @Test func aChunkLongerThanAPaletteIsNotCopied() throws {
        let png = try PNGBuilder.image()
        for (count, kinds) in [(768, [.header, .palette]), (769, [.header])] as [(Int, [PNGChunk.Kind?])] {
            #expect(try preamble(inserting([PNGBuilder.chunk("PLTE", Data(count: count))], into: png)) == kinds)
        }
    }
}
