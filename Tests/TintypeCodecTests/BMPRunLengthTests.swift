import Foundation
import TestSupport
import Testing
import TintypeBMP
import TintypeCore
import TintypeTesting

/// Bitmaps with run lengths.
@Suite struct BMPRunLengthTests {
    /// Returns a bitmap of 8 bits per pixel, with these run lengths and a palette of 256 grey levels.
    private static func bitmap(_ size: PixelSize, _ packed: Data) -> Data {
        let header = [40, size.width, size.height, 1 | 8 << 16, 1, packed.count, 0, 0, 256, 0]
        let palette = Data((0..<256).flatMap { [UInt8($0), UInt8($0), UInt8($0), 0] })
        let offset = 14 + 40 + palette.count
        return Data("BM".utf8) + ([offset + packed.count, 0, offset] + header).reduce(Data()) { $0 + word($1) }
            + palette
            + packed
    }

    private static func word(_ number: Int) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    /// Runs beyond the end of a row never reach another row, so the check after some rows never came.
    @Test func cancellationIsCheckedWithinARow() {
        let runs = Data((0..<(1 << 19)).flatMap { _ in [0xFF, 0] as [UInt8] })
        let data = Self.bitmap(PixelSize(width: 1, height: 1), runs + Data([0, 1]))
        let checks = CancellationChecks(passing: 8)
        expectError(.cancelled) {
            try BMPDecoder().decode(data, context: DecodeContext(isCancelled: checks.isCancelled))
        }
        let all = CancellationChecks()
        #expect(throws: Never.self) {
            try BMPDecoder().decode(data, context: DecodeContext(isCancelled: all.isCancelled))
        }
        #expect(all.count >= 15)
    }

    /// Runs, literal indices and a move that cross the end of a row.
    @Test func pixelsBeyondTheEndOfARowAreDropped() throws {
        let rows: [[UInt8]] = [
            [2, 10, 5, 20, 0, 0], [0, 5, 30, 31, 32, 33, 34, 0, 0, 0], [0, 2, 9, 0, 4, 50, 0, 0], [4, 60, 0, 1],
        ]
        let image = try BMPDecoder().decode(
            Self.bitmap(PixelSize(width: 4, height: 4), Data(rows.joined())), context: DecodeContext())
        // The bottom row comes first; skipped pixels have index 0.
        let expected: [[UInt8]] = [[60, 60, 60, 60], [0, 0, 0, 0], [30, 31, 32, 33], [10, 10, 20, 20]]
        for (y, row) in expected.enumerated() {
            for (x, level) in row.enumerated() {
                #expect(image.pixels[x, y] == Pixel(red: level, green: level, blue: level), "\(x), \(y)")
            }
        }
    }
}
