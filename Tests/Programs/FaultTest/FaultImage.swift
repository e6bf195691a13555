import Foundation
import Tintype
import TintypeTesting

/// The image of a number. Its pixels contain the number, so that one image cannot be taken for another.
struct FaultImage {
    private static let size = PixelSize(width: 24, height: 16)

    let number: Int

    /// The file.
    func png() throws(TintypeError) -> Data {
        let pixels = try PixelBuffer.drawn(Self.size) { x, y in pixel(x, y) }
        return try PipelineConfiguration.standard(disk: nil).coders.encode(pixels, as: .png)
    }

    /// The file with a chunk that readers skip, so that it is large enough for the store of partial bodies.
    func largePNG() throws(TintypeError) -> Data {
        let file = try png()
        return file.prefix(Self.headerLength) + Bomb.chunk("teSt", Data(count: 100_000))
            + file.dropFirst(Self.headerLength)
    }

    /// The signature and the first chunk.
    private static let headerLength = 33

    /// Whether an image has the pixels of this one.
    func matches(_ pixels: PixelBuffer) -> Bool {
        guard pixels.size == Self.size else { return false }
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width where pixels[x, y] != pixel(x, y) { return false }
        }
        return true
    }

    private func pixel(_ x: Int, _ y: Int) -> Pixel {
        Pixel(
            red: UInt8(truncatingIfNeeded: number), green: UInt8(truncatingIfNeeded: number >> 8),
            blue: UInt8(truncatingIfNeeded: x &* 7 &+ y &* 13 &+ number))
    }
}
