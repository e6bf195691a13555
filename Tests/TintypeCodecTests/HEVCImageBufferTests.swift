import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// The memory that is charged for the images that an HEVC decoder keeps.
@Suite struct HEVCImageBufferTests {
    /// Each image has its planes and a byte of modes per pixel. There is one more than the stream keeps and reorders, and each
    /// reordered image is converted to 4 bytes per pixel.
    @Test(arguments: [
        (1, 0, 0, 8, 4), (1, 0, 1, 8, 5), (4, 0, 1, 8, 13), (5, 2, 3, 8, 40), (5, 2, 1, 10, 40), (16, 0, 1, 8, 43),
        (16, 16, 3, 16, 295), (1 << 32, 1 << 32, 3, 16, 295),
    ])
    func imagesThatAreKeptAreCharged(
        _ buffered: Int, _ reordered: Int, _ chroma: Int, _ depth: Int, _ bytesPerPixel: Int
    ) {
        let buffer = HEVCImageBuffer(
            bufferedCount: buffered, reorderedCount: reordered, chromaFormat: chroma, depth: depth)
        #expect(buffer.bytesPerPixel == bytesPerPixel)
    }

    @Test(
        arguments: [
            ("sequence.heics", 40, nil), ("sequence-alpha.heics", 40, 10), ("frames-420.heics", 13, nil),
        ] as [(String, Int, Int?)])
    func theNumberOfImagesIsReadFromTheParameterSet(_ file: String, _ color: Int, _ alpha: Int?) throws {
        let data = try FixtureManifest.named(file).data
        let sequence = try data.withUnsafeBytes { try HEIFSequence($0, DecodeLimits()) }
        #expect(sequence?.colorTrack.bufferBytesPerPixel == color)
        #expect(sequence?.alphaTrack?.bufferBytesPerPixel == alpha)
    }
}
