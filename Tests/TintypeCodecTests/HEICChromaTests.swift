import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// The conversion of luma and chroma of HEIC sequences. Chroma is interpolated between its samples.
@Suite struct HEICChromaTests {
    /// Two samples of chroma for four pixels: three quarters of the nearest and a quarter of the next, as swscale
    /// (`bilinear+accurate_rnd+full_chroma_int`, ffmpeg 5.1) and libjpeg-turbo's fancy upsampling have it. The nearest
    /// one would be 128, 128, 228, 228.
    @Test func chromaChangesGradually() throws {
        let (luma, blue, red): ([UInt8], [UInt8], [UInt8]) = ([100, 100, 100, 100], [128, 228], [128, 128])
        try luma.withUnsafeBytes { luma in
            try blue.withUnsafeBytes { blue in
                try red.withUnsafeBytes { red in
                    func plane(_ bytes: UnsafeRawBufferPointer) throws -> YCbCrRows.Plane {
                        YCbCrRows.Plane(
                            bytes: try #require(bytes.baseAddress), stride: bytes.count,
                            size: PixelSize(width: bytes.count, height: 1), depth: 8)
                    }
                    let rows = try #require(
                        YCbCrRows(
                            luma: plane(luma), chroma: (plane(blue), plane(red)), scale: (2, 2), matrix: 6,
                            isFullRange: true))
                    var bytes = [UInt8](repeating: 0, count: 16)
                    bytes.withUnsafeMutableBufferPointer { rows.read(0, from: 0, into: $0) }
                    // BT.601: blue is luma and 1.772 times Cb, of 0, 25, 75 and 100.
                    #expect([bytes[2], bytes[6], bytes[10], bytes[14]] == [100, 144, 233, 255])
                }
            }
        }
    }

    /// Every layout and depth gives the same colour for the same chroma, in and beside the middle of an image.
    @Test(arguments: [(1, 1), (2, 1), (2, 2)], [8, 10, 12]) func anyLayoutIsConverted(_ scale: (Int, Int), _ depth: Int)
        throws
    {
        let size = PixelSize(width: 7, height: 5)
        let chroma = PixelSize(width: (7 + scale.0 - 1) / scale.0, height: (5 + scale.1 - 1) / scale.1)
        func plane(_ size: PixelSize, _ value: Int) -> [UInt8] {
            let sample = value << (depth - 8)
            let bytes = depth > 8 ? [UInt8(sample & 255), UInt8(sample >> 8)] : [UInt8(sample)]
            return (0..<size.area).flatMap { _ in bytes }
        }
        // BT.601 with the limited range (ITU-T H.273, 8.3): red of 75 %.
        let (luma, blue, red) = (plane(size, 65), plane(chroma, 100), plane(chroma, 212))
        try luma.withUnsafeBytes { luma in
            try blue.withUnsafeBytes { blue in
                try red.withUnsafeBytes { red in
                    func plane(_ bytes: UnsafeRawBufferPointer, _ size: PixelSize) throws -> YCbCrRows.Plane {
                        YCbCrRows.Plane(
                            bytes: try #require(bytes.baseAddress), stride: size.width * (depth > 8 ? 2 : 1),
                            size: size,
                            depth: depth)
                    }
                    let rows = try #require(
                        YCbCrRows(
                            luma: plane(luma, size), chroma: (plane(blue, chroma), plane(red, chroma)), scale: scale,
                            matrix: 6, isFullRange: false))
                    for y in 0..<size.height {
                        for first in 0..<3 {
                            var bytes = [UInt8](repeating: 0, count: 4 * (size.width - first))
                            bytes.withUnsafeMutableBufferPointer { rows.read(y, from: first, into: $0) }
                            var words = [UInt16](repeating: 0, count: bytes.count)
                            words.withUnsafeMutableBufferPointer { rows.read(y, from: first, into: $0) }
                            for (index, value) in [191, 0, 0, 255].enumerated() {
                                for x in 0..<size.width - first {
                                    #expect(abs(Int(bytes[4 * x + index]) - value) <= 1)
                                    #expect(abs(Int(words[4 * x + index]) - value * 257) <= 300)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
